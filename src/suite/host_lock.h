// SPDX-License-Identifier: MIT
// A lock that at most one process of a user holds on a host, if all use the same $TMPDIR. The lock
// is a file in $TMPDIR, or else in /tmp. A holder can leave a text in this file for processes that
// wait for the lock. The file's name contains the user's id and the id of this boot, so a file from
// before a reboot is not read.
#ifndef SUITE_HOST_LOCK_H
#define SUITE_HOST_LOCK_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

struct host_lock {
    int fd; // file descriptor of the lock's file; −1 if the lock is not held
};

// Waits at most wait_ns for the lock `name`. Returns false if another process held it for all this
// time, or if the file cannot be used. host_lock_end, or the end of this process, releases the
// lock.
bool host_lock_take(struct host_lock *lock, const char *name, uint64_t wait_ns);
void host_lock_end(struct host_lock *lock);

// Returns the text that an earlier holder of the lock wrote after since_s (seconds since 1970), in
// `arena`; NULL if there is no such text.
const char *host_lock_read(const struct host_lock *lock, struct arena *arena, double since_s);

// Writes a text for the next holders of the lock into its file. After an incomplete write, tries to
// leave the file empty.
void host_lock_write(const struct host_lock *lock, const char *text);

#endif
