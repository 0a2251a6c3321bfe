// SPDX-License-Identifier: MIT
// Measures cases for the pages, with the same schedule and verdicts as `fathom run`. There is one
// measuring thread, and at most one worker process at a time (suite/executor.h). The worker stays
// between measurements, so that the next measurement begins at once. A new measurement replaces the
// current one: the current visit is asked to end early. If the visit has not ended after
// LIVE_LEAVE_NS, its worker is killed.
//
// One frame is one run with the preset quick. A continuous measurement makes frame after frame of
// the same cases until it is cancelled.
#ifndef SERVE_LIVE_H
#define SERVE_LIVE_H

#include "serve/request.h"
#include "suite/runner.h"

// A cancelled visit (one round of measuring a case) has this many ns to end by itself. After that,
// its worker process is killed.
#define LIVE_LEAVE_NS UINT64_C(700000000)

enum {
    // A worker keeps data of each case that it measured (struct bench_visit.memory). A worker that
    // has got this many cases is replaced before the next measurement begins.
    LIVE_CASES_KEPT = 256,
    // If this many frames in a row lost their worker, the measurement ends. (A frame is one run of
    // all cases.)
    LIVE_ATTEMPTS = 3
};

struct live_desc {
    // Of `runner`, a live measurement uses only these members: worker_argv, worker_environment,
    // silence_ns, choices.system and, in tests, in_process.
    struct runner_desc runner;
    int argc; // command line, which the run records
    char **argv;
    // Sends a message to every page. Called in the measuring thread.
    void (*say)(void *context, const char *message);
    void *context;
};

struct live;

// Starts the measuring thread. `desc` must live until live_stop. Returns NULL with ERROR_IO if the
// thread cannot be started.
struct live *live_start(const struct live_desc *desc, struct error *err);

// Cancels the current measurement and starts the requested one. Takes ownership of request->arena.
void live_measure(struct live *live, const struct request *request);

// Cancels the current measurement, without waiting for its end. If the visit that is running (one
// round of measuring a case) ends within LIVE_LEAVE_NS, the worker is kept for the next
// measurement.
void live_cancel(struct live *live);

// Ends the current measurement, the worker process and the measuring thread.
void live_stop(struct live *live);

#endif
