// SPDX-License-Identifier: MIT
// Streams: arrays of one element type that a kernel walks with constant steps, reached as the
// variant says (-DACCESS_ADDRESS):
//   0  storage buffer: descriptor set 0, binding `slot`
//   1  64-bit address in the push constants (needs shaderInt64). One 64-bit addition makes a
//      cursor; what follows are constant offsets, which hardware adds in the load for nothing. With
//      32-bit indices a compiler must honour their wrapping at 2^32, an addition a load.
// Include it after prelude/kernel.glsl. The push constants are called params.
//
//   STREAM(Name, qualifiers, ELEMENT, bytes, slot)   declares it, at file scope
//   STREAM_PARAM(Name)                               its member of the push constants, first there
//   STREAM_CURSOR(Name, at, first, bytes)            `at` = element number `first` of the stream
//   STREAM_AT(Name, at, k)                           the element k after the cursor, as an lvalue
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
