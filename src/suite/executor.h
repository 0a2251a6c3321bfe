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
    // default of executor_desc.leave_ns, in seconds
    EXECUTOR_LEAVE_S = 8
};

struct executor_desc {
    const char *device_id; // id of the device: "vulkan:0"
    bool in_process;       // true: visits are made in this process; false: in a worker process
    const char *const *worker_argv; // this binary and its command for a worker; ends with NULL
    const char *const *worker_environment; // environment of a worker; if NULL, that of this process
    // Time in ns after which a silent worker is killed; 0 means 60 s.
    uint64_t silence_ns;
    // True: turns the API's own validation on (only with in_process).
    bool validation;
    // Counts the user's signals; the second one ends the worker. NULL if signals are not watched.
    struct interrupt *interrupt;
    // Called if a worker does not answer soon after the user's first signal. May be NULL.
    void (*waiting)(void *context, const char *device_id);
    void *context; // argument of `waiting`
    // Time in ns that a worker has to end its visit after the user's first signal. If leave_ns is
    // not 0, the worker is also asked to end the visit early. 0 means EXECUTOR_LEAVE_S, and the
    // worker is not asked.
    uint64_t leave_ns;
    // Sets the core clock before each visit, except visits in a co-run. NULL if no clock is set.
    struct clock_lock *clocks;
};

// Creates the executor of one device. No process starts before the first visit.
struct executor *executor_create(struct arena *arena, const struct executor_desc *desc);
void executor_destroy(struct executor *executor);

// Ends the worker process, or closes the device if visits are made in this process. The next visit
// starts the worker or opens the device again.
void executor_rest(struct executor *executor);

// Makes the visit that `order` asks for; *visit lives in `arena`. Returns false with the visit's
// error. An order may name other cases, whose programs are compiled first (order->ahead). If the
// worker is lost in such a visit, the visit is made once more without these programs, except after
// an interrupt. After a loss, the next call starts a new worker. With in_process, the device is
// lost instead of the worker, and opened again. A worker's visit fails with ERROR_INTERRUPTED after
// the user's second signal, or leave_ns after the first.
MUST_CHECK bool executor_visit(struct executor *executor, const struct visit_order *order,
                               struct arena *arena, struct measure_visit **visit,
                               struct error *err);

// Watches the device for work of other programs for `least_ns` (0 means 5 ms), while no visit runs.
// finding->who lives in `arena`. Fails with the errors of visitor_watch. executor_losses also
// counts a worker that is lost during a watch.
MUST_CHECK bool executor_watch(struct executor *executor, uint64_t least_ns, struct arena *arena,
                               struct watch_finding *finding, struct error *err);

// Describes the visit of one device in a co-run: several devices measure the same case at once.
struct executor_part {
    struct executor *executor; // executor of the device; must use a worker, not this process
    struct visit_order order;  // what to measure; `waits` is set by executor_visit_together
    // Outcome of the visit, as executor_visit returns it.
    bool done;
    struct measure_visit *visit;
    struct error failure;
    // Used by executor_visit_together only. True: the worker's answer has not been received yet.
    bool waits;
};

// Makes all visits of a co-run, each in its own worker. No worker takes samples until all other
// workers are ready or have failed.
void executor_visit_together(struct executor_part *parts, size_t count, struct arena *arena);

// Returns how many workers were lost in a row. With in_process, returns how many times in a row the
// device was lost. A visit or watch without a loss sets the number back to 0, even if it fails.
unsigned executor_losses(const struct executor *executor);

// Returns how many workers were lost since the executor was created. With in_process, returns how
// many times the device was lost. Unlike executor_losses, this number also shows a loss between two
// visits that succeeded: a worker may be lost while it watches the device.
unsigned executor_losses_ever(const struct executor *executor);

#endif
