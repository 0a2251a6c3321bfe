// SPDX-License-Identifier: MIT
// Makes visits on one device, either in a worker process (the default) or in this process
// (--no-isolate, for debuggers and sanitizers).
#ifndef SUITE_EXECUTOR_H
#define SUITE_EXECUTOR_H

#include "suite/protocol.h"

struct executor;
struct clock_lock;
struct interrupt;

enum {
    // Seconds that a worker has to end its visit after a first signal, unless leave_ns is set.
    EXECUTOR_LEAVE_S = 8
};

struct executor_desc {
    const char *device_id; // id of the device: "vulkan:0"
    bool in_process;       // true: visits are made in this process; false: in a worker process
    const char *const *worker_argv; // this binary and its command for a worker; ends with NULL
    const char *const *worker_environment; // environment of a worker; NULL: this process's
    uint64_t silence_ns;                   // a worker that is silent for longer is killed; 0: 60 s
    bool validation;                       // in_process: turns the API's own validation on
    struct interrupt *interrupt; // a second signal ends the worker; NULL: signals are not watched
    // Called if a worker does not answer soon after a first signal. May be NULL.
    void (*waiting)(void *context, const char *device_id);
    void *context; // passed to `waiting`
    // Time that a worker has to end its visit after a first signal; 0: EXECUTOR_LEAVE_S. If it is
    // not 0, the worker is also asked to end its visit early.
    uint64_t leave_ns;
    struct clock_lock *clocks; // sets the clock before each visit outside co-runs; NULL: none
};

// Creates the executor of one device. No process starts before the first visit.
struct executor *executor_create(struct arena *arena, const struct executor_desc *desc);
void executor_destroy(struct executor *executor);

// Ends the worker, or closes the device if there is no worker. The next visit starts again.
void executor_rest(struct executor *executor);

// Makes the visit that `order` asks for; *visit lives in `arena`. Returns false with the visit's
// error. After ERROR_DEVICE_LOST, ERROR_TIMEOUT or the death of a worker, the next call starts a
// new worker (in process: opens the device again). Fails with ERROR_INTERRUPTED after a second
// signal, or when leave_ns has passed after the first one.
MUST_CHECK bool executor_visit(struct executor *executor, const struct visit_order *order,
                               struct arena *arena, struct measure_visit **visit,
                               struct error *err);

// Watches the device for other work for `least_ns` (0: the usual time), between visits.
// finding->who lives in `arena`. Fails with the errors of visitor_watch. executor_losses also
// counts workers that are lost in a watch.
MUST_CHECK bool executor_watch(struct executor *executor, uint64_t least_ns, struct arena *arena,
                               struct watch_finding *finding, struct error *err);

// The visit of one device in a co-run.
struct executor_part {
    struct executor *executor; // executor of the device; must use a worker, not this process
    struct visit_order order;  // what to measure; executor_visit_together sets order.waits
    // Outcome of the visit, as executor_visit returns it.
    bool done;
    struct measure_visit *visit;
    struct error failure;
    bool waits; // private; true: the worker takes part in the next step
};

// Makes all visits of a co-run, each in its own worker. No worker takes samples before every other
// worker is ready or has failed.
void executor_visit_together(struct executor_part *parts, size_t count, struct arena *arena);

// Returns how many workers (with in_process: devices) were lost in a row. A visit or watch without
// a loss, even one with another error, sets the number back to 0.
unsigned executor_losses(const struct executor *executor);

// Returns how many workers (with in_process: devices) were lost since the executor was created. A
// worker may also be lost while it watches the device; the next visit then succeeds in another
// worker.
unsigned executor_losses_ever(const struct executor *executor);

#endif
