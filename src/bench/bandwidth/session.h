// SPDX-License-Identifier: MIT
// What a session of `bandwidth` keeps, and one shape of one case made ready to run.
#ifndef BENCH_BANDWIDTH_SESSION_H
#define BENCH_BANDWIDTH_SESSION_H

#include "bench/bandwidth/store.h"
#include "bench/bandwidth/work.h"
#include "measure/clock.h"
#include "measure/span.h"

struct bandwidth_session {
    struct measure_limits limits;
    struct measure_clock clock;
    struct bandwidth_store store;
};

MUST_CHECK bool bandwidth_open(struct bench_session *session, struct error *err);
void bandwidth_close(struct bench_session *session);

// One shape of one case, ready for its units to be recorded.
struct bandwidth_trial {
    struct bench_visit *run;
    struct bandwidth_session *session;
    const struct bandwidth_case *this_case;
    struct bandwidth_shape shape;
    struct bandwidth_work work;
    struct gpu_program *program;
    struct gpu_buffer *source, *target; // NULL where the case has none
};

// Makes the program and the buffers, and the work of `passes` units. The other members are the
// caller's to fill.
MUST_CHECK bool bandwidth_trial_prepare(struct bandwidth_trial *trial, uint64_t passes,
                                        struct error *err);

// Sizes the work so that one unit lasts about as long as a sample. ERROR_UNSUPPORTED where even the
// smallest would hold the device for too long.
MUST_CHECK bool bandwidth_trial_size(struct bandwidth_trial *trial, struct error *err);

// How fast it is, roughly: the best of a few units. Sized before.
MUST_CHECK bool bandwidth_trial_speed(struct bandwidth_trial *trial, double *bytes_per_s,
                                      struct error *err);

// Measures: `samples` of them; `repeats` as in measure_span_desc.
MUST_CHECK bool bandwidth_trial_run(struct bandwidth_trial *trial, unsigned samples,
                                    uint64_t repeats, struct measure_span *span, struct error *err);

// The visit of struct benchmark.
MUST_CHECK bool bandwidth_visit(struct bench_visit *run, struct measure_visit *visit,
                                struct error *err);

// The plan of struct benchmark.
MUST_CHECK bool bandwidth_plan(const struct bench_request *request, struct bench_case_list *list,
                               struct error *err);

#endif
