// SPDX-License-Identifier: MIT
// What the cases of a session share, and one kernel at work.
#ifndef BENCH_LOADS_SESSION_H
#define BENCH_LOADS_SESSION_H

#include "bench/bench.h"
#include "bench/loads/data.h"
#include "measure/clock.h"
#include "measure/limits.h"
#include "measure/span.h"

// A case's values.
struct loads_case {
    const struct loads_kind *kind;
    enum loads_pattern pattern;
    bool peak;
    uint32_t subgroup_threads; // 0: the driver's choice
    uint32_t groups;           // of a dispatch; 0: the session's
};
void loads_case_read(const struct bench_case *c, struct loads_case *this_case);

struct loads_params { // as in params.glsl, after the address
    uint32_t mask, multiplier, keep, start;
    float tolerance, centre;
    uint32_t scatter;
    float pushed[LOADS_PUSHED_ELEMENTS]; // for kernels that load these
};

struct loads_size {   // of what is run again and again
    uint32_t groups;  // of a dispatch; 0: not known yet
    uint64_t repeats; // dispatches a sample
};

// What a form of the kernels was compared with lately.
struct loads_baseline_seen {
    bool tried, missing; // missing: a device without typed buffers
    double group_ns;     // of a workgroup: a dispatch over its groups
    uint64_t at_ns;      // when, by base/clock.h
    struct loads_size size;
};

// Made by loads_open.
struct loads_session {
    struct bench_session *bench;
    struct measure_limits limits;
    struct measure_clock clock;
    struct gpu_buffer *proof;               // of the work at hand; NULL until needed
    struct gpu_arg *sources;                // of each kind; empty until needed
    uint32_t groups;                        // of a dispatch, where the device is fast enough
    struct bench_session *robust;           // the same on a device that checks bounds; or NULL
    bool warm;                              // a case has run: the clock is up
    struct loads_baseline_seen baseline[2]; // of fidelity=original, of peak
};

MUST_CHECK bool loads_open(struct bench_session *bench, struct error *err);
void loads_close(struct bench_session *bench);

// A session of its own on a second handle of the same device, one that checks the bounds of what is
// accessed; opened when first wanted, closed by loads_close. NULL: `err` says why there is none.
struct bench_session *loads_robust(struct loads_session *session, struct error *err);

// One kernel with its data and the sums that its threads must find.
struct loads_work {
    struct loads_session *session;
    struct gpu_program *program;
    uint32_t groups; // of a dispatch
    bool has_source;
    bool has_pushed;
    struct gpu_arg source; // or, of writes, their target
    struct loads_params params;
    struct loads_case target; // what is written there; kind NULL: nothing
};

// One at a time: a session has one proof. The case's own kernel, or (`control`) the loop of the
// same form without loads. In `scope`.
MUST_CHECK bool loads_work_make(struct loads_session *session, struct gpu_scope *scope,
                                const struct loads_case *this_case, bool control,
                                struct loads_work *work, struct error *err);

// measure_record: `repeats` dispatches.
void loads_work_record(void *work, struct gpu_batch *batch, uint64_t repeats);

// Every thread of every dispatch found its sum, and there were `least` dispatches or more; else
// ERROR_MISMATCH.
MUST_CHECK bool loads_work_verify(struct loads_work *work, uint64_t least, struct error *err);

// The plan, the visit and the conclusion of struct benchmark.
MUST_CHECK bool loads_plan(const struct bench_request *request, struct bench_case_list *list,
                           struct error *err);
MUST_CHECK bool loads_visit(struct bench_visit *run, struct measure_visit *visit,
                            struct error *err);
void loads_conclude(struct run *run, const char *device);

#endif
