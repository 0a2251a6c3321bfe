// SPDX-License-Identifier: MIT
// The measuring behind the pages: one thread, one worker process at a time (suite/executor.h), the
// schedule and the verdicts of a run. The worker stays between measurements, so the next one
// begins at once. A measurement replaces the one before it, whose visit is asked to end early, and
// is ended with its worker after LIVE_LEAVE_NS.
//
// One frame is one run by the preset quick. A continuous measurement makes frame after frame of the
// same cases, until it is cancelled.
#ifndef SERVE_LIVE_H
#define SERVE_LIVE_H

#include "serve/request.h"
#include "suite/runner.h"

// A visit that has not ended so long after a cancel is ended with its worker.
#define LIVE_LEAVE_NS UINT64_C(700000000)

enum {
    // A worker keeps data of each case that it visited (struct bench_visit.memory). It is replaced
    // when a measurement begins and it has seen so many.
    LIVE_CASES_KEPT = 256,
    LIVE_ATTEMPTS = 3 // frames that lost their worker, in a row, until the measurement ends
};

struct live_desc {
    struct runner_desc runner; // worker_argv, worker_environment, silence_ns, choices.system;
                               // in_process for tests
    int argc;                  // the command, for the run
    char **argv;
    void (*say)(void *context, const char *message); // to every page, from the measuring thread
    void *context;
};

struct live;

// Starts the thread; `desc` must live until live_stop. NULL with ERROR_IO.
struct live *live_start(const struct live_desc *desc, struct error *err);

// Measures what the request asks for, in place of what is measured now. Takes the request's arena.
void live_measure(struct live *live, const struct request *request);

// Ends the measurement within a second. The worker stays, idle.
void live_cancel(struct live *live);

// Ends the measurement, the worker and the thread.
void live_stop(struct live *live);

#endif
