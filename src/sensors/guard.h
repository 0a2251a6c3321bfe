// SPDX-License-Identifier: MIT
// A small process that holds the lock on a core clock (sensors/clocks.h) for the one that measures,
// and gives the clock back when that one's end of their channel closes: at a normal end, after an
// error or a signal, and also where it was killed outright. It measures nothing, has a session of
// its own and ignores SIGINT, SIGTERM and SIGHUP. Where it is itself killed while it holds a lock,
// the next call starts another one, which gives the clock back first. What nothing can undo is both
// killed at once, and the machine losing power, after which drivers begin with their defaults.
//
// The channel has lines of text:
//
//   open PID UUID PCI SYSFS PROC UNDO     ready BEFORE
//   lock HZ                               locked HZ
//   restore                               restored
//
// with "-" for what is not known, or the default. Any may be answered "failure TEXT".
#ifndef SENSORS_GUARD_H
#define SENSORS_GUARD_H

#include "sensors/clocks.h"

struct clock_guard_desc {
    const char *const *argv;        // starts a process that calls clock_guard_serve; NULL-ended
    const char *const *environment; // NULL: this process's own
    struct sensor_clocks_desc card; // own_pid 0: this process; no white space in the paths
};

struct clock_guard;

// Starts it. NULL where the clock cannot be set, or must not: ERROR_UNSUPPORTED, as
// sensor_clocks_open has it. Nothing is set yet. `desc` and what it points to outlives the guard.
struct clock_guard *clock_guard_create(const struct clock_guard_desc *desc, struct error *err);

// Gives the clock back where it is locked, ends the process. False: it could not be given back, and
// why. NULL is legal.
bool clock_guard_destroy(struct clock_guard *guard, struct error *err);

// As sensor_clocks_lock; what fails leaves nothing locked. Does nothing where that is locked.
MUST_CHECK bool clock_guard_lock(struct clock_guard *guard, double hz, double *granted_hz,
                                 struct error *err);

// Does nothing where nothing is locked.
MUST_CHECK bool clock_guard_restore(struct clock_guard *guard, struct error *err);

// As sensor_clocks_before.
const char *clock_guard_before(const struct clock_guard *guard);

// The guard's own work, until the channel closes. False where the clock could not be given back.
MUST_CHECK bool clock_guard_serve(int socket_fd, struct error *err);

#endif
