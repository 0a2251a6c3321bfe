// SPDX-License-Identifier: MIT
// Streams: arrays of one element type that a kernel walks with constant steps. -DACCESS_ADDRESS
// says how the kernel reaches them:
//   0  by a storage buffer: descriptor set 0, binding `slot`
//   1  by a 64-bit address in the push constants (needs shaderInt64). One 64-bit addition makes a
//      cursor. Loads then have constant offsets, which hardware adds at no cost. 32-bit indices
//      wrap at 2^32, so with them each load would need an addition.
// Include this file after prelude/kernel.glsl. The push constants must be called params.
//
//   STREAM(Name, qualifiers, ELEMENT, bytes, slot)   declares the stream, at file scope
//   STREAM_PARAM(Name)                               its push constant, before all others
//   STREAM_CURSOR(Name, at, first, bytes)            declares the cursor `at` at element `first`
//   STREAM_AT(Name, at, k)                           element k after the cursor, as an lvalue
#ifndef BENCH_PRELUDE_ACCESS_GLSL
#define BENCH_PRELUDE_ACCESS_GLSL

#if ACCESS_ADDRESS
#define STREAM(Name, qualifiers, ELEMENT, bytes, slot)                                             \
    layout(buffer_reference, std430, buffer_reference_align = bytes) qualifiers buffer Name        \
    {                                                                                              \
        ELEMENT at[];                                                                              \
    };
#define STREAM_PARAM(Name) uint64_t address_##Name;
#define STREAM_CURSOR(Name, at, first, bytes)                                                      \
    Name at = Name(params.address_##Name + uint64_t(first) * bytes)
#define STREAM_AT(Name, cursor, k) (cursor).at[k]
#else
#define STREAM(Name, qualifiers, ELEMENT, bytes, slot)                                             \
    layout(set = 0, binding = slot, std430) qualifiers buffer Name                                 \
    {                                                                                              \
        ELEMENT at[];                                                                              \
    } stream_##Name;
#define STREAM_PARAM(Name)
#define STREAM_CURSOR(Name, at, first, bytes) uint at = (first)
#define STREAM_AT(Name, cursor, k)            stream_##Name.at[(cursor) + (k)]
#endif

#endif
