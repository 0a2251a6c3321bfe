// SPDX-License-Identifier: MIT
// Does the same as occupancy.comp, which describes it.
//
// -DVALUES=…, -DDEVICE_CLOCK=1, -DCORE_ID=1; with shared memory also -DCHOSEN_SHARED=1
#include "bench/prelude/prelude.clh"

#include "bench/occupancy/occupancy.h"

struct params {
#define X(name) uint name;
    OCCUPANCY_PARAMS(X)
#undef X
};

#define LOAD(i) x[i] = load_u32(data + (i) * OCCUPANCY_LANES + lane);
#define STEP(i) x[i] = x[i] * OCCUPANCY_FACTOR + x[((i) + 1) % VALUES];
#define ADD(i)  sum += x[i];
#define MIX                                                                                        \
    NOT_UNROLLED for (uint turn = 0; turn < p.turns; turn++)                                       \
    {                                                                                              \
        EACH_VALUE(STEP)                                                                           \
    }

// Makes the workgroup stay on its core: the first thread reads the clock until p.hold ticks have
// passed since `start`, but at most p.polls times. The other threads wait for it at a barrier.
INLINE void stay(uint start, const struct params p)
{
    if (local_x() == 0)
        for (uint poll = 0; poll < p.polls && clock_device().x - start < p.hold; poll++)
            continue;
    workgroup_barrier();
}

KERNEL void KERNEL_NAME(__global const uint *data, __global uint *results, __global uint *records,
                        const struct params p)
{
    const uint2 start = clock_device();
    const uint lane = local_x() % OCCUPANCY_LANES;
    uint x[VALUES];
    EACH_VALUE(LOAD)
    MIX
#if defined(CHOSEN_SHARED)
    CHOSEN_SHARED_WORDS(block);
    NOT_UNROLLED for (uint i = local_x(); i < p.shared_words; i += WORKGROUP_X)
        block[i] = i * OCCUPANCY_SHARED_FACTOR + p.token;
#endif
    stay(start.x, p);
    MIX
    uint sum = 0;
    EACH_VALUE(ADD)
#if defined(CHOSEN_SHARED)
    NOT_UNROLLED for (uint i = local_x(); i < p.shared_words; i += WORKGROUP_X)
        sum += block[(i + p.shift) % p.shared_words];
#endif
    results[group_x() * WORKGROUP_X + local_x()] = sum;

    workgroup_barrier();
    const uint2 end = clock_device();
    if (local_x() != 0)
        return;
    __global uint *record = records + group_x() * OCCUPANCY_RECORD_WORDS;
    record[OCCUPANCY_RECORD_START] = start.x;
    record[OCCUPANCY_RECORD_START + 1] = start.y;
    record[OCCUPANCY_RECORD_END] = end.x;
    record[OCCUPANCY_RECORD_END + 1] = end.y;
    record[OCCUPANCY_RECORD_CORE] = core_id();
    record[OCCUPANCY_RECORD_TOKEN] = p.token + group_x();
}
