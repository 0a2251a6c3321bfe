// SPDX-License-Identifier: MIT
// Who makes visits: a worker process (the default) or this process (--no-isolate, sanitizers).
#ifndef SUITE_EXECUTOR_H
#define SUITE_EXECUTOR_H

#include "bench/bench.h"

struct executor;
struct clock_lock;
struct interrupt;

struct executor_desc {
    const char *device_id; // "vulkan:0"
    bool in_process;       // false: fork + exec this binary
    // How to start a worker: this binary, hidden command; NULL-ended.
    const char *const *worker_argv;
    const char *const *worker_environment; // NULL-ended; NULL: this process's own
    uint64_t silence_ns;                   // a worker silent for longer is ended; 0: 60 s
    bool validation;                       // in process: turn the API's own validation on
    struct interrupt *interrupt; // a second signal ends the worker; NULL: signals are not watched
    struct clock_lock *clocks;   // asked before each visit that is made alone; NULL: none
};

// One executor a device. No process starts before the first visit.
struct executor *executor_create(struct arena *arena, const struct executor_desc *desc);
void executor_destroy(struct executor *executor);

// Makes one visit of case number `index` (stable through the run: it names the case's memory).
// False with the case's error; after ERROR_DEVICE_LOST, ERROR_TIMEOUT or a dead worker the next
// call starts a new one. ERROR_INTERRUPTED after a second signal. The visit lives in `arena`.
MUST_CHECK bool executor_visit(struct executor *executor, const struct benchmark *benchmark,
                               size_t index, const struct bench_case *bench_case,
                               const struct measure_request *request, struct arena *arena,
                               struct measure_visit **visit, struct error *err);

// One device's part in visits that are made at the same time.
struct executor_part {
    struct executor *executor; // with a worker, not in process
    size_t index;
    const struct bench_case *bench_case;
    const struct measure_request *request;
    // What came of it: as executor_visit has it.
    bool done;
    struct measure_visit *visit;
    struct error failure;
    bool waits; // its worker is at the gate; known to executor_visit_together alone
};

// Makes all the visits, each in its own worker; none takes samples before all are ready to, or have
// failed.
void executor_visit_together(const struct benchmark *benchmark, struct executor_part *parts,
                             size_t count, struct arena *arena);

// Workers (or devices) lost in a row: visits since the last one that came to an orderly end, be it
// a result or a failure.
unsigned executor_losses(const struct executor *executor);

#endif
