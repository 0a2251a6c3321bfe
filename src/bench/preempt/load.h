// SPDX-License-Identifier: MIT
// A load: work of a given shape that is submitted again and again, and the records that its
// workgroups leave. The hog is a load, and the victim is one.
//
// Submission i writes its records to slot i of a buffer, so that the host reads nothing while the
// load runs.
#ifndef BENCH_PREEMPT_LOAD_H
#define BENCH_PREEMPT_LOAD_H

#include "bench/bench.h"
#include "gpu/graphics.h"
#include "measure/clock.h"

// One submission.
struct load_shape {
    uint32_t dispatches; // one after another
    uint32_t groups;     // workgroups of each dispatch
    uint32_t iterations; // of the work loop of each workgroup
    uint32_t ahead;      // submissions in flight at once, at most LOAD_BATCHES_MAX
    bool draws; // draws instead of dispatches; `groups` is then a multiple of LOAD_DRAW_GROUPS
};

enum {
    LOAD_BATCHES_MAX = 4,
    LOAD_DRAW_GROUPS = 64
};

// The record of a workgroup. Times are in ns since a point in time that all loads of a visit share.
struct load_group {
    double start_ns, end_ns, pause_ns;
    uint32_t core; // UINT32_MAX: not known
};

// One submission, from the first start to the last end of the workgroups that left records.
struct load_run {
    double start_ns, end_ns;
    double pause_ns; // the longest of its groups
    struct load_group *groups;
    size_t group_count;
};

// Adds a group to run->groups, which has room for it, and updates the run's times.
void load_run_add(struct load_run *run, struct load_group group);

struct load_desc {
    struct gpu_scope *scope;
    struct gpu_queue *queue;
    struct gpu_program *program;
    struct load_shape shape;
    uint32_t slots;   // submissions whose records are kept
    uint32_t records; // of a submission, at most
    uint64_t timeout_ns;
};

struct load {
    struct load_desc desc;
    struct gpu_target *target; // of draws
    struct gpu_draw_program *draw_program;
    struct gpu_buffer *records;
    struct gpu_batch *batches[LOAD_BATCHES_MAX];
    bool in_flight[LOAD_BATCHES_MAX];
    uint32_t stride, kept;        // every stride-th group leaves a record; records of a submission
    uint32_t submitted, finished; // submissions since load_restart; they finish in order
    uint32_t first_token;
    bool prepared; // the next submission is recorded
};

// The program that loads dispatch; it reads core ids where the device has them. NULL with `err`.
struct gpu_program *load_program(struct measure_programs *programs, struct error *err);

// ERROR_UNSUPPORTED if the shape draws and the device has no graphics.
MUST_CHECK bool load_init(struct load *load, const struct load_desc *desc, struct error *err);

// Forgets all submissions: the next one is slot 0 and carries `token`, the one after it token + 1.
void load_restart(struct load *load, uint32_t token);

// Records the next submission now; load_submit then only submits it.
MUST_CHECK bool load_prepare(struct load *load, struct error *err);

// Submits once more. ERROR_INTERNAL if no batch or no slot is free.
MUST_CHECK bool load_submit(struct load *load, struct error *err);

// Waits up to `wait_ns` for the oldest submission and counts all that are done. With `more`, it
// then submits until `ahead` submissions are in flight or the slots are used up.
MUST_CHECK bool load_feed(struct load *load, uint64_t wait_ns, bool more, struct error *err);

// Waits for all submissions.
MUST_CHECK bool load_drain(struct load *load, struct error *err);

// Reads the records of all submissions, checks them (ERROR_MISMATCH) and returns one run each, in
// `arena`. Times count from clock value *base; where *base is 0 it is set to the first start.
MUST_CHECK bool load_read(const struct load *load, const struct measure_clock *clock,
                          uint64_t *base, struct arena *arena, struct load_run **runs,
                          struct error *err);

#endif
