// SPDX-License-Identifier: MIT
// What a session of `stream` keeps, and one kernel of one case made ready to run.
#ifndef BENCH_STREAM_SESSION_H
#define BENCH_STREAM_SESSION_H

#include "bench/stream/store.h"
#include "measure/clock.h"
#include "measure/span.h"

struct stream_session {
    struct measure_limits limits;
    struct measure_clock clock;
    struct stream_store store;
    bool warm; // a case was measured
};

MUST_CHECK bool stream_open(struct bench_session *session, struct error *err);
void stream_close(struct bench_session *bench);
MUST_CHECK bool stream_plan(const struct bench_request *request, struct bench_case_list *list,
                            struct error *err);
MUST_CHECK bool stream_visit(struct bench_visit *run, struct measure_visit *visit,
                             struct error *err);

// One shape of one case.
struct stream_trial {
    struct bench_visit *run;
    struct stream_session *session;
    const struct stream_case *this_case;
    struct stream_shape shape;
    struct stream_work work;
    struct gpu_program *program;
    struct gpu_buffer *places; // of what is placed, else NULL
};

// Makes the program, and the work of so many passes.
MUST_CHECK bool stream_trial_prepare(struct stream_trial *trial, uint64_t passes,
                                     struct error *err);

// Sizes the work so that a dispatch is a whole sample. Prepared before.
MUST_CHECK bool stream_trial_size(struct stream_trial *trial, struct error *err);

// How fast it is, roughly: the best of a few dispatches.
MUST_CHECK bool stream_trial_speed(struct stream_trial *trial, double *bytes_per_s,
                                   struct error *err);

// Measures; `repeats` as in measure_span_desc.
MUST_CHECK bool stream_trial_run(struct stream_trial *trial, uint64_t repeats,
                                 struct measure_span *span, struct error *err);

#endif
