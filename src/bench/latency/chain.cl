// SPDX-License-Identifier: MIT
// Builds a chain. Each thread writes one node: at the place of hop k, the link to the place of hop
// k + 1. Links are addresses with -DPOINTER, coordinates of texels with -DIMAGE, else indices.
#include "bench/prelude/prelude.clh"

#include "bench/latency/order.clh"

#if defined(POINTER)
#define REGION const __global ulong *directory
#else
#define REGION __global uint *words
#endif

// On a simulated device, the host runs the threads one after another. At each hop, it prefetches
// the place of the hop that comes this number of hops later.
#define AHEAD_OF(p) ((p)->nodes < 16u ? 0u : 16u)

KERNEL void KERNEL_NAME(REGION, const struct params params)
{
    const struct params *p = &params;
    const uint k = p->start + global_x();
    if (k >= p->nodes)
        return;
    const uint2 here = chain_place(p, k), next = chain_place(p, chain_hop(p, k, 1));
#if defined(POINTER)
    WILL_STORE(place_address(directory, p, chain_place(p, chain_hop(p, k, AHEAD_OF(p)))));
    *(__global ulong *)place_address(directory, p, here) = place_address(directory, p, next);
#elif defined(IMAGE)
    const uint2 at = place_texel(p, here), to = place_texel(p, next);
    const uint word = 2 * (at.y * p->image_columns * LATENCY_IMAGE_SIDE + at.x);
    words[word] = to.x;
    words[word + 1] = to.y;
#else
    words[place_word(p, here)] = place_word(p, next) >> p->link_shift;
#endif
}
