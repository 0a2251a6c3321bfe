// SPDX-License-Identifier: MIT
// Chains on all cores at the same time: see neighbours.comp.
#include "bench/prelude/prelude.clh"

#include "bench/prelude/permute.clh"

#include "bench/map/map_kernels.h"

#define PARAM(name) uint name;
struct params {
    NEIGHBOURS_PARAMS(PARAM)
};
#undef PARAM

// The node that this thread reaches 8 iterations of its loop after node k; k itself if there is no
// such node.
#define TURNS_AHEAD(k) ((k) + 8 * WORKGROUP_X < p.nodes ? (k) + 8 * WORKGROUP_X : (k))

#define HOP    link = load_u32(words + link);
#define HOPS_8 HOP HOP HOP HOP HOP HOP HOP HOP

KERNEL void KERNEL_NAME(__global uint *words, __global uint *result, const struct params p)
{
    const uint base = group_x() * p.nodes * p.pitch_words;
    for (uint k = local_x(); k < p.nodes; k += WORKGROUP_X) {
        const uint next = k + 1 < p.nodes ? k + 1 : 0;
        WILL_STORE(words + base + permute(TURNS_AHEAD(k), p.nodes, p.key) * p.pitch_words);
        words[base + permute(k, p.nodes, p.key) * p.pitch_words] =
            base + permute(next, p.nodes, p.key) * p.pitch_words;
    }
    workgroup_barrier();
    uint sum = 0;
    for (uint k = local_x(); k < p.nodes; k += WORKGROUP_X) {
        WILL_LOAD(words + base + permute(TURNS_AHEAD(k), p.nodes, p.key) * p.pitch_words);
        sum ^= load_u32(words + base + permute(k, p.nodes, p.key) * p.pitch_words);
    }
    __global uint *mine = result + group_x() * NEIGHBOURS_WORDS;
    if (sum == p.never)
        mine[NEIGHBOURS_LINK] = sum;
    workgroup_barrier();
    if (local_x() != 0)
        return;
    uint link = base + permute(0, p.nodes, p.key) * p.pitch_words;
    NOT_UNROLLED
    for (uint i = 0; i < p.lead; i++) {
        HOPS_8
    }
    const uint begin = clock_core_after(link, p.never).x;
    NOT_UNROLLED
    for (uint i = 0; i < p.turns; i++) {
        HOPS_8
    }
    const uint end = clock_core_after(link, p.never).x;
    NOT_UNROLLED
    for (uint i = 0; i < p.tail; i++) {
        HOPS_8
    }
    mine[NEIGHBOURS_LINK] = link;
    mine[NEIGHBOURS_BEGIN] = begin;
    mine[NEIGHBOURS_END] = end;
    mine[NEIGHBOURS_CORE] = core_id();
    mine[NEIGHBOURS_DONE] = p.token;
}
