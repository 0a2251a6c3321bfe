// SPDX-License-Identifier: MIT
// A small process, the guard, that locks a core clock (sensors/clocks.h) for the process that
// measures. It restores the clock when the channel between them closes: at a normal end, after an
// error or a signal, and also if the measuring process was killed. The guard measures nothing. It
// has a session of its own and ignores SIGINT, SIGTERM and SIGHUP. If the guard itself is killed
// while the clock is locked, the next call starts another one, which restores the clock first. The
// clock stays locked only if both processes are killed at once; after a loss of power, drivers
// start with their defaults.
//
// The channel carries lines of text, a request and its answer:
//
//   open PID UUID PCI SYSFS PROC UNDO     ready BEFORE
//   lock HZ                               locked HZ
//   restore                               restored
//
// "-" stands for unknown or the default. The answer to a request that failed is "failure TEXT".
#ifndef SENSORS_GUARD_H
#define SENSORS_GUARD_H

#include "sensors/clocks.h"

struct clock_guard_desc {
    const char *const *argv; // starts a process that calls clock_guard_serve; NULL-terminated
    const char *const *environment; // NULL: the environment of this process
    struct sensor_clocks_desc card; // own_pid 0: this process; paths must not contain white space
};

struct clock_guard;

// Starts the guard. Sets nothing yet. NULL with ERROR_UNSUPPORTED if the clock cannot or must not
// be set, as for sensor_clocks_open. `desc`, and what it points to, must live as long as the guard.
struct clock_guard *clock_guard_create(const struct clock_guard_desc *desc, struct error *err);

// Restores the clock if it is locked, and ends the guard. False with the reason if the clock could
// not be restored. NULL is legal.
bool clock_guard_destroy(struct clock_guard *guard, struct error *err);

// Locks the clock as sensor_clocks_lock does. Does nothing if this clock is already locked. If it
// fails, nothing is locked.
MUST_CHECK bool clock_guard_lock(struct clock_guard *guard, double hz, double *granted_hz,
                                 struct error *err);

// Restores the clock. Does nothing if nothing is locked.
MUST_CHECK bool clock_guard_restore(struct clock_guard *guard, struct error *err);

// Returns the state before the lock, as sensor_clocks_before does.
const char *clock_guard_before(const struct clock_guard *guard);

// Serves requests in the guard process until the channel closes, then restores the clock. False if
// the clock could not be restored.
MUST_CHECK bool clock_guard_serve(int socket_fd, struct error *err);

#endif
