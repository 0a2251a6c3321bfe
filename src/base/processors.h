// SPDX-License-Identifier: MIT
// The processors that this process runs on, and how long others had them.
#ifndef BASE_PROCESSORS_H
#define BASE_PROCESSORS_H

#include <stdbool.h>

// Binds this process to the processors of a list in the form of sysfs ("0-3,8,10-11"). Returns
// false and changes nothing if the list is empty or malformed, or if the system does not allow it.
bool processors_bind(const char *list);

// Counters of time since the start.
struct processors_time {
    double ran, waited; // of this process's threads: they ran; they were ready, but others ran
    double stolen, all; // of the machine: another virtual machine had its processors; all time
};

// Reads the counters from /proc. `root` is put before the paths; NULL means "". False if the system
// does not have them.
bool processors_time_read(const char *root, struct processors_time *time);

// The share of the time between two readings in which others had the processors that this process's
// threads were ready to use, or in which they were stolen, whichever is larger; 0 if unknown.
double processors_time_lost(const struct processors_time *before,
                            const struct processors_time *after);

#endif
