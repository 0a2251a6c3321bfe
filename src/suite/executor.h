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
    // With in_process: visitor_desc.family_pid.
    long family_pid;
    const char *const *worker_argv; // command of a worker, which runs this binary; ends with NULL
    const char *const *worker_environment; // environment of a worker; NULL: the inherited one
    // Time in ns after which a silent worker is killed; 0 means 60 s.
    uint64_t silence_ns;
    // True: turns the API's own validation on (only with in_process).
    bool validation;
    // Counter of the user's signals; the second signal ends the worker. NULL if signals are not
    // watched.
    struct interrupt *interrupt;
    // Called if a worker does not answer soon after the user's first signal. May be NULL.
    void (*waiting)(void *context, const char *device_id);
    void *context; // argument of `waiting`
    // Time in ns that a worker has to end its visit after the user's first signal. The worker is
    // then also asked to end the visit early. If leave_ns is 0, the worker is not asked, and has
    // EXECUTOR_LEAVE_S seconds.
    uint64_t leave_ns;
    // Lock of the core clock, which is set before each visit that is not part of a co-run. NULL if
    // no clock is set.
    struct clock_lock *clocks;
};

// Creates the executor of one device. No process starts before the first visit.
struct executor *executor_create(struct arena *arena, const struct executor_desc *desc);
void executor_destroy(struct executor *executor);

// Ends the worker process, or closes the device if visits are made in this process. The next visit
// starts the worker or opens the device again.
void executor_rest(struct executor *executor);

// Makes the visit that `order` asks for; *visit lives in `arena`. Returns false with the visit's
// error. In a worker, the visit fails with ERROR_INTERRUPTED after the user's second signal, or
// leave_ns after the first signal. If a visit loses its worker, the next visit starts a new one. If
// the lost worker had other cases to compile (order->ahead), the visit is made once more without
// these cases, except after an interrupt. With in_process, the same holds for a lost device, which
// is opened again.
MUST_CHECK bool executor_visit(struct executor *executor, const struct visit_order *order,
                               struct arena *arena, struct measure_visit **visit,
                               struct error *err);

// Watches the device for work of other programs for `least_ns` (0 means 5 ms), while no visit runs.
// finding->who lives in `arena`. Fails like visitor_watch. A worker that is lost during a watch
// counts in executor_losses.
MUST_CHECK bool executor_watch(struct executor *executor, uint64_t least_ns, struct arena *arena,
                               struct watch_finding *finding, struct error *err);

// Describes the visit of one device in a co-run.
struct executor_part {
    struct executor *executor; // executor of the device; must use a worker process
    // order for the visit; executor_visit_together sets its member `waits`
    struct visit_order order;
    // Outcome of the visit, as executor_visit returns it.
    bool done;
    struct measure_visit *visit;
    struct error failure;
    // true: the worker has not answered yet. Only executor_visit_together uses this member.
    bool waits;
};

// Makes all visits of a co-run, each in its own worker. No worker takes samples until all other
// workers are ready or have failed.
void executor_visit_together(struct executor_part *parts, size_t count, struct arena *arena);

// Returns the number of workers that were lost in a row. With in_process, losses of the device
// count instead. A visit or watch without a loss sets the number to 0, even if it fails.
unsigned executor_losses(const struct executor *executor);

// Returns the number of workers that were lost since the executor was created. With in_process,
// losses of the device count instead. Unlike executor_losses, this also shows a loss in a watch
// between two successful visits.
unsigned executor_losses_ever(const struct executor *executor);

#endif
