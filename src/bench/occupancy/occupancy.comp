// SPDX-License-Identifier: MIT
#version 460
// A workgroup that stays on its core for some time. Each thread loads VALUES words, mixes them,
// waits until the workgroup has stayed long enough, and mixes them again. So the core must keep
// these words in registers during the wait, and also the shared memory, which is filled before the
// wait and read after it. The results prove that it did. METHOD.md says how the records are used.
//
// -DVALUES=…, -DSHARED_BYTES=… (0: none), -DDEVICE_CLOCK=1, -DCORE_ID=1
#extension GL_GOOGLE_include_directive : require
#include "bench/prelude/clock.glsl"
#include "bench/prelude/kernel.glsl"

#include "bench/occupancy/occupancy.h"

// The buffer is volatile, so that the compiler keeps its words in registers during the wait and
// does not load them again.
layout(set = 0, binding = 0, std430) readonly volatile buffer Data
{
    uint data[];
};

layout(set = 0, binding = 1, std430) writeonly buffer Results
{
    uint results[];
};

layout(set = 0, binding = 2, std430) writeonly buffer Records
{
    uint records[];
};

layout(push_constant) uniform Params
{
#define X(name) uint name;
    OCCUPANCY_PARAMS(X)
#undef X
} params;

#if SHARED_BYTES
shared uint block[SHARED_BYTES / 4];
#endif

#define LOAD(i) x[i] = data[(i) * OCCUPANCY_LANES + lane];
#define STEP(i) x[i] = x[i] * OCCUPANCY_FACTOR + x[((i) + 1) % VALUES];
#define ADD(i)  sum += x[i];
#define MIX                                                                                        \
    [[dont_unroll]] for (uint turn = 0u; turn < params.turns; turn++) {                            \
        EACH_VALUE(STEP)                                                                           \
    }

// Makes the workgroup stay on its core: the first thread reads the clock until params.hold ticks
// have passed since `start`, but at most params.polls times. The other threads wait for it at a
// barrier.
void stay(uint start)
{
    if (gl_LocalInvocationIndex == 0u)
        for (uint poll = 0u; poll < params.polls && clock_device().x - start < params.hold; poll++)
            continue;
    barrier();
}

void main()
{
    const uvec2 start = clock_device();
    const uint lane = gl_LocalInvocationIndex % OCCUPANCY_LANES;
    uint x[VALUES];
    EACH_VALUE(LOAD)
    MIX
#if SHARED_BYTES
    for (uint i = gl_LocalInvocationIndex; i < params.shared_words; i += WORKGROUP_THREADS)
        block[i] = i * OCCUPANCY_SHARED_FACTOR + params.token;
#endif
    stay(start.x);
    MIX
    uint sum = 0u;
    EACH_VALUE(ADD)
#if SHARED_BYTES
    for (uint i = gl_LocalInvocationIndex; i < params.shared_words; i += WORKGROUP_THREADS)
        sum += block[(i + params.shift) % params.shared_words];
#endif
    results[gl_WorkGroupID.x * WORKGROUP_THREADS + gl_LocalInvocationIndex] = sum;

    barrier();
    const uvec2 end = clock_device();
    if (gl_LocalInvocationIndex != 0u)
        return;
    const uint at = gl_WorkGroupID.x * OCCUPANCY_RECORD_WORDS;
    records[at + OCCUPANCY_RECORD_START] = start.x;
    records[at + OCCUPANCY_RECORD_START + 1u] = start.y;
    records[at + OCCUPANCY_RECORD_END] = end.x;
    records[at + OCCUPANCY_RECORD_END + 1u] = end.y;
    records[at + OCCUPANCY_RECORD_CORE] = core_id();
    records[at + OCCUPANCY_RECORD_TOKEN] = params.token + gl_WorkGroupID.x;
}
