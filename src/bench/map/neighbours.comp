// SPDX-License-Identifier: MIT
#version 460
// Follows chains on all cores at the same time. Each workgroup builds a chain in its own part of
// the region, reads the chain once with all threads, and then follows it with one thread. Both time
// stamps wait for a link, so all timed loads come between them.
#include "bench/prelude/clock.glsl"
#include "bench/prelude/kernel.glsl"

#include "bench/prelude/permute.glsl"

#include "bench/map/map_kernels.h"

#define PARAM(name) uint name;
layout(push_constant, std430) uniform Params
{
    NEIGHBOURS_PARAMS(PARAM)
}
p;
#undef PARAM

layout(set = 0, binding = 0, std430) buffer Region
{
    uint words[];
};
layout(set = 0, binding = 1, std430) writeonly buffer Out
{
    uint result[];
};

#define HOP    link = words[link];
#define HOPS_8 HOP HOP HOP HOP HOP HOP HOP HOP

uint follow(uint link, uint turns)
{
    [[dont_unroll]] for (uint i = 0u; i < turns; i++) {
        HOPS_8
    }
    return link;
}

void main()
{
    const uint base = gl_WorkGroupID.x * p.nodes * p.pitch_words;
    for (uint k = gl_LocalInvocationID.x; k < p.nodes; k += WORKGROUP_X) {
        const uint next = k + 1u < p.nodes ? k + 1u : 0u;
        words[base + permute(k, p.nodes, p.key) * p.pitch_words] =
            base + permute(next, p.nodes, p.key) * p.pitch_words;
    }
    memoryBarrierBuffer();
    barrier();
    uint sum = 0u;
    for (uint k = gl_LocalInvocationID.x; k < p.nodes; k += WORKGROUP_X)
        sum ^= words[base + permute(k, p.nodes, p.key) * p.pitch_words];
    const uint mine = gl_WorkGroupID.x * NEIGHBOURS_WORDS;
    if (sum == p.never)
        result[mine + NEIGHBOURS_LINK] = sum;
    barrier();
    if (gl_LocalInvocationID.x != 0u)
        return;
    uint link = follow(base + permute(0u, p.nodes, p.key) * p.pitch_words, p.lead);
    const uint begin = clock_core_after(link, p.never).x;
    link = follow(link, p.turns);
    const uint end = clock_core_after(link, p.never).x;
    link = follow(link, p.tail);
    result[mine + NEIGHBOURS_LINK] = link;
    result[mine + NEIGHBOURS_BEGIN] = begin;
    result[mine + NEIGHBOURS_END] = end;
    result[mine + NEIGHBOURS_CORE] = core_id();
    result[mine + NEIGHBOURS_DONE] = p.token;
}
