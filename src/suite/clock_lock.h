// SPDX-License-Identifier: MIT
// Sets the core clocks that the user asked for on one device. If a case has a value `clock`, the
// card is locked to that clock before each visit. Before visits of other cases, the lock is
// released. If a process dies, the card stays locked. So a guard process (sensors/guard.h) holds
// the lock, and releases it if fathom dies. On a device with GPU_CAP(CLOCK_CHOICE), nothing is
// locked: the benchmark itself sets the clock, in the worker.
#ifndef SUITE_CLOCK_LOCK_H
#define SUITE_CLOCK_LOCK_H

#include "gpu/gpu.h"
#include "results/results.h"

struct clock_lock;

struct clock_lock_desc {
    const struct gpu_info *device;
    const double *hz;               // core clocks in Hz that the user asked for
    size_t count;                   // number of clocks in `hz`, > 0
    const char *const *guard_argv;  // command of the guard process; ends with NULL
    const char *const *environment; // environment of the guard; NULL: the inherited environment
};

// Creates a lock of the core clock, in `arena`. All that `desc` points to must live as long as the
// lock. Sets the first clock and restores the old clock, to find a missing permission before
// anything is measured. If setting or restoring fails, returns NULL with ERROR_NO_DEVICE; the
// message says why. For a simulated device (GPU_CAP(CLOCK_CHOICE)), sets nothing: its worker sets
// the clock.
struct clock_lock *clock_lock_create(struct arena *arena, const struct clock_lock_desc *desc,
                                     struct error *err);

// Prepares the clock for the next visit: locks it to the value `clock` of the visit's case, or
// releases it if the case has no such value. Does nothing if `lock` is NULL, or if the device sets
// its own clock.
MUST_CHECK bool clock_lock_follow(struct clock_lock *lock, const struct bench_case *bench_case,
                                  struct error *err);

#define CLOCK_STAYS_LOCKED "clock-stays-locked"

// Restores the clock and ends the guard process; a second call does nothing. Adds a finding to
// `run`. If the clock was restored or never locked, the code is "clocks", and the text names the
// requested and the granted clocks. Otherwise, the code is CLOCK_STAYS_LOCKED; the text says why,
// and what the user can do. Both `lock` and `run` may be NULL.
void clock_lock_end(struct clock_lock *lock, struct run *run);

#endif
