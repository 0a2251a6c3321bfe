// SPDX-License-Identifier: MIT
// The processors that this process runs on, and how long other processes or virtual machines used
// them.
#ifndef BASE_PROCESSORS_H
#define BASE_PROCESSORS_H

#include <stdbool.h>

// Binds this process to the processors of a list in the form of sysfs ("0-3,8,10-11"). Returns
// false and changes nothing if the list is empty or malformed, or if the system does not allow it.
bool processors_bind(const char *list);

// Times that have added up since this process (ran, waited) or the machine (stolen, all) started.
struct processors_time {
    double ran, waited; // ns in which the process's threads ran, or were ready but did not run
    double stolen, all; // ticks of all processors: used by other virtual machines; total
};

// Reads the times from /proc. `root` is put before the paths; NULL means "". Returns false if they
// cannot be read.
bool processors_time_read(const char *root, struct processors_time *time);

// Returns the larger of two shares, from the increases between two readings: waited / (waited +
// ran) of this process's threads, and stolen / all of the machine. A share that is unknown is 0.
double processors_time_lost(const struct processors_time *before,
                            const struct processors_time *after);

#endif
