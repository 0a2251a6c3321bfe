// SPDX-License-Identifier: MIT
#include "bench/overlap/record.h"

#include "bench/overlap/draw.h"
#include "bench/overlap/overlap.h"
#include "bench/overlap/segment.h"
#include "gpu/graphics.h"

#define BIT(workload) (UINT32_C(1) << (workload))

enum {
    GROUPS_A_BLOCK = OVERLAP_BLOCK_THREADS / OVERLAP_WORKGROUP
};

struct overlap_params {
#define X(name) uint32_t name;
    OVERLAP_PARAMS(X)
#undef X
};

// Of one queue while it is recorded, segment by segment.
struct recording {
    struct overlap_stage *stage;
    const struct overlap_segment *segment;
    uint32_t which;
    uint32_t unordered; // workloads of the queue since the last barrier
    uint32_t set;       // split barriers that stand and were not waited for: of these workloads
};

static bool is_alone(uint32_t which)
{
    return (which & (which - 1)) == 0;
}

uint32_t overlap_record_reads(const struct overlap_stage *stage, uint32_t which, size_t w)
{
    if (is_alone(which) || stage->barrier == OVERLAP_BARRIER_EXECUTION ||
        stage->barrier == OVERLAP_BARRIER_IMAGE)
        return 0;
    uint32_t reads = stage->scenario->workloads[w].after & which;
    // A barrier of a draw's colours shows nothing else that it wrote.
    for (size_t p = 0; p < w && stage->barrier == OVERLAP_BARRIER_TARGET; p++)
        if (stage->scenario->workloads[p].draw)
            reads &= ~BIT(p);
    return reads;
}

static void record_workload(const struct recording *recording, size_t w)
{
    const struct overlap_stage *stage = recording->stage;
    const struct overlap_workload *workload = &stage->scenario->workloads[w];
    uint32_t groups = workload->blocks * GROUPS_A_BLOCK;
    uint32_t parts = workload->draw ? workload->blocks * OVERLAP_BLOCK_THREADS : groups;
    const struct overlap_params params = {
        .token = stage->token,
        .workload = (uint32_t)w,
        .after = overlap_record_reads(stage, recording->which, w),
        .stride = stage->stride,
        .first_record = stage->first_record[w],
        .iterations = workload->iterations,
        .turns = overlap_stage_turns(stage, w),
        .marked = stage->marked,
        .parts = parts,
        .count = stage->markers.frames * parts,
    };
    if (workload->draw) {
        overlap_draw_record(stage, recording->segment->batch, w, &params, sizeof params);
        return;
    }
    const struct gpu_dispatch dispatch = {
        .program = stage->session->program,
        .groups = {groups},
        .args = {{.buffer = stage->results},
                 {.buffer = stage->records},
                 {.buffer = stage->markers.counters},
                 {.buffer = stage->markers.words}},
        .params = &params,
        .params_bytes = sizeof params,
    };
    gpu_batch_dispatch(recording->segment->batch, &dispatch);
}

// By a later workload of the same queue, ordered by a barrier and not by a semaphore.
static bool is_waited_for(const struct recording *recording, size_t w, uint32_t among)
{
    const struct overlap_stage *stage = recording->stage;
    for (size_t later = w + 1; later < stage->scenario->count; later++)
        if (among & BIT(later) && stage->scenario->workloads[later].after & BIT(w) &&
            overlap_stage_queue(stage, later) == recording->segment->queue &&
            !overlap_segments_meet(stage, recording->which, w, later))
            return true;
    return false;
}

// Of the draws among these workloads; a dispatch among them has a buffer's barrier. Only what was
// drawn into these targets is ordered.
static void record_target_barriers(struct recording *recording, uint32_t workloads)
{
    const struct overlap_stage *stage = recording->stage;
    for (size_t w = 0; w < stage->scenario->count; w++) {
        if (!(workloads & recording->unordered & BIT(w)))
            continue;
        if (stage->scenario->workloads[w].draw) {
            gpu_batch_barrier_target(recording->segment->batch, stage->targets[w]);
            recording->unordered &= ~BIT(w);
        } else {
            gpu_batch_barrier_buffer(recording->segment->batch, stage->results);
            recording->unordered = 0;
        }
    }
}

// Before what waits for these workloads. A barrier orders all before it: none is needed where one
// stands between two workloads already.
static void record_barrier(struct recording *recording, uint32_t workloads)
{
    switch (recording->stage->barrier) {
    case OVERLAP_BARRIER_IMAGE:
        gpu_batch_barrier_image(recording->segment->batch, recording->stage->image);
        break;
    case OVERLAP_BARRIER_EXECUTION:
        gpu_batch_barrier(recording->segment->batch, GPU_BARRIER_EXECUTION);
        break;
    case OVERLAP_BARRIER_SPLIT: // one that was set in another segment cannot be waited for here
    case OVERLAP_BARRIER_MEMORY:
        gpu_batch_barrier(recording->segment->batch, GPU_BARRIER_MEMORY);
        break;
    case OVERLAP_BARRIER_BUFFER:
        gpu_batch_barrier_buffer(recording->segment->batch, recording->stage->results);
        break;
    case OVERLAP_BARRIER_FULL:
        gpu_batch_barrier(recording->segment->batch, GPU_BARRIER_FULL);
        break;
    case OVERLAP_BARRIER_TARGET:
        record_target_barriers(recording, workloads);
        return;
    case OVERLAP_BARRIER_NONE:
    case OVERLAP_BARRIER_SEMAPHORE:
    case OVERLAP_BARRIER_COUNT:
        break;
    }
    recording->unordered = 0;
}

// What workload `w` must wait for, right before it.
static void record_waits(struct recording *recording, size_t w)
{
    uint32_t after = recording->stage->scenario->workloads[w].after;
    for (size_t p = 0; p < w; p++) {
        if (after & BIT(p) && overlap_segments_meet(recording->stage, recording->which, p, w))
            recording->unordered &= ~BIT(p);
        if (after & recording->set & BIT(p)) {
            gpu_batch_split_wait(recording->segment->batch, (unsigned)p);
            recording->set &= ~BIT(p);
            recording->unordered &= ~BIT(p);
        }
    }
    if (after & recording->unordered)
        record_barrier(recording, after);
}

// What others need of workload `w`, right after it.
static void record_signals(struct recording *recording, size_t w)
{
    recording->unordered |= BIT(w);
    if (recording->stage->barrier == OVERLAP_BARRIER_SPLIT) {
        if (is_waited_for(recording, w, recording->segment->workloads)) {
            gpu_batch_split_set(recording->segment->batch, (unsigned)w);
            recording->set |= BIT(w);
        }
    } else if (recording->stage->barrier_first && is_waited_for(recording, w, recording->which)) {
        record_barrier(recording, BIT(w));
    }
}

static bool record_segment(struct recording *recording, struct error *err)
{
    if (!gpu_batch_reset(recording->segment->batch, err))
        return false;
    recording->set = 0;
    for (size_t w = 0; w < recording->stage->scenario->count; w++) {
        if (!(recording->segment->workloads & BIT(w)))
            continue;
        record_waits(recording, w);
        record_workload(recording, w);
        record_signals(recording, w);
    }
    return gpu_batch_end(recording->segment->batch, err);
}

// Batch number `i` of a queue, made when it is first needed.
static struct gpu_batch *batch_of(struct overlap_stage *stage, unsigned queue, size_t i,
                                  struct error *err)
{
    const struct gpu_batch_desc desc = {
        .queue = stage->session->queues[queue],
        .unordered = true,
        .draws = queue == OVERLAP_DIRECT && overlap_draw_any(stage->scenario),
        .split_count =
            stage->barrier == OVERLAP_BARRIER_SPLIT ? (unsigned)stage->scenario->count : 0};
    struct gpu_batch **batch = &stage->batches[queue][i];
    if (!*batch)
        *batch = gpu_batch_create(stage->scope, &desc, err);
    return *batch;
}

bool overlap_record(struct overlap_stage *stage, uint32_t which, struct error *err)
{
    struct recording queues[OVERLAP_QUEUES_MAX];
    size_t used[OVERLAP_QUEUES_MAX] = {0};
    for (unsigned q = 0; q < OVERLAP_QUEUES_MAX; q++)
        queues[q] = (struct recording){.stage = stage, .which = which};
    overlap_segments_cut(stage, which);
    for (size_t s = 0; s < stage->segment_count; s++) {
        struct overlap_segment *segment = &stage->segments[s];
        struct recording *recording = &queues[segment->queue];
        segment->batch = batch_of(stage, segment->queue, used[segment->queue]++, err);
        recording->segment = segment;
        if (!segment->batch || !record_segment(recording, err))
            return false;
    }
    return true;
}
