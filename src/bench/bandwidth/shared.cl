// SPDX-License-Identifier: MIT
// Reads shared memory. The workgroup fills its array with the data of a seed. Then each row of
// threads (bandwidth.h) walks through the array in laps, as in read.cl.
//
// -DBYTES=4|8|16: bytes per load  -DLOADS=…: loads in flight
#define DOUBLE 0
#include "bench/prelude/prelude.clh"

#include "bench/bandwidth/bandwidth.h"
#include "bench/bandwidth/data.clh"
#include "bench/bandwidth/element.clh"
#include "bench/bandwidth/walk.clh"
#define WORDS_SLOTS BANDWIDTH_SLOTS
#include "bench/prelude/words.clh"

KERNEL void KERNEL_NAME(__global uint *words, const struct params p)
{
    WORDS_SHARED
    __local ELEMENT pool[BANDWIDTH_SHARED_BYTES / BYTES];
    const uint group = walk_group();
    if (group >= p.groups)
        return;
    for (uint e = local_index(); e < BANDWIDTH_SHARED_BYTES / 16; e += WORKGROUP_X)
        ((__local uint4 *)pool)[e] = data_words(e, p.seed);
    workgroup_barrier();
    uint at = walk_enter(p, group);
    SUM sum = (SUM)(0);
    NOT_UNROLLED
    for (uint i = 0; i < p.steps; i++) {
        const __local ELEMENT *from = pool + (at * (LOADS * BANDWIDTH_LANES) + walk_lane());
        ELEMENT values[LOADS];
#pragma unroll
        for (int k = 0; k < LOADS; k++)
            values[k] = from[k * BANDWIDTH_LANES];
#pragma unroll
        for (int k = 0; k < LOADS; k++)
            sum += AS_SUM(values[k]);
        at = walk_on(p, at);
    }
    WORDS_ADD_SUM(words, group, FOLD(sum));
}
