// SPDX-License-Identifier: MIT
#version 460
// Every thread loads 256 neighbouring elements of a buffer and adds them up.
//
// -DRESOURCE=LOADS_…  -DWIDTH=1…4 floats of a load  -DUNIFORM=0|1
// -DPEAK=1            eight loads share their address arithmetic, and are in flight together
// -DPEAK=0            one load a turn of the loop, as the published tool has it
#extension GL_GOOGLE_include_directive : require
#include "bench/prelude/kernel.glsl"

#include "bench/loads/loads.h"

#if RESOURCE == LOADS_RAW || RESOURCE == LOADS_RAW_VECTOR || RESOURCE == LOADS_NOTHING
#define PROOF_BINDING 0
#else
#define PROOF_BINDING 1
#endif
#include "bench/loads/params.glsl"

#if WIDTH == 1
#define VECTOR float
#define WORDS  uint
#elif WIDTH == 2
#define VECTOR vec2
#define WORDS  uvec2
#elif WIDTH == 3
#define VECTOR vec3
#define WORDS  uvec3
#else
#define VECTOR vec4
#define WORDS  uvec4
#endif

#if RESOURCE == LOADS_NOTHING
#define FIRST_SUM VECTOR(vec4(0, 1, 2, 3)) // else a compiler adds up one channel for all
#else
#define FIRST_SUM VECTOR(0)
#endif

#if RESOURCE == LOADS_TYPED
layout(set = 0, binding = 0) uniform textureBuffer source;
#if WIDTH == 1
#define LOAD(at) texelFetch(source, int(at)).x
#elif WIDTH == 2
#define LOAD(at) texelFetch(source, int(at)).xy
#else
#define LOAD(at) texelFetch(source, int(at))
#endif

#elif RESOURCE == LOADS_RAW
struct Element {
    uint words[WIDTH]; // aligned to 4 bytes, whatever their number
};
layout(buffer_reference, std430, buffer_reference_align = 4) readonly restrict buffer Source
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
layout(buffer_reference, std430, buffer_reference_align = 4 * WIDTH) readonly restrict buffer Source
{
    WORDS at[];
};
#define CURSOR(first)    Source(params.address + uint64_t((first) * (4 * WIDTH)))
#define LOAD_FROM(at, k) uintBitsToFloat(at.at[k])

#elif RESOURCE == LOADS_STRUCTURED
layout(set = 0, binding = 0, std430) readonly restrict buffer Source
{
    VECTOR at[];
}
source;
#define LOAD(i) source.at[i]

#elif RESOURCE == LOADS_CONSTANT
layout(set = 0, binding = 0, std140) uniform Source
{
    vec4 at[LOADS_ELEMENTS];
}
source;
#define LOAD(i) source.at[i]

#else // the control: the index itself, whose bits the mask makes floats a little above 1
#define LOAD_FROM(at, k) VECTOR(uintBitsToFloat((at) ^ (k)))
#endif

#ifdef CURSOR // an address
#define PLACE Source
#else // an index
#define PLACE uint
#if RESOURCE == LOADS_NOTHING
#define CURSOR(first) (first)
#else
// First elements end below 511. A compiler that knows it adds constants to the address instead of to
// the index, which could wrap.
#define CURSOR(first)    ((first) & 511)
#define LOAD_FROM(at, k) LOAD((at) + (k))
#endif
#endif

void main()
{
    uint first = first_element(gl_LocalInvocationIndex);
    VECTOR sum = FIRST_SUM;
#if PEAK
    [[dont_unroll]] for (uint i = 0; i < LOADS_STRIDE; i++)
    {
        PLACE at = CURSOR((first + i) | params.mask);
        VECTOR loaded[LOADS_FLIGHT];
        [[unroll]] for (uint k = 0; k < LOADS_FLIGHT; k++) loaded[k] =
            LOAD_FROM(at, k * LOADS_STRIDE);
        [[unroll]] for (uint k = 0; k < LOADS_FLIGHT; k++) sum += loaded[k];
    }
#else
    [[dont_unroll]] for (uint i = 0; i < LOADS_A_THREAD; i++)
    {
        PLACE at = CURSOR((first + i) | params.mask);
        sum += LOAD_FROM(at, 0);
    }
#endif
    prove(weigh(sum));
}
