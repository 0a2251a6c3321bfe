// SPDX-License-Identifier: MIT
// The core clocks that a user asked for, on one device: before each visit of a case that names a
// `clock` the card is locked to it, and before any other it has its own clock again. A device that
// has a clock of its own (CLOCK_CHOICE) is asked for it by the benchmark, in the worker, and
// nothing is locked here; that of a card is the machine's, and a guard (sensors/guard.h) has it.
#ifndef SUITE_CLOCK_LOCK_H
#define SUITE_CLOCK_LOCK_H

#include "gpu/gpu.h"
#include "results/results.h"

struct clock_lock;

struct clock_lock_desc {
    const struct gpu_info *device;
    const double *hz; // asked for
    size_t count;     // > 0
    const char *const *guard_argv;
    const char *const *environment; // of the guard; NULL: this process's own
};

// Locks the first clock and gives it back, so that what is not permitted is known before anything
// is measured: NULL with ERROR_NO_DEVICE, which says what, why, and what to do. It lives in
// `arena`, to which desc->hz belongs as well.
struct clock_lock *clock_lock_create(struct arena *arena, const struct clock_lock_desc *desc,
                                     struct error *err);

// Before a visit. NULL: nothing was asked for.
MUST_CHECK bool clock_lock_follow(struct clock_lock *lock, const struct bench_case *bench_case,
                                  struct error *err);

#define CLOCK_STAYS_LOCKED "clock-stays-locked"

// Gives the clock back and ends the guard; a second time it does nothing. Adds the finding "clocks"
// to `run` (NULL: none): what was asked for, what was granted, how it was given back; and
// CLOCK_STAYS_LOCKED where it was not. NULL is legal.
void clock_lock_end(struct clock_lock *lock, struct run *run);

#endif
