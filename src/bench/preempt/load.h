// SPDX-License-Identifier: MIT
// A load: the same work, submitted again and again, and the records that its workgroups leave. Hog,
// victim and application are loads.
//
// Submission i writes its records to slot i of a buffer, so that the host reads nothing while the
// load runs.
#ifndef BENCH_PREEMPT_LOAD_H
#define BENCH_PREEMPT_LOAD_H

#include "bench/bench.h"
#include "gpu/graphics.h"
#include "measure/clock.h"

// The work of one submission.
struct load_work {
    uint32_t dispatches; // number of dispatches, which run one after another
    uint32_t groups;     // workgroups of each dispatch
    uint32_t iterations; // iterations of the work loop in each workgroup
    uint32_t ahead;      // most submissions in flight at once, at most LOAD_BATCHES_MAX
    bool draws; // draws instead of dispatches; `groups` is then a multiple of LOAD_DRAW_GROUPS
};

enum {
    LOAD_BATCHES_MAX = 256,
    LOAD_DRAW_GROUPS = 64
};

// The record of a workgroup. Start and end are in ns since a point in time that all loads of a
// visit share. pause_ns is the longest time between two clock reads of the workgroup's first
// thread, which reads the clock after every iteration of its work loop.
struct load_group {
    double start_ns, end_ns, pause_ns;
    uint32_t core; // UINT32_MAX: not known
};

// One submission, from the first start to the last end of the workgroups that left records.
struct load_run {
    double start_ns, end_ns;
    double pause_ns; // the longest pause of its groups
    struct load_group *groups;
    size_t group_count;
};

// Adds a group to run->groups, which has room for it, and updates the run's times.
void load_run_add(struct load_run *run, struct load_group group);

// Adds `ns` to the start and end times of the run and of its groups.
void load_run_shift(struct load_run *run, double ns);

struct load_desc {
    struct gpu_scope *scope;
    struct gpu_queue *queue;
    struct gpu_program *program;
    struct load_work work;
    uint32_t slots;   // number of submissions until load_restart, each with its own records
    uint32_t records; // most records that one submission leaves
    uint64_t timeout_ns;
};

struct load {
    struct load_desc desc;
    // The target of draws; it and draw_program are NULL if the work has no draws.
    struct gpu_target *target;
    struct gpu_draw_program *draw_program;
    struct gpu_buffer *records;
    struct gpu_batch *batches[LOAD_BATCHES_MAX];
    uint32_t stride, kept; // every stride-th group leaves a record: `kept` per submission
    // Numbers of submissions since load_restart. They are recorded, submitted and finished in
    // order.
    uint32_t recorded, submitted, finished;
    uint32_t first_token;
};

// Returns the program that loads dispatch. It reads core ids if the device has them. NULL with
// `err` if it cannot be created.
struct gpu_program *load_program(struct measure_programs *programs, struct error *err);

// Creates the buffer and the batches in desc->scope. ERROR_UNSUPPORTED if the work draws and the
// device has no graphics.
MUST_CHECK bool load_init(struct load *load, const struct load_desc *desc, struct error *err);

// Forgets all submissions: the next one uses slot 0 and `token`, the one after it slot 1 and
// token + 1.
void load_restart(struct load *load, uint32_t token);

// Records one more submission now, so that load_submit only has to submit it. ERROR_INTERNAL if no
// batch or no slot is free.
MUST_CHECK bool load_prepare(struct load *load, struct error *err);

// Submits the work once more. ERROR_INTERNAL if no batch or no slot is free.
MUST_CHECK bool load_submit(struct load *load, struct error *err);

// Waits up to `wait_ns` for the oldest submission and adds all that are done to load->finished. If
// `more`, it then submits until `ahead` submissions are in flight or all slots are used.
MUST_CHECK bool load_feed(struct load *load, uint64_t wait_ns, bool more, struct error *err);

// Waits until all submissions are done.
MUST_CHECK bool load_drain(struct load *load, struct error *err);

// Reads and checks (ERROR_MISMATCH) the records of all submissions. Sets *runs to an array in
// `arena` with one run per submission. Times count from clock value *base; if *base is 0 and there
// is a submission, *base is first set to the start in the first record.
MUST_CHECK bool load_read(const struct load *load, const struct measure_clock *clock,
                          uint64_t *base, struct arena *arena, struct load_run **runs,
                          struct error *err);

#endif
