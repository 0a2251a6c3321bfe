// SPDX-License-Identifier: MIT
#version 460
// Builds a chain. Each thread writes one node: where hop k loads, it writes the link to the place
// where hop k + 1 loads. Links are addresses with -DPOINTER, coordinates of texels with -DIMAGE,
// else indices.
#define WRITES
#include "bench/prelude/kernel.glsl"

#include "bench/latency/latency.h"
#include "bench/latency/params.glsl"

#include "bench/latency/order.glsl"

#if !defined(POINTER)
layout(set = 0, binding = 0, std430) writeonly buffer Region
{
    uint words[];
};
#endif

void main()
{
    const uint k = params.start + gl_GlobalInvocationID.x;
    if (k >= params.nodes)
        return;
    const uvec2 here = chain_place(k), next = chain_place(chain_hop(k, 1u));
#if defined(POINTER)
    Link(place_address(here)).next = place_address(next);
#elif defined(IMAGE)
    const uvec2 at = place_texel(here), to = place_texel(next);
    const uint word = 2u * (at.y * params.image_columns * LATENCY_IMAGE_SIDE + at.x);
    words[word] = to.x;
    words[word + 1u] = to.y;
#else
    words[place_word(here)] = place_word(next) >> params.link_shift;
#endif
}
