// SPDX-License-Identifier: MIT
// Chooses the processors on which this process runs, and measures how much time of the machine's
// processors other processes or virtual machines used.
#ifndef BASE_PROCESSORS_H
#define BASE_PROCESSORS_H

#include <stdbool.h>

// Binds the calling thread, and the threads that it creates later, to the processors of a list in
// the form of sysfs ("0-3,8,10-11"). Returns false and changes nothing if the list is empty or
// malformed, or if the system does not allow it.
bool processors_bind(const char *list);

// Returns how many processors the calling thread may run on; 1 if the system does not report it.
unsigned processors_allowed(void);

// Times that a process or its machine has spent so far: `ran`, `waited` and `family` since the
// start of these processes, the others since the start of the machine.
struct processors_time {
    // ns in which this process's threads ran, and in which they were ready but had to wait for a
    // processor
    double ran, waited;
    // Sums over all processors, in clock ticks. `stolen`: used by other virtual machines; `busy`:
    // used by any process or virtual machine; `all`: busy or not; `family`: used by the process
    // family_pid and by its children, also those that have ended.
    double stolen, busy, all, family;
};

// Reads the times from /proc. `root` is put before the paths; NULL means "". `family_pid` is the
// process whose children work with this process. Returns false if the times of this process or of
// the machine cannot be read.
bool processors_time_read(const char *root, long family_pid, struct processors_time *time);

// Returns the share of time that this process lost to other processes and virtual machines between
// two readings. It is the larger of two shares: waited / (waited + ran) of the process's threads,
// and stolen / all of the machine. A share that is unknown counts as 0.
double processors_time_lost(const struct processors_time *before,
                            const struct processors_time *after);

// Returns the share of the machine's processors, 0 to 1, that others than the family used between
// two readings: other processes and other virtual machines. A share that is unknown counts as 0.
double processors_time_others(const struct processors_time *before,
                              const struct processors_time *after);

#endif
