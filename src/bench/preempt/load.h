// SPDX-License-Identifier: MIT
// Work that fills a device in one way or another, submitted again and again; and what its
// workgroups wrote down.
//
// A load has rings: submission i writes its records to slot i, so that nothing is read back while
// it runs. Every dispatch is meant to last at most a tenth of a second.
#ifndef BENCH_PREEMPT_LOAD_H
#define BENCH_PREEMPT_LOAD_H

#include "bench/bench.h"
#include "gpu/graphics.h"
#include "measure/clock.h"

// One submission.
struct load_shape {
    uint32_t dispatches; // one after another
    uint32_t groups;     // of each
    uint32_t turns;      // of each workgroup
    uint32_t ahead;      // submissions in flight at once, at most LOAD_BATCHES_MAX
    bool draws;          // draws in place of dispatches; groups are a multiple of LOAD_DRAW_GROUPS
};

enum {
    LOAD_BATCHES_MAX = 4,
    LOAD_DRAW_GROUPS = 64
};

// A workgroup as the device saw it, in ns since a moment that all loads of a visit share.
struct load_group {
    double start_ns, end_ns, pause_ns;
    uint32_t core; // UINT32_MAX: not known
};

// One submission: from its first group's start to its last one's end, of those that left records.
struct load_run {
    double start_ns, end_ns;
    double pause_ns; // the longest of its groups
    struct load_group *groups;
    size_t group_count;
};

struct load_desc {
    struct gpu_scope *scope;
    struct gpu_queue *queue;
    struct gpu_program *program;
    struct load_shape shape;
    uint32_t slots;   // submissions that are kept
    uint32_t records; // a submission leaves at most
    uint64_t timeout_ns;
};

struct load {
    struct load_desc desc;
    struct gpu_target *target; // of draws
    struct gpu_draw_program *draw_program;
    struct gpu_buffer *records;
    struct gpu_batch *batches[LOAD_BATCHES_MAX];
    bool in_flight[LOAD_BATCHES_MAX];
    uint32_t stride, kept; // groups a record; records of a submission
    uint32_t submitted;    // in all
    uint32_t finished;     // in order
    uint32_t first_token;
    bool prepared; // the next one is recorded
};

// The kernel that loads dispatch, with core ids where the device has them. NULL with `err`.
struct gpu_program *load_program(struct measure_programs *programs, struct error *err);

// ERROR_UNSUPPORTED for draws where there is no graphics.
MUST_CHECK bool load_init(struct load *load, const struct load_desc *desc, struct error *err);

// Another shape for the submissions to come; nothing may be in flight.
void load_reshape(struct load *load, const struct load_shape *shape);

// Forgets all submissions: the next one is slot 0. `token`: theirs count up from it.
void load_restart(struct load *load, uint32_t token);

// Records the next submission, so that load_submit only submits it.
MUST_CHECK bool load_prepare(struct load *load, struct error *err);

// Submits one more; false with ERROR_INTERNAL where no batch or no slot is free.
MUST_CHECK bool load_submit(struct load *load, struct error *err);

// Sees which submissions are done, waiting for the oldest at most `wait_ns`; with `more`, submits
// until all batches are in flight, while slots last.
MUST_CHECK bool load_feed(struct load *load, uint64_t wait_ns, bool more, struct error *err);

// Until nothing is in flight.
MUST_CHECK bool load_drain(struct load *load, struct error *err);

// Reads what submissions left, checks it (ERROR_MISMATCH) and gives one run each, in `arena`; times
// are since clock value `base`, or since the first start seen where *base is 0, which is then set.
MUST_CHECK bool load_read(const struct load *load, const struct measure_clock *clock,
                          uint64_t *base, struct arena *arena, struct load_run **runs,
                          struct error *err);

#endif
