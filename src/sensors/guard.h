// SPDX-License-Identifier: MIT
// The guard is a small process that locks a core clock (sensors/clocks.h) for the process that
// measures. It restores the clock when the channel between the two processes closes: at a normal
// end, after an error or a signal, and also if the measuring process was killed.
//
// The guard has its own session and ignores SIGINT, SIGTERM and SIGHUP. If it is killed while the
// clock is locked, the next request starts another guard, which first restores the clock. The clock
// stays locked if both processes are killed at once, or if the driver refuses to restore it. After
// a power failure, the driver starts with its default clock.
//
// The channel carries lines of text: a request, then its answer ("failure TEXT" if it failed). The
// word "-" stands for a value that is unknown or is the default.
//
//     open PID UUID PCI SYSFS PROC UNDO     ready BEFORE
//     lock HZ                               locked HZ
//     restore                               restored
#ifndef SENSORS_GUARD_H
#define SENSORS_GUARD_H

#include "sensors/clocks.h"

struct clock_guard_desc {
    const char *const *argv; // command of the guard, which calls clock_guard_serve; ends with NULL
    // Environment of the guard process. If NULL, the guard gets the environment of this process.
    const char *const *environment;
    // The card whose clock the guard sets. If own_pid is 0, the guard gets the id of this process
    // instead. The paths in this struct must not contain white space.
    struct sensor_clocks_desc card;
};

struct clock_guard;

// Starts the guard process, which sets no clock yet. Returns NULL with ERROR_UNSUPPORTED if the
// clock cannot or must not be set (sensor_clocks_open), with ERROR_IO or ERROR_INTERNAL if the
// guard does not start or answer. All that `desc` points to must live as long as the guard.
struct clock_guard *clock_guard_create(const struct clock_guard_desc *desc, struct error *err);

// Restores the clock if it is locked, and ends the guard. If the clock cannot be restored, returns
// false with the reason. Accepts NULL.
bool clock_guard_destroy(struct clock_guard *guard, struct error *err);

// Locks the clock like sensor_clocks_lock. If it is already locked for the same `hz`, only sets
// *granted_hz. If locking fails, restores the clock. If restoring fails, too, the message says so.
MUST_CHECK bool clock_guard_lock(struct clock_guard *guard, double hz, double *granted_hz,
                                 struct error *err);

// Restores the clock. Does nothing if the clock is not locked.
MUST_CHECK bool clock_guard_restore(struct clock_guard *guard, struct error *err);

// Returns the state that clock_guard_restore restores, like sensor_clocks_before.
const char *clock_guard_before(const struct clock_guard *guard);

// Runs in the guard process: answers requests until the channel closes, then restores the clock.
// Returns false if the clock could not be restored.
MUST_CHECK bool clock_guard_serve(int socket_fd, struct error *err);

#endif
