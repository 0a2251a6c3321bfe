// SPDX-License-Identifier: MIT
// Makes visits on one device, in a worker process (the default) or in this process (--no-isolate,
// for debuggers and sanitizers).
#ifndef SUITE_EXECUTOR_H
#define SUITE_EXECUTOR_H

#include "suite/protocol.h"

struct executor;
struct clock_lock;
struct interrupt;

struct executor_desc {
    const char *device_id;                 // "vulkan:0"
    bool in_process;                       // false: in a worker, by fork and exec of this binary
    const char *const *worker_argv;        // this binary and its hidden command; NULL-ended
    const char *const *worker_environment; // NULL-ended; NULL: that of this process
    uint64_t silence_ns;                   // a worker that is silent for longer is ended; 0: 60 s
    bool validation;                       // in process: turns the API's own validation on
    struct interrupt *interrupt; // a second signal ends the worker; NULL: signals are not watched
    struct clock_lock *clocks;   // set before each visit outside of a co-run; NULL: none
};

// One executor a device. No process starts before the first visit.
struct executor *executor_create(struct arena *arena, const struct executor_desc *desc);
void executor_destroy(struct executor *executor);

// Makes the visit of `order`, which lives in `arena`. False with the case's error; after
// ERROR_DEVICE_LOST, ERROR_TIMEOUT or the death of a worker the next call starts a new worker.
// ERROR_INTERRUPTED after a second signal.
MUST_CHECK bool executor_visit(struct executor *executor, const struct visit_order *order,
                               struct arena *arena, struct measure_visit **visit,
                               struct error *err);

// One device's visit in a co-run.
struct executor_part {
    struct executor *executor; // one with a worker
    struct visit_order order;  // executor_visit_together sets order.waits
    // The outcome, as executor_visit returns it.
    bool done;
    struct measure_visit *visit;
    struct error failure;
    bool waits; // used within executor_visit_together: the worker is ready and waits for the others
};

// Makes all visits of a co-run, each in its own worker. No worker takes samples before every other
// one is ready or has failed.
void executor_visit_together(struct executor_part *parts, size_t count, struct arena *arena);

// How many workers (in process: devices) were lost in a row, since the last visit that ended with a
// result or an orderly failure.
unsigned executor_losses(const struct executor *executor);

#endif
