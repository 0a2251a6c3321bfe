// SPDX-License-Identifier: MIT
// What the cases of a session share, and the functions of struct benchmark.
#ifndef BENCH_STRIDES_SESSION_H
#define BENCH_STRIDES_SESSION_H

#include "bench/bench.h"
#include "bench/strides/work.h"
#include "measure/clock.h"
#include "measure/limits.h"

enum strides_metric { // as strides.c lists them
    STRIDES_BANDWIDTH,
    STRIDES_PER_CORE,
    STRIDES_CYCLES,
    STRIDES_TIME
};

struct strides_session {
    struct measure_limits limits;
    struct measure_clock clock;
    struct gpu_buffer *source, *words;
    bool warm; // a case has run: the clock is up
};

MUST_CHECK bool strides_open(struct bench_session *session, struct error *err);
MUST_CHECK bool strides_visit(struct bench_visit *run, struct measure_visit *visit,
                              struct error *err);
void strides_conclude(struct run *run, const char *device);

#endif
