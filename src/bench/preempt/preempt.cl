// SPDX-License-Identifier: MIT
// Does the same as preempt.comp with work.glsl, which describe it.
//
// -DDEVICE_CLOCK=1, -DCORE_ID=1
#include "bench/prelude/prelude.clh"

#include "bench/preempt/preempt.h"

struct params {
#define X(name) uint name;
    PREEMPT_PARAMS(X)
#undef X
};

KERNEL void KERNEL_NAME(__global uint *records, const struct params p)
{
    const uint2 start = clock_device();
    const uint group = p.first_group + group_x();
    uint x = p.token * 0x9e3779b9u + group * PREEMPT_WORKGROUP + local_x();
    x |= x == 0;
    uint last = start.x, pause = 0;
    for (uint turn = 0; turn < p.turns; turn++) {
#pragma unroll
        for (uint round = 0; round < PREEMPT_ROUNDS; round++) {
            x ^= x << 13;
            x ^= x >> 17;
            x ^= x << 5;
        }
        const uint now = clock_device().x;
        pause = now - last > pause ? now - last : pause;
        last = now + (x & p.zero);
    }
    workgroup_barrier();
    const uint2 end = clock_device();
    if (local_x() != 0 || group % p.stride != 0)
        return;
    __global uint *record =
        records + (p.first_record + group / p.stride) * PREEMPT_RECORD_WORDS;
    record[PREEMPT_RECORD_START] = start.x;
    record[PREEMPT_RECORD_START + 1] = start.y;
    record[PREEMPT_RECORD_END] = end.x;
    record[PREEMPT_RECORD_END + 1] = end.y;
    record[PREEMPT_RECORD_GROUP] = group;
    record[PREEMPT_RECORD_CORE] = core_id();
    record[PREEMPT_RECORD_TOKEN] = p.token;
    record[PREEMPT_RECORD_PAUSE] = pause;
    record[PREEMPT_RECORD_WORD] = x;
}
