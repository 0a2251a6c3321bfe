// SPDX-License-Identifier: MIT
#include "bench/overlap/record.h"

#include "bench/overlap/overlap.h"

#define BIT(workload) (UINT32_C(1) << (workload))

enum {
    GROUPS_A_BLOCK = OVERLAP_BLOCK_THREADS / OVERLAP_WORKGROUP
};

struct overlap_params {
#define X(name) uint32_t name;
    OVERLAP_PARAMS(X)
#undef X
};

// Of one queue while it is recorded.
struct recording {
    struct overlap_stage *stage;
    struct gpu_batch *batch;
    unsigned queue;
    uint32_t which;
    uint32_t unordered; // workloads since the last barrier
    uint32_t set;       // split barriers that stand and were not waited for: of these workloads
};

static bool is_alone(uint32_t which)
{
    return (which & (which - 1)) == 0;
}

uint32_t overlap_record_reads(const struct overlap_stage *stage, uint32_t which, size_t w)
{
    if (is_alone(which) || stage->barrier == OVERLAP_BARRIER_EXECUTION)
        return 0;
    return stage->scenario->workloads[w].after & which;
}

static void record_workload(const struct recording *recording, size_t w)
{
    const struct overlap_stage *stage = recording->stage;
    const struct overlap_workload *workload = &stage->scenario->workloads[w];
    const struct overlap_params params = {
        .token = stage->token,
        .workload = (uint32_t)w,
        .after = overlap_record_reads(stage, recording->which, w),
        .stride = stage->stride,
        .first_record = stage->first_record[w],
        .iterations = workload->iterations,
        .turns = stage->turns,
    };
    const struct gpu_dispatch dispatch = {
        .program = stage->session->program,
        .groups = {workload->blocks * GROUPS_A_BLOCK},
        .args = {{.buffer = stage->results}, {.buffer = stage->records}},
        .params = &params,
        .params_bytes = sizeof params,
    };
    gpu_batch_dispatch(recording->batch, &dispatch);
}

static bool is_here(const struct recording *recording, size_t w)
{
    return recording->which & BIT(w) &&
           overlap_stage_queue(recording->stage, w) == recording->queue;
}

static bool is_waited_for(const struct recording *recording, size_t w)
{
    for (size_t later = w + 1; later < recording->stage->scenario->count; later++)
        if (is_here(recording, later) &&
            recording->stage->scenario->workloads[later].after & BIT(w))
            return true;
    return false;
}

// A barrier orders all before it: none is needed where one stands between two workloads already.
static void record_barrier(struct recording *recording)
{
    switch (recording->stage->barrier) {
    case OVERLAP_BARRIER_EXECUTION:
        gpu_batch_barrier(recording->batch, GPU_BARRIER_EXECUTION);
        break;
    case OVERLAP_BARRIER_MEMORY:
        gpu_batch_barrier(recording->batch, GPU_BARRIER_MEMORY);
        break;
    case OVERLAP_BARRIER_BUFFER:
        gpu_batch_barrier_buffer(recording->batch, recording->stage->results);
        break;
    case OVERLAP_BARRIER_FULL:
        gpu_batch_barrier(recording->batch, GPU_BARRIER_FULL);
        break;
    case OVERLAP_BARRIER_NONE:
    case OVERLAP_BARRIER_SPLIT:
    case OVERLAP_BARRIER_COUNT:
        break;
    }
    recording->unordered = 0;
}

// What workload `w` must wait for, right before it.
static void record_waits(struct recording *recording, size_t w)
{
    uint32_t after = recording->stage->scenario->workloads[w].after;
    for (size_t p = 0; p < w; p++)
        if (after & recording->set & BIT(p)) {
            gpu_batch_split_wait(recording->batch, (unsigned)p);
            recording->set &= ~BIT(p);
        }
    if (recording->stage->barrier != OVERLAP_BARRIER_SPLIT && after & recording->unordered)
        record_barrier(recording);
}

// What others need of workload `w`, right after it.
static void record_signals(struct recording *recording, size_t w)
{
    recording->unordered |= BIT(w);
    if (!is_waited_for(recording, w))
        return;
    if (recording->stage->barrier == OVERLAP_BARRIER_SPLIT) {
        gpu_batch_split_set(recording->batch, (unsigned)w);
        recording->set |= BIT(w);
    } else if (recording->stage->barrier_first) {
        record_barrier(recording);
    }
}

bool overlap_record_queue(struct overlap_stage *stage, unsigned queue, uint32_t which,
                          struct error *err)
{
    struct recording recording = {
        .stage = stage, .batch = stage->batches[queue], .queue = queue, .which = which};
    if (!gpu_batch_reset(recording.batch, err))
        return false;
    for (size_t w = 0; w < stage->scenario->count; w++) {
        if (!is_here(&recording, w))
            continue;
        record_waits(&recording, w);
        record_workload(&recording, w);
        record_signals(&recording, w);
    }
    return gpu_batch_end(recording.batch, err);
}
