// SPDX-License-Identifier: MIT
// Does the same as overlap.comp with mark.glsl and work.glsl, which describe it.
//
// -DDEVICE_CLOCK=1, -DCORE_ID=1
#include "bench/prelude/prelude.clh"

#include "bench/overlap/overlap.h"

struct params {
#define X(name) uint name;
    OVERLAP_PARAMS(X)
#undef X
};

uint first_word(__global const uint *results, uint id, const struct params p)
{
    uint x = p.token * 0x9e3779b9u + p.workload * 0x85ebca6bu + id;
    for (uint before = 0; before < p.workload; before++)
        if (p.after >> before & 1u)
            x += results[before * p.stride + id % OVERLAP_BLOCK_THREADS];
    return x;
}

void mark(__global uint *counters, __global uint *markers, uint place, uint last,
          const struct params p)
{
    const uint at = p.workload * 2 + place;
    if (p.marked == 0 || atomic_add_global(counters + at, 1) != p.count + last)
        return;
    volatile __global uint *marker = markers + at * OVERLAP_MARKER_WORDS;
    const uint2 since = clock_device();
    memory_fence();
    marker[0] = p.token;
    memory_fence();
    const uint2 until = clock_device();
    marker[OVERLAP_MARKER_SINCE] = since.x;
    marker[OVERLAP_MARKER_SINCE + 1] = since.y;
    marker[OVERLAP_MARKER_UNTIL] = until.x;
    marker[OVERLAP_MARKER_UNTIL + 1] = until.y;
}

KERNEL void KERNEL_NAME(__global uint *results, __global uint *records, __global uint *counters,
                        __global uint *markers, const struct params p)
{
    const uint2 start = clock_device();
    if (local_x() == 0)
        mark(counters, markers, 0, 0, p);
    const uint group = group_x();
    const uint id = group * WORKGROUP_X + local_x();
    // The start value of x depends on `start`, so that the work loop cannot begin before the clock
    // was read.
    uint x = first_word(results, id, p) + (start.x & p.zero);
    x |= x == 0;
    for (uint iteration = 0; iteration < p.iterations; iteration++)
        for (uint turn = 0; turn < p.turns; turn++) {
#pragma unroll
            for (uint round = 0; round < OVERLAP_ROUNDS; round++) {
                x ^= x << 13;
                x ^= x >> 17;
                x ^= x << 5;
            }
        }
    results[p.workload * p.stride + id] = x;

    workgroup_barrier();
    const uint2 end = clock_device();
    if (local_x() != 0)
        return;
    mark(counters, markers, 1, p.parts - 1, p);
    __global uint *record = records + (p.first_record + group) * OVERLAP_RECORD_WORDS;
    record[OVERLAP_RECORD_START] = start.x;
    record[OVERLAP_RECORD_START + 1] = start.y;
    record[OVERLAP_RECORD_END] = end.x;
    record[OVERLAP_RECORD_END + 1] = end.y;
    record[OVERLAP_RECORD_GROUP] = group;
    record[OVERLAP_RECORD_CORE] = core_id();
    record[OVERLAP_RECORD_TOKEN] = p.token;
}
