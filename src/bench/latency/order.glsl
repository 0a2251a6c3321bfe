// SPDX-License-Identifier: MIT
// Where hop k of a chain is: the same formula as latency_place() in case.c.
#include "bench/prelude/permute.glsl"

// Returns where hop k (k < nodes) loads its link: the number of a block, and the offset in bytes in
// that block.
uvec2 chain_place(uint k)
{
    const uint blocks = params.nodes / params.turns;
    const uint turn = k / blocks, i = k - turn * blocks;
    if (params.order == LATENCY_ORDER_PLRU) {
        // In a turn, the chain visits one link in each block. In the next turn, it visits in each
        // block the link that tree-PLRU replacement would choose next.
        const uint slot = bitfieldReverse(0u - turn) >> (32 - findMSB(params.slots));
        return uvec2(i, slot * params.slot_bytes);
    }
    const uint block = permute(i, blocks, params.key);
    if (params.order == LATENCY_ORDER_PAGE) {
        const uint line = (block * params.turns + turn) & (params.slots - 1u);
        return uvec2(block, permute(line, params.slots, ~params.key) * params.slot_bytes);
    }
    return uvec2(block, 0u);
}

// Returns the number of the hop that comes b hops after hop a, for a < nodes and b <= nodes. After
// the last hop the chain begins again with hop 0.
uint chain_hop(uint a, uint b)
{
    return b >= params.nodes - a ? b - (params.nodes - a) : a + b;
}

// Returns the index of the 32-bit word at `place` (block and byte offset) in linear memory.
uint place_word(uvec2 place)
{
    return place.x * (params.block_bytes / 4u) + place.y / 4u;
}

// Returns the coordinates of the first texel of the block in `place`, for a region that is an
// image.
uvec2 place_texel(uvec2 place)
{
    return uvec2(place.x % params.image_columns, place.x / params.image_columns) *
           uint(LATENCY_IMAGE_SIDE);
}

#if defined(POINTER)
uint64_t place_address(uvec2 place)
{
    const uint64_t chunk = Directory(params.directory).chunks[place.x >> params.chunk_shift];
    const uint block = place.x & ((1u << params.chunk_shift) - 1u);
    return chunk + uint64_t(block) * params.block_bytes + place.y;
}
#endif
