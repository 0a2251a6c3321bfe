// SPDX-License-Identifier: MIT
// A lock that one process of a user holds on a host, with a text that the last holder left for
// those that waited. The file is in $TMPDIR or /tmp; its name has the user and this boot, so that a
// file of an earlier boot is never read.
#ifndef SUITE_HOST_LOCK_H
#define SUITE_HOST_LOCK_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

struct host_lock {
    int fd; // -1: not held
};

// Waits for the lock, at most wait_ns. False if it was not to be had in that time, or the file
// cannot be used. The lock ends with host_lock_end or with this process.
bool host_lock_take(struct host_lock *lock, const char *name, uint64_t wait_ns);
void host_lock_end(struct host_lock *lock);

// The text that another holder left after since_s (seconds since 1970); NULL if there is none. It
// lives in `arena`.
const char *host_lock_read(const struct host_lock *lock, struct arena *arena, double since_s);

// Leaves a text for the next holders. A text that cannot be written whole is not left.
void host_lock_write(const struct host_lock *lock, const char *text);

#endif
