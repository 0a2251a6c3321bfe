// SPDX-License-Identifier: MIT
#version 460
// -DCHECK=0: fills a range with the data that transfer.h defines, from word `first` on. -DCHECK=1:
// counts the elements of 16 bytes that hold these data.
#extension GL_GOOGLE_include_directive : require
#include "bench/prelude/kernel.glsl"

#include "bench/transfer/transfer.h"

layout(set = 0, binding = 0, std430) buffer Range
{
    uvec4 range[];
};

#if CHECK
layout(set = 0, binding = 1, std430) buffer Right
{
    uint right;
};
#endif

layout(push_constant) uniform Params
{
    uint first;
    uint count; // number of elements of 16 bytes
}
params;

uvec4 element(uint i)
{
    uvec4 mixed = (params.first + 4 * i + uvec4(0, 1, 2, 3)) * TRANSFER_MIX;
    return mixed ^ (mixed >> TRANSFER_SHIFT);
}

void main()
{
    uint seen = 0, stride = gl_NumWorkGroups.x * WORKGROUP_X;
    for (uint i = gl_GlobalInvocationID.x; i < params.count; i += stride) {
#if CHECK
        seen += range[i] == element(i) ? 1 : 0;
#else
        range[i] = element(i);
#endif
    }
#if CHECK
    if (seen != 0)
        atomicAdd(right, seen);
#endif
}
