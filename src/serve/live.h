// SPDX-License-Identifier: MIT
// Measures for the pages: one thread, with one worker process at a time (suite/executor.h), uses
// the schedule and the verdicts of a run. The worker stays between measurements, so the next
// measurement begins at once. A new measurement replaces the current one: the current visit is
// asked to end early; if it has not ended after LIVE_LEAVE_NS, its worker is killed.
//
// One frame is one run with the preset quick. A continuous measurement makes frame after frame of
// the same cases until it is cancelled.
#ifndef SERVE_LIVE_H
#define SERVE_LIVE_H

#include "serve/request.h"
#include "suite/runner.h"

// Time in ns that a cancelled visit has to end by itself; then its worker process is killed.
#define LIVE_LEAVE_NS UINT64_C(700000000)

enum {
    // Number of cases after which a worker is replaced before the next measurement, because it
    // keeps data of each case that it visited (struct bench_visit.memory).
    LIVE_CASES_KEPT = 256,
    // Number of frames in a row that may lose their worker before the measurement ends.
    LIVE_ATTEMPTS = 3
};

struct live_desc {
    // A live measurement uses only these members: worker_argv, worker_environment, silence_ns,
    // choices.system and, in tests, in_process.
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

// Cancels the current measurement, without waiting for its end. If its visit ends within
// LIVE_LEAVE_NS, the worker is kept for the next measurement.
void live_cancel(struct live *live);

// Ends the measurement, the worker and the thread.
void live_stop(struct live *live);

#endif
