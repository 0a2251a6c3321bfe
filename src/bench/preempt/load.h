// SPDX-License-Identifier: MIT
// A load is work that is submitted again and again, and the records that its workgroups leave. Hog,
// victim and application are loads.
//
// Each submission writes its records to its own slot of a buffer. So the host need not read records
// while the load runs.
#ifndef BENCH_PREEMPT_LOAD_H
#define BENCH_PREEMPT_LOAD_H

#include "bench/bench.h"
#include "gpu/graphics.h"
#include "measure/clock.h"

// The work of one submission.
struct load_work {
    // number of dispatches (if `draws`, of draws); they run one after another
    uint32_t dispatches;
    uint32_t groups;     // number of workgroups in each dispatch
    uint32_t iterations; // number of iterations of the work loop in each workgroup
    uint32_t ahead;      // maximum number of submissions in flight, up to LOAD_BATCHES_MAX
    // True if the work is draws, not dispatches. `groups` is then a multiple of LOAD_DRAW_GROUPS.
    bool draws;
};

enum {
    LOAD_BATCHES_MAX = 256,
    LOAD_DRAW_GROUPS = 64
};

// The record of a workgroup. Start and end are in ns since an instant that all loads of a visit
// share. The workgroup's first thread reads the clock at the start and after every iteration of the
// work loop; pause_ns is the longest time between two successive reads.
struct load_group {
    double start_ns, end_ns, pause_ns;
    uint32_t core; // core that ran the workgroup; UINT32_MAX if not known
};

// A submission that has run. start_ns is the first start and end_ns the last end of the workgroups
// that left records.
struct load_run {
    double start_ns, end_ns;
    double pause_ns; // longest pause, in ns, of any of these workgroups
    struct load_group *groups;
    size_t group_count;
};

// Adds a workgroup to run->groups, which must have room. Updates start_ns, end_ns and pause_ns.
void load_run_add(struct load_run *run, struct load_group group);

// Adds `ns` to the start and end times of the run and of its workgroups.
void load_run_shift(struct load_run *run, double ns);

struct load_desc {
    struct gpu_scope *scope;
    struct gpu_queue *queue;
    struct gpu_program *program;
    struct load_work work;
    // Maximum number of submissions until the next load_restart; each has a slot for its records.
    uint32_t slots;
    uint32_t records; // maximum number of records that one submission leaves
    uint64_t timeout_ns;
};

struct load {
    struct load_desc desc;
    // Render target and program of the draws; both are NULL if the work has no draws.
    struct gpu_target *target;
    struct gpu_draw_program *draw_program;
    struct gpu_buffer *records;
    struct gpu_batch *batches[LOAD_BATCHES_MAX];
    // One of `stride` workgroups leaves a record, so a submission leaves `kept` records.
    uint32_t stride, kept;
    // How many submissions were recorded, submitted and finished since load_restart. Submissions
    // are recorded, submitted and finished in the same order.
    uint32_t recorded, submitted, finished;
    uint32_t first_token;
};

// Returns the program of loads without draws, or NULL with an error. The program records the number
// of the core that runs a workgroup, if the device lets kernels read it.
struct gpu_program *load_program(struct measure_programs *programs, struct error *err);

// Creates the device objects of the load in desc->scope: the buffer for records, the batches and,
// for draws, the render target and the program. Fails with ERROR_UNSUPPORTED if the work draws and
// the device has no graphics.
MUST_CHECK bool load_init(struct load *load, const struct load_desc *desc, struct error *err);

// Makes the load forget its submissions. The next submissions use the slots 0, 1, 2 … and the
// tokens `token`, token + 1, token + 2 …
void load_restart(struct load *load, uint32_t token);

// Records the next submission now, so that load_submit only has to submit it. Fails with
// ERROR_INTERNAL if no batch or no slot is free.
MUST_CHECK bool load_prepare(struct load *load, struct error *err);

// Submits the load's work once. Fails with ERROR_INTERNAL if no batch or no slot is free.
MUST_CHECK bool load_submit(struct load *load, struct error *err);

// Waits at most `wait_ns` for the oldest submission in flight, and updates load->finished, the
// number of submissions that are done. If `more` is true, then submits until desc.work.ahead
// submissions are in flight or all slots are used.
MUST_CHECK bool load_feed(struct load *load, uint64_t wait_ns, bool more, struct error *err);

// Waits until all submissions of the load are done.
MUST_CHECK bool load_drain(struct load *load, struct error *err);

// Reads the records of all submissions into *runs, an array in `arena`. Fails with ERROR_MISMATCH
// if a record is missing or wrong. Times count from *base, a value of the device's clock; if it is
// 0 and there is a submission, *base first becomes the first record's start.
MUST_CHECK bool load_read(const struct load *load, const struct measure_clock *clock,
                          uint64_t *base, struct arena *arena, struct load_run **runs,
                          struct error *err);

#endif
