// SPDX-License-Identifier: MIT
// Chooses the processors that this process runs on, and measures how much of their time other
// processes or virtual machines used.
#ifndef BASE_PROCESSORS_H
#define BASE_PROCESSORS_H

#include <stdbool.h>

// Binds this process to the processors of a list in the form of sysfs ("0-3,8,10-11"). Returns
// false and changes nothing if the list is empty or malformed, or if the system does not allow it.
bool processors_bind(const char *list);

// Times that a process or its machine has spent so far: `ran` and `waited` since the start of this
// process, `stolen` and `all` since the start of the machine.
struct processors_time {
    // ns in which the process's threads ran, and in which they were ready but had to wait for a
    // processor
    double ran, waited;
    // `stolen`: clock ticks that other virtual machines used; `all`: sum of the clock ticks of all
    // processors.
    double stolen, all;
};

// Reads the times from /proc. `root` is put before the paths; NULL means "". Returns false if they
// cannot be read.
bool processors_time_read(const char *root, struct processors_time *time);

// Returns the share of time that this process lost to other processes and virtual machines between
// two readings. It is the larger of two shares: waited / (waited + ran) of the process's threads,
// and stolen / all of the machine. A share that is unknown counts as 0.
double processors_time_lost(const struct processors_time *before,
                            const struct processors_time *after);

#endif
