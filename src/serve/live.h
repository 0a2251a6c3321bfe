// SPDX-License-Identifier: MIT
// Measures cases for the pages, with the same schedule and verdicts as `fathom run`, in one
// measuring thread. At most one worker process (suite/executor.h) stays between measurements, so
// that the next one begins at once. A new measurement replaces the current one. The visit of the
// current measurement is asked to end early; after LIVE_LEAVE_NS its worker is killed.
//
// One frame is one run with the preset quick. A continuous measurement makes frame after frame of
// the same cases until it is cancelled.
#ifndef SERVE_LIVE_H
#define SERVE_LIVE_H

#include "serve/request.h"
#include "suite/runner.h"

// Time in ns that a cancelled visit gets to end by itself. After this time, its worker process is
// killed.
#define LIVE_LEAVE_NS UINT64_C(700000000)

enum {
    // Number of cases after which a worker is replaced, before the next measurement begins. A
    // worker keeps data of each case that it measured (struct bench_visit.memory).
    LIVE_CASES_KEPT = 256,
    // If this many frames (runs of all cases) in a row lose their worker, the measurement ends.
    LIVE_ATTEMPTS = 3
};

struct live_desc {
    // Live measurements use only these members of `runner`: worker_argv, worker_environment,
    // silence_ns, choices.system and, in tests, in_process.
    struct runner_desc runner;
    int argc; // command line of `fathom serve` (argc, argv), which each run stores
    char **argv;
    // Sends a message to every page. Called in the measuring thread.
    void (*say)(void *context, const char *message);
    void *context;
};

struct live;

// Starts the measuring thread. `desc` must live until live_stop. Returns NULL with ERROR_IO if the
// thread or its interrupt cannot be made.
struct live *live_start(const struct live_desc *desc, struct error *err);

// Cancels the current measurement and starts the requested one. Takes ownership of request->arena.
void live_measure(struct live *live, const struct request *request);

// Cancels the current measurement and a waiting measurement. Does not wait for their end. If the
// running visit ends within LIVE_LEAVE_NS, the worker is kept for the next measurement.
void live_cancel(struct live *live);

// Ends the current measurement, the worker process and the measuring thread, and frees `live`.
// Accepts NULL.
void live_stop(struct live *live);

#endif
