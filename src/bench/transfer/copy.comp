// SPDX-License-Identifier: MIT
#version 460
// Copies elements of 16 bytes. Each thread copies TRANSFER_LOADS elements; it loads all of them
// before it stores the first. The last workgroup counts the dispatch.
#extension GL_GOOGLE_include_directive : require
#include "bench/prelude/kernel.glsl"

#include "bench/transfer/transfer.h"

layout(set = 0, binding = 0, std430) readonly restrict buffer Source
{
    uvec4 source[];
};

layout(set = 0, binding = 1, std430) writeonly restrict buffer Target
{
    uvec4 target[];
};

layout(set = 0, binding = 2, std430) buffer Count
{
    uint dispatches;
};

layout(push_constant) uniform Params
{
    uint count;
}
params;

void main()
{
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    uint begin = group * WORKGROUP_X * TRANSFER_LOADS, first = begin + gl_LocalInvocationIndex;
    if (begin + WORKGROUP_X * TRANSFER_LOADS <= params.count) {
        uvec4 values[TRANSFER_LOADS];
        [[unroll]] for (int k = 0; k < TRANSFER_LOADS; k++)
            values[k] = source[first + k * WORKGROUP_X];
        [[unroll]] for (int k = 0; k < TRANSFER_LOADS; k++)
            target[first + k * WORKGROUP_X] = values[k];
    } else {
        for (uint i = first; i < params.count; i += WORKGROUP_X)
            target[i] = source[i];
    }
    if (gl_LocalInvocationIndex == 0 && begin < params.count &&
        params.count - begin <= WORKGROUP_X * TRANSFER_LOADS)
        atomicAdd(dispatches, 1);
}
