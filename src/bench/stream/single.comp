// SPDX-License-Identifier: MIT
#version 460
// The operations of stream.h, an element a thread. Of each workgroup the first `pitch` threads take
// neighbouring elements, and the others end at once; the workgroup keeps its room on the core until
// its last thread ends. A grid's z counts passes that all are the same.
//
// -DOP=…  -DDOUBLE=0|1
#extension GL_GOOGLE_include_directive : require
#include "bench/prelude/kernel.glsl"
#include "bench/stream/value.glsl"

layout(set = 0, binding = 0, std430) readonly restrict buffer Source
{
    SCALAR at[];
} source;

layout(set = 0, binding = 1, std430) readonly restrict buffer Other
{
    SCALAR at[];
} other;

#if OP == STREAM_READ
#define WORDS_BINDING 3
#define WORDS_SLOTS   STREAM_SLOTS
#include "bench/prelude/words.glsl"
#else
layout(set = 0, binding = 2, std430) writeonly restrict buffer Target
{
    SCALAR at[];
} target;
#endif

layout(push_constant) uniform Params
{
    uint blocks, groups, passes, pitch, advance, reach;
    float value, factor;
} params;

void main()
{
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    uint i = group * params.pitch + gl_LocalInvocationIndex;
    if (gl_LocalInvocationIndex >= params.pitch || i >= params.blocks)
        return;
#if OP == STREAM_INIT
    target.at[i] = SCALAR(params.value);
#elif OP == STREAM_READ
    if ((TOP_WORD(source.at[i]) & STREAM_MARK_MASK) == STREAM_MARK)
        atomicAdd(words.sums[group % STREAM_SLOTS], 1);
    if (gl_LocalInvocationIndex == 0)
        atomicAdd(words.counts[group % STREAM_SLOTS], 1);
#elif OP == STREAM_SCALE
    target.at[i] = SCALAR(params.factor) * source.at[i];
#elif OP == STREAM_TRIAD
    target.at[i] = source.at[i] + SCALAR(params.factor) * other.at[i];
#else
    uint c = i + NUMBERS; // the element 0 stands so many after the beginning
    SCALAR near = SCALAR(0.5) * source.at[c + 1] - source.at[c];
#if OP == STREAM_STAR3
    target.at[i] = SCALAR(0.5) * source.at[c - 1] + near;
#else
    target.at[i] = SCALAR(0.25) * (source.at[c - 1] + source.at[c - 2]) + near +
                   SCALAR(0.5) * source.at[c + 2];
#endif
#endif
}
