// SPDX-License-Identifier: MIT
#version 460
// Every thread loads 256 neighbouring elements of a buffer and adds them up.
//
// -DRESOURCE=LOADS_…: what the kernel loads from (loads.h)  -DWIDTH=1…4: values per load
// -DUNIFORM=1: all threads load the same elements; 0: a parameter sets each thread's first element
// -DINTEGER=1: values are integers, not floats
// -DWRITABLE=1: the buffer of LOADS_RAW is one that the kernel may also write
// -DFORMAT=…: format of LOADS_TEXEL_RW  -DALIGN=…: alignment of LOADS_RAW_VECTOR in bytes
// -DPEAK=1: eight loads share their address arithmetic, and are in flight together
// -DPEAK=0: one load per turn of the loop, as in the published tool (perftest)
#extension GL_GOOGLE_include_directive : require
#include "bench/prelude/kernel.glsl"
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_KHR_shader_subgroup_shuffle : require

#include "bench/loads/loads.h"

#if RESOURCE == LOADS_RAW || RESOURCE == LOADS_RAW_VECTOR || RESOURCE == LOADS_PUSHED ||           \
    RESOURCE == LOADS_NOTHING
#define PROOF_BINDING 0
#else
#define PROOF_BINDING 1
#endif
#include "bench/loads/params.glsl"

#if RESOURCE == LOADS_TYPED
#if INTEGER
layout(set = 0, binding = 0) uniform utextureBuffer source;
#else
layout(set = 0, binding = 0) uniform textureBuffer source;
#endif
#define LOAD(at) texelFetch(source, int(at)) CHANNELS

#elif RESOURCE == LOADS_ROW
layout(set = 0, binding = 0) uniform texture1D source;
#define LOAD(at) texelFetch(source, int(at), 0) CHANNELS

#elif RESOURCE == LOADS_TEXEL_RW
layout(set = 0, binding = 0, FORMAT) readonly restrict uniform imageBuffer source;
#define LOAD(at) imageLoad(source, int(at)) CHANNELS

#elif RESOURCE == LOADS_RAW
struct Element {
    uint words[WIDTH]; // an element: WIDTH words, aligned to 4 bytes and not to their total size
};
#if WRITABLE
#define ACCESS
#else
#define ACCESS readonly restrict
#endif
layout(buffer_reference, std430, buffer_reference_align = 4) ACCESS buffer Source
{
    Element at[];
};
#if WIDTH == 1
#define WORDS_OF(e) e.words[0]
#elif WIDTH == 2
#define WORDS_OF(e) uvec2(e.words[0], e.words[1])
#elif WIDTH == 3
#define WORDS_OF(e) uvec3(e.words[0], e.words[1], e.words[2])
#else
#define WORDS_OF(e) uvec4(e.words[0], e.words[1], e.words[2], e.words[3])
#endif
#define CURSOR(first)    Source(params.address + uint64_t((first) * (4 * WIDTH) + params.start))
#define LOAD_FROM(at, k) uintBitsToFloat(WORDS_OF(at.at[k]))

#elif RESOURCE == LOADS_RAW_VECTOR
#ifndef ALIGN
#define ALIGN (4 * WIDTH)
#define START 0
#else
#define START params.start
#endif
layout(buffer_reference, std430, buffer_reference_align = ALIGN) readonly restrict buffer Source
{
    WORDS at[];
};
#define CURSOR(first)    Source(params.address + uint64_t((first) * (4 * WIDTH) + START))
#define LOAD_FROM(at, k) uintBitsToFloat(at.at[k])

#elif RESOURCE == LOADS_BOUND
layout(set = 0, binding = 0, std430) readonly restrict buffer Source
{
    uint words[];
}
source;
#define WORD(i, n) source.words[(i)*WIDTH + (n)]
#if WIDTH == 1
#define LOAD(i) uintBitsToFloat(WORD(i, 0))
#elif WIDTH == 2
#define LOAD(i) uintBitsToFloat(uvec2(WORD(i, 0), WORD(i, 1)))
#elif WIDTH == 3
#define LOAD(i) uintBitsToFloat(uvec3(WORD(i, 0), WORD(i, 1), WORD(i, 2)))
#else
#define LOAD(i) uintBitsToFloat(uvec4(WORD(i, 0), WORD(i, 1), WORD(i, 2), WORD(i, 3)))
#endif

#elif RESOURCE == LOADS_STRUCTURED && WIDTH == 3
struct Element {
    float at[3]; // a vector of 3 floats (12 bytes), aligned to 4 bytes
};
layout(set = 0, binding = 0, std430) readonly restrict buffer Source
{
    Element at[];
}
source;
#define LOAD(i) vec3(source.at[i].at[0], source.at[i].at[1], source.at[i].at[2])

#elif RESOURCE == LOADS_HALF
#if WIDTH == 1
#define ELEMENT float16_t
#elif WIDTH == 2
#define ELEMENT f16vec2
#else
#define ELEMENT f16vec4
#endif
layout(set = 0, binding = 0, std430) readonly restrict buffer Source
{
    ELEMENT at[];
}
source;
#define LOAD(i) VECTOR(source.at[i])

#elif RESOURCE == LOADS_BYTES
#if WIDTH == 1
#define ELEMENT uint8_t
#else
#define ELEMENT u8vec4
#endif
layout(set = 0, binding = 0, std430) readonly restrict buffer Source
{
    ELEMENT at[];
}
source;
#define LOAD(i) VECTOR(source.at[i])

#elif RESOURCE == LOADS_LONG
layout(set = 0, binding = 0, std430) readonly restrict buffer Source
{
    uint64_t at[];
}
source;
#define LOAD(i) uintBitsToFloat(unpack32(source.at[i]))

#elif RESOURCE == LOADS_STORAGE
layout(set = 0, binding = 0, std430) buffer Source
{
    VECTOR at[];
}
source;
#define LOAD(i) source.at[i]

#elif RESOURCE == LOADS_STRUCTURED || RESOURCE == LOADS_SHARED || RESOURCE == LOADS_BROADCAST ||   \
    RESOURCE == LOADS_SHUFFLE
layout(set = 0, binding = 0, std430) readonly restrict buffer Source
{
    VECTOR at[];
}
source;
#if RESOURCE == LOADS_SHARED
shared VECTOR tile[LOADS_ELEMENTS];
#define LOAD(i) tile[i]
#else
#define LOAD(i) source.at[i]
#endif

#elif RESOURCE == LOADS_CONSTANT
layout(set = 0, binding = 0, std140) uniform Source
{
    vec4 at[LOADS_ELEMENTS];
}
source;
#define LOAD(i) source.at[i]

#elif RESOURCE == LOADS_PUSHED // push constants; all threads load the same element
#define CURSOR(first)    ((first) & (LOADS_PUSHED_STRIDE - 1))
#define LOAD_FROM(at, k) params.pushed[(at) + (k) / LOADS_STRIDE * LOADS_PUSHED_STRIDE]

#else
// The loop without loads adds up indices. params.mask, or-ed to an index, makes it the bits of a
// float just above 1.
#define LOAD_FROM(at, k) VECTOR(uintBitsToFloat((at) ^ (k)))
#endif

#if RESOURCE == LOADS_PUSHED
#define PLACE uint
#elif defined(CURSOR) // CURSOR gives the address from which a turn of the loop loads
#define PLACE Source
#else // CURSOR gives the index of the element from which a turn of the loop loads
#define PLACE uint
#if RESOURCE == LOADS_NOTHING
#define CURSOR(first) (first)
#else
// The index of the first element that a turn of the loop loads is below 512. The mask 511 tells
// this to the compiler: it then knows that the index + k cannot overflow, so it may add k to the
// address of the first element instead.
#define CURSOR(first)    ((first)&511)
#define LOAD_FROM(at, k) LOAD((at) + (k))
#endif
#endif

#if RESOURCE == LOADS_BROADCAST || RESOURCE == LOADS_SHUFFLE
#if RESOURCE == LOADS_BROADCAST
#define FROM_LANE(v, lane) subgroupBroadcast(v, lane)
#else
#define FROM_LANE(v, lane)                                                                         \
    subgroupShuffle(v, ((lane) + gl_SubgroupInvocationID) & (gl_SubgroupSize - 1))
#endif
// In each turn of the outer loop, every lane loads one element. Then every lane gets the elements
// of all lanes, by broadcasts or shuffles, and adds them up.
VECTOR add_up(uint first)
{
    VECTOR sum = FIRST_SUM;
    [[dont_unroll]] for (uint i = 0; i < LOADS_A_THREAD; i += gl_SubgroupSize)
    {
        VECTOR mine = LOAD((first + i + gl_SubgroupInvocationID) | params.mask);
        [[dont_unroll]] for (uint k = 0; k < gl_SubgroupSize; k += LOADS_LANES)
        {
            [[unroll]] for (uint j = 0; j < LOADS_LANES; j++) sum += FROM_LANE(mine, k + j);
        }
    }
    return sum;
}
#elif PEAK
VECTOR add_up(uint first)
{
    VECTOR sum = FIRST_SUM;
    [[dont_unroll]] for (uint i = 0; i < LOADS_STRIDE; i++)
    {
        PLACE at = CURSOR((first + LOADS_TURN(i)) | params.mask);
        VECTOR loaded[LOADS_FLIGHT];
        [[unroll]] for (uint k = 0; k < LOADS_FLIGHT; k++) loaded[k] =
            LOAD_FROM(at, k * LOADS_APART);
        [[unroll]] for (uint k = 0; k < LOADS_FLIGHT; k++) sum += loaded[k];
    }
    return sum;
}
#else
VECTOR add_up(uint first)
{
    VECTOR sum = FIRST_SUM;
    [[dont_unroll]] for (uint i = 0; i < LOADS_A_THREAD; i++)
    {
        PLACE at = CURSOR((first + i) | params.mask);
        sum += LOAD_FROM(at, 0);
    }
    return sum;
}
#endif

void main()
{
#if RESOURCE == LOADS_SHARED
    for (uint i = gl_LocalInvocationIndex; i < LOADS_ELEMENTS; i += LOADS_THREADS)
        tile[i] = source.at[i];
    barrier();
#endif
    prove(weigh(FLOATS(add_up(first_element(gl_LocalInvocationIndex, gl_LocalInvocationIndex)))));
}
