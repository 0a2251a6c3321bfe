// SPDX-License-Identifier: MIT
#version 460
// The chase: one workgroup warms the caches with all its threads; then its first subgroup follows
// the chain and times windows of hops with the core's own counter. METHOD.md gives the reasons.
#include "bench/prelude/clock.glsl"
#include "bench/prelude/kernel.glsl"

#include "bench/latency/latency.h"
#include "bench/latency/params.glsl"

#include "bench/latency/order.glsl"
#include "bench/latency/paths.glsl"

layout(set = 0, binding = OUT_BINDING, std430) writeonly buffer Out
{
    uint result[LATENCY_OUT_WORDS];
};

#if defined(PATH_CONTROL)
// This loop does only the index arithmetic of hops, a shift and an addition each, without loads. A
// compiler would combine many hops, so every second hop is an xor with a parameter instead. An
// iteration has more hops than in a chase, because no load's latency hides the instructions of the
// loop itself.
#define HOPS_2 link += link << CONTROL_SHIFT; link ^= params.key;
#define HOPS_8 HOPS_2 HOPS_2 HOPS_2 HOPS_2
#define HOPS_32 HOPS_8 HOPS_8 HOPS_8 HOPS_8
#define HOPS_A_LOOP LATENCY_CONTROL_UNROLL
#define HOPS HOPS_32 HOPS_32 HOPS_32 HOPS_32
#else
#define HOP link = follow(link);
#define HOPS_8 HOP HOP HOP HOP HOP HOP HOP HOP
#if defined(PATH_IMAGE) || defined(PATH_TEXEL)
// The latency of image and texel loads hides the instructions of the loop itself, so 8 hops per
// iteration are enough. That keeps the code small on software GPUs.
#define HOPS_A_LOOP 8
#define HOPS HOPS_8
#else
#define HOPS_A_LOOP 32
#define HOPS HOPS_8 HOPS_8 HOPS_8 HOPS_8
#endif
#endif

LINK chase(LINK link, uint repeats)
{
    const uint loops = repeats * LATENCY_UNROLL / HOPS_A_LOOP;
    [[dont_unroll]] for (uint i = 0u; i < loops; i++) {
        HOPS
    }
    return link;
}

// Reads the core's counter after `value` has arrived.
uint stamp_after(uint value)
{
    const uint stamp = clock_core_after(value, params.never).x;
#if defined(UNIFORM)
    // The broadcast shows compilers that `stamp` is the same in all lanes.
    return subgroupBroadcastFirst(stamp);
#else
    return stamp;
#endif
}

#if !defined(PATH_CONTROL)
// Loads the link at `place` (block and byte offset), so that its cache line is in the caches.
// Returns one word of the link.
uint read_at(uvec2 place)
{
    return link_word(follow(link_at(place)));
}

#if defined(PATH_SHARED)
void build()
{
    for (uint k = gl_LocalInvocationID.x; k < params.nodes; k += WORKGROUP_THREADS)
        words[place_word(chain_place(k))] = link_at(chain_place(chain_hop(k, 1u)));
}
#endif

// First reads `touch` blocks, one in each page. Then reads the links of the `warm` hops before the
// chase's first hop, in the order of the chain; each thread has four of these loads in flight.
void warm()
{
    uint sum = 0u;
    for (uint i = gl_LocalInvocationID.x; i < params.touch; i += WORKGROUP_THREADS)
        sum ^= read_at(uvec2(i * params.touch_step, 0u));
    const uint first = chain_hop(params.start, params.nodes - params.warm);
    for (uint i = gl_LocalInvocationID.x; i < params.warm; i += 4u * WORKGROUP_THREADS) {
        uvec2 places[4];
        [[unroll]] for (uint j = 0u; j < 4u; j++) {
            const uint k = min(i + j * WORKGROUP_THREADS, params.warm - 1u);
            places[j] = chain_place(chain_hop(first, k));
        }
        [[unroll]] for (uint j = 0u; j < 4u; j++)
            sum ^= read_at(places[j]);
    }
    if (sum == params.never)
        result[LATENCY_OUT_WARM] = sum;
}
#endif

void main()
{
#if defined(PATH_SHARED)
    build();
    barrier();
#endif
#if defined(PATH_CONTROL)
    LINK link = params.start;
#else
    warm();
    barrier();
    LINK link = link_at(chain_place(params.start));
#endif
    if (gl_SubgroupID != 0u)
        return;
    const uint lane = gl_SubgroupInvocationID;
#if !defined(UNIFORM)
    link = link_add(link, gl_LocalInvocationID.x * params.zero);
#endif

    uint length = 0u, last_stamp = 0u, count = 0u, mine = 0u;
    uvec2 device_begin = uvec2(0u);
    // Iteration 0 of this loop is not timed; iteration n times window n − 1.
    [[dont_unroll]] for (uint turn = 0u; turn <= params.windows; turn++) {
        if (turn == 1u) {
            device_begin = clock_device();
            last_stamp = stamp_after(device_begin.x);
            count = 0u;
        }
        if (CHASERS) {
            // Data dependencies force this order: read the counter, do all loads of the window,
            // read the counter again.
            const uint begin = stamp_after(link_word(link));
            link = chase(link_add(link, begin & params.zero),
                         turn == 0u ? params.lead : params.repeats);
            const uint end = stamp_after(link_word(link));
            length = (end - begin) & params.mask;
            count += (end - last_stamp) & params.mask;
            last_stamp = end;
        }
        if (turn == 0u)
            continue;
        // Each lane keeps the length of one window in a register. All lanes write their lengths to
        // memory together, after a window has ended and before the next one begins.
        length = subgroupBroadcastFirst(length);
        const uint window = turn - 1u, column = window % gl_SubgroupSize;
        if (lane == column)
            mine = length;
        if ((column == gl_SubgroupSize - 1u || turn == params.windows) && lane <= column)
            result[LATENCY_OUT_WINDOWS + window - column + lane] = mine;
    }
    // As before the windows, the core's counter is read right after the device's clock. So both
    // measure equally long intervals: the time that a reading takes cancels out.
    const uvec2 device_end = clock_device();
    count += (stamp_after(device_end.x) - last_stamp) & params.mask;

    if (lane == 0u) {
        const uvec2 end = link_words(link);
        result[LATENCY_OUT_LINK] = end.x;
        result[LATENCY_OUT_LINK + 1] = end.y;
        result[LATENCY_OUT_DEVICE] = device_begin.x;
        result[LATENCY_OUT_DEVICE + 1] = device_begin.y;
        result[LATENCY_OUT_DEVICE + 2] = device_end.x;
        result[LATENCY_OUT_DEVICE + 3] = device_end.y;
        result[LATENCY_OUT_COUNT] = count;
        memoryBarrierBuffer();
        result[LATENCY_OUT_DONE] = params.token;
    }
}
