// SPDX-License-Identifier: MIT
// The chase, as in latency.comp: one workgroup warms the caches with all its threads; then its
// first subgroup follows the chain and times windows of hops with the core's own counter. METHOD.md
// gives the reasons. The kernel is a single function, because in OpenCL C only the kernel itself
// can declare shared memory and images.
#include "bench/prelude/prelude.clh"

#include "bench/latency/order.clh"

#include "bench/latency/paths.clh"

#if defined(PATH_CONTROL)
// This loop does only the index arithmetic of hops: a shift and an addition each. Every second hop
// is an xor with a parameter instead, so that the compiler cannot combine hops. See latency.comp.
#define HOPS_2                                                                                     \
    link += link << CONTROL_SHIFT;                                                                 \
    link ^= p->key;                                                                                \
    COMPUTES(8);
#define HOPS_8      HOPS_2 HOPS_2 HOPS_2 HOPS_2
#define HOPS_32     HOPS_8 HOPS_8 HOPS_8 HOPS_8
#define HOPS_A_LOOP LATENCY_CONTROL_UNROLL
#define HOPS        HOPS_32 HOPS_32 HOPS_32 HOPS_32
#else
#define HOP    link = FOLLOW(link);
#define HOPS_8 HOP HOP HOP HOP HOP HOP HOP HOP
#if defined(PATH_IMAGE) || defined(PATH_TEXEL)
// The latency of image and texel loads hides the instructions of the loop itself, so 8 hops per
// iteration are enough. That keeps the code small on software GPUs.
#define HOPS_A_LOOP 8
#define HOPS        HOPS_8
#else
#define HOPS_A_LOOP 32
#define HOPS        HOPS_8 HOPS_8 HOPS_8 HOPS_8
#endif
#endif

// Reads the core's counter after `value` has arrived. With -DUNIFORM all lanes chase, and the
// compiler must see that the result is the same in all lanes.
#if defined(UNIFORM)
#define STAMP_AFTER(value) subgroup_first(clock_core_after(value, p->never).x)
#else
#define STAMP_AFTER(value) clock_core_after(value, p->never).x
#endif

KERNEL void KERNEL_NAME(REGION __global uint *result, const struct params params)
{
    const struct params *p = &params;
#if defined(PATH_SHARED)
    __local uint words[SHARED_BYTES / 4];
    for (uint k = local_x(); k < p->nodes; k += WORKGROUP_X)
        words[place_word(p, chain_place(p, k))] = LINK_AT(chain_place(p, chain_hop(p, k, 1)));
    workgroup_barrier();
#endif
#if defined(PATH_CONTROL)
    LINK link = p->start;
#else
    // Warm-up: reads `touch` blocks, one in each page; then, in the order of the chain, the links
    // of the `warm` hops before the chase's first hop. Each thread has four loads in flight.
    uint sum = 0;
    for (uint i = local_x(); i < p->touch; i += WORKGROUP_X) {
        const LINK seen = LINK_AT((uint2)(i * p->touch_step, 0));
        sum ^= LINK_WORD(FOLLOW(seen));
    }
    const uint first = chain_hop(p, p->start, p->nodes - p->warm);
    for (uint i = WARM_FIRST(p->warm); WARM_GOES_ON(i, p->warm); i += WARM_STEP) {
        LINK links[4];
#pragma unroll
        for (uint j = 0; j < 4; j++) {
            const uint k = i + j * (WARM_STEP / 4);
            links[j] = LINK_AT(chain_place(p, chain_hop(p, first, k < p->warm ? k : p->warm - 1)));
            AHEAD(LINK_AT(chain_place(p, chain_hop(p, first, WARM_AHEAD(k, p->warm)))));
        }
#pragma unroll
        for (uint j = 0; j < 4; j++)
            links[j] = WARM(links[j]);
#pragma unroll
        for (uint j = 0; j < 4; j++)
            sum ^= LINK_WORD(links[j]);
    }
    if (sum == p->never)
        result[LATENCY_OUT_WARM] = sum;
    workgroup_barrier();
    LINK link = LINK_AT(chain_place(p, p->start));
#endif
    if (subgroup_id() != 0)
        return;
    const uint lane = subgroup_lane();
#if !defined(UNIFORM)
    link = LINK_ADD(link, local_x() * p->zero);
#endif

    uint length = 0, last_stamp = 0, count = 0, mine = 0;
    uint2 device_begin = (uint2)(0, 0);
    // Iteration 0 of this loop is not timed; iteration n times window n − 1.
    NOT_UNROLLED
    for (uint turn = 0; turn <= p->windows; turn++) {
        if (turn == 1) {
            device_begin = clock_device();
            last_stamp = STAMP_AFTER(device_begin.x);
            count = 0;
        }
        if (CHASERS) {
            // Data dependencies force this order: read the counter, do all loads of the window,
            // read the counter again.
            const uint begin = STAMP_AFTER(LINK_WORD(link));
            const uint loops = (turn == 0 ? p->lead : p->repeats) * LATENCY_UNROLL / HOPS_A_LOOP;
            link = LINK_ADD(link, begin & p->zero);
            NOT_UNROLLED
            for (uint i = 0; i < loops; i++) {
                HOPS
            }
            const uint end = STAMP_AFTER(LINK_WORD(link));
            length = (end - begin) & p->mask;
            count += (end - last_stamp) & p->mask;
            last_stamp = end;
        }
        if (turn == 0)
            continue;
        // Each lane keeps the length of one window in a register. All lanes write their lengths to
        // memory together, after a window has ended and before the next one begins.
        length = subgroup_first(length);
        const uint window = turn - 1, column = window % subgroup_threads();
        if (lane == column)
            mine = length;
        if ((column == subgroup_threads() - 1 || turn == p->windows) && lane <= column)
            result[LATENCY_OUT_WINDOWS + window - column + lane] = mine;
    }
    // As before the windows, the core's counter is read right after the device's clock. So both
    // measure equally long intervals: the time that a reading takes cancels out.
    const uint2 device_end = clock_device();
    count += (STAMP_AFTER(device_end.x) - last_stamp) & p->mask;

    if (lane == 0) {
        const uint2 end = LINK_WORDS(link);
        result[LATENCY_OUT_LINK] = end.x;
        result[LATENCY_OUT_LINK + 1] = end.y;
        result[LATENCY_OUT_DEVICE] = device_begin.x;
        result[LATENCY_OUT_DEVICE + 1] = device_begin.y;
        result[LATENCY_OUT_DEVICE + 2] = device_end.x;
        result[LATENCY_OUT_DEVICE + 3] = device_end.y;
        result[LATENCY_OUT_COUNT] = count;
        memory_fence();
        result[LATENCY_OUT_DONE] = p->token;
    }
}
