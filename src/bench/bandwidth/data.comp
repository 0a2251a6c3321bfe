// SPDX-License-Identifier: MIT
#version 460
// Fills a range of memory with the data that a seed determines, or compares the range with these
// data. Walks through memory in another order than the measured kernels.
//
// -DCHECK=0: fills  -DCHECK=1: counts the equal elements and adds up all words read
#extension GL_GOOGLE_include_directive : require
#include "bench/prelude/kernel.glsl"
#include "bench/bandwidth/data.glsl"

layout(set = 0, binding = 0, std430) buffer Range
{
    uvec4 at[];
} range;

#if CHECK
#define WORDS_BINDING 1
#include "bench/bandwidth/bandwidth.h"
#define WORDS_SLOTS BANDWIDTH_SLOTS
#include "bench/prelude/words.glsl"
#endif

layout(push_constant) uniform Params
{
    uint first; // index of the range's first element in the buffer
    uint count; // number of elements in the range
    uint seed;
} params;

void main()
{
    uint stride = gl_NumWorkGroups.x * WORKGROUP_THREADS;
    uint sum = 0, equal = 0;
    for (uint i = gl_GlobalInvocationID.x; i < params.count; i += stride) {
        uvec4 data = data_words(params.first + i, params.seed);
#if CHECK
        uvec4 seen = range.at[i];
        equal += seen == data ? 1 : 0;
        sum += seen.x + seen.y + seen.z + seen.w;
#else
        range.at[i] = data;
#endif
    }
#if CHECK
    words_add_both(gl_WorkGroupID.x, sum, equal);
#endif
}
