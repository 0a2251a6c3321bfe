// SPDX-License-Identifier: MIT
// Records the submissions of a frame, with barriers between the workloads of each submission.
#include "bench/overlap/frame.h"
#include "bench/overlap/overlap.h"

#include <string.h>

#define BIT(workload) (UINT32_C(1) << (workload))

enum {
    GROUPS_A_BLOCK = OVERLAP_BLOCK_THREADS / OVERLAP_WORKGROUP,
    NOWHERE = -1
};

struct overlap_params {
#define X(name) uint32_t name;
    OVERLAP_PARAMS(X)
#undef X
};

// The state while the segments of one queue are recorded, one after another.
struct recording {
    struct overlap_stage *stage;
    const struct overlap_segment *segment;
    uint32_t which; // bit w is set if workload w is in the frame
    // Bit w is set if workload w of this queue is recorded, but neither a barrier after it nor a
    // wait for it.
    uint32_t unordered;
    // Bit w is set if only the first half of a split barrier after workload w is recorded.
    uint32_t set;
};

// ---------------------------------------------------------------- segments

// True if both workloads are in the bit set `which`, and `later` waits for `earlier` by semaphore.
static bool is_semaphore(const struct overlap_stage *stage, uint32_t which, size_t earlier,
                         size_t later)
{
    return which & BIT(later) && stage->scenario->workloads[later].after & which & BIT(earlier) &&
           (stage->barrier == OVERLAP_BARRIER_SEMAPHORE ||
            stage->scenario->workloads[earlier].queue != stage->scenario->workloads[later].queue);
}

// Returns the bit set of the segments for which `w` waits by semaphore. Of each queue, it has only
// the newest segment.
static uint32_t after_of(const struct overlap_stage *stage, uint32_t which, size_t w)
{
    int newest[OVERLAP_QUEUES_MAX] = {NOWHERE, NOWHERE};
    uint32_t after = 0;
    for (size_t s = 0; s < stage->segment_count; s++)
        for (size_t p = 0; p < w; p++)
            if (stage->segments[s].workloads & BIT(p) && is_semaphore(stage, which, p, w))
                newest[stage->segments[s].queue] = (int)s;
    for (unsigned q = 0; q < OVERLAP_QUEUES_MAX; q++)
        if (newest[q] != NOWHERE)
            after |= BIT(newest[q]);
    return after;
}

// True if a later workload waits for `w` by semaphore, so that the segment must end after `w`.
static bool ends_segment(const struct overlap_stage *stage, uint32_t which, size_t w)
{
    for (size_t later = w + 1; later < stage->scenario->count; later++)
        if (is_semaphore(stage, which, w, later))
            return true;
    return false;
}

void overlap_segments_cut(struct overlap_stage *stage, uint32_t which)
{
    int open[OVERLAP_QUEUES_MAX] = {NOWHERE, NOWHERE};
    stage->segment_count = 0;
    for (size_t w = 0; w < stage->scenario->count; w++) {
        if (!(which & BIT(w)))
            continue;
        unsigned queue = stage->scenario->workloads[w].queue;
        uint32_t after = after_of(stage, which, w);
        if (open[queue] == NOWHERE || after) {
            open[queue] = (int)stage->segment_count++;
            stage->segments[open[queue]] = (struct overlap_segment){.queue = queue, .after = after};
        }
        stage->segments[open[queue]].workloads |= BIT(w);
        if (ends_segment(stage, which, w))
            open[queue] = NOWHERE;
    }
}

// ---------------------------------------------------------------- workloads

uint32_t overlap_record_reads(const struct overlap_stage *stage, uint32_t which, size_t w)
{
    bool alone = (which & (which - 1)) == 0;
    if (alone || stage->barrier == OVERLAP_BARRIER_EXECUTION ||
        stage->barrier == OVERLAP_BARRIER_IMAGE)
        return 0;
    uint32_t reads = stage->scenario->workloads[w].after & which;
    // OVERLAP_BARRIER_TARGET makes a draw's colours visible, not the words that it wrote. So no
    // workload reads these words.
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
        .turns = stage->repeats[workload->draw],
        .marked = stage->marked,
        .parts = parts,
        .count = stage->markers.frames * parts,
    };
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
    if (!workload->draw) {
        gpu_batch_dispatch(recording->segment->batch, &dispatch);
        return;
    }
    struct gpu_draw draw = {.program = stage->session->draw_program,
                            .target = stage->targets[w],
                            .vertices = 3,
                            .load = GPU_LOAD_DISCARD,
                            .params = &params,
                            .params_bytes = sizeof params};
    memcpy(draw.args, dispatch.args, sizeof draw.args);
    gpu_batch_draw(recording->segment->batch, &draw);
}

// ---------------------------------------------------------------- barriers

// True if a later workload of the same queue in `among` waits for `w` by a barrier.
static bool is_waited_for(const struct recording *recording, size_t w, uint32_t among)
{
    const struct overlap_stage *stage = recording->stage;
    for (size_t later = w + 1; later < stage->scenario->count; later++)
        if (among & BIT(later) && stage->scenario->workloads[later].after & BIT(w) &&
            stage->scenario->workloads[later].queue == recording->segment->queue &&
            !is_semaphore(stage, recording->which, w, later))
            return true;
    return false;
}

// Records a barrier for each workload in `workloads` that has no barrier yet. A barrier of a render
// target orders only its draw; a barrier of the buffer of results orders all earlier work.
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

// Records a barrier of the kind stage->barrier. It orders all earlier work, unless it is a barrier
// of a render target.
static void record_barrier(struct recording *recording, uint32_t workloads)
{
    switch (recording->stage->barrier) {
    case OVERLAP_BARRIER_IMAGE:
        gpu_batch_barrier_image(recording->segment->batch, recording->stage->image);
        break;
    case OVERLAP_BARRIER_EXECUTION:
        gpu_batch_barrier(recording->segment->batch, GPU_BARRIER_EXECUTION);
        break;
    // A split barrier works only within a segment. Between segments, a memory barrier replaces it.
    case OVERLAP_BARRIER_SPLIT:
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
        break;
    }
    recording->unordered = 0;
}

// Records what must come before `w`: second halves of split barriers, and missing barriers.
static void record_waits(struct recording *recording, size_t w)
{
    uint32_t after = recording->stage->scenario->workloads[w].after;
    for (size_t p = 0; p < w; p++) {
        if (after & BIT(p) && is_semaphore(recording->stage, recording->which, p, w))
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

// Records what must come right after `w` if another workload waits for `w`: the first half of a
// split barrier or, with stage->barrier_first, another kind of barrier.
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

static bool has_draws(const struct overlap_scenario *scenario)
{
    for (size_t w = 0; w < scenario->count; w++)
        if (scenario->workloads[w].draw)
            return true;
    return false;
}

// Returns batch number `i` of a queue, or NULL with `err`. The first call creates the batch.
static struct gpu_batch *batch_of(struct overlap_stage *stage, unsigned queue, size_t i,
                                  struct error *err)
{
    const struct gpu_batch_desc desc = {
        .queue = stage->session->queues[queue],
        .unordered = true,
        .draws = queue == OVERLAP_DIRECT && has_draws(stage->scenario),
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
