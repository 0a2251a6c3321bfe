// SPDX-License-Identifier: MIT
// Chooses the processors on which this process runs, and measures how much time of the machine's
// processors other processes or virtual machines used.
#ifndef BASE_PROCESSORS_H
#define BASE_PROCESSORS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

enum {
    PROCESSORS_MAX = 8192 // the largest number of processors for which Linux can be built
};

// A set of processors, in the form of the kernel: bit n % W of element n / W is processor n, where
// W is the number of bits of an element. (A cpu_set_t has room for 1024 processors. On a larger
// machine, sched_getaffinity fails with it.)
struct processor_set {
    unsigned long bits[PROCESSORS_MAX / (CHAR_BIT * sizeof(unsigned long))];
};

// processor_set_add and processor_set_has need a processor below PROCESSORS_MAX.
void processor_set_add(struct processor_set *set, size_t processor);
bool processor_set_has(const struct processor_set *set, size_t processor);
size_t processor_set_count(const struct processor_set *set);

// processors_get fills the set with the processors on which the calling thread may run; it is empty
// if the system does not report them. processors_set lets the thread run on the processors of the
// set only; it returns false if the system refuses.
void processors_get(struct processor_set *set);
bool processors_set(const struct processor_set *set);

// Binds the calling thread to the processors in `list`. Threads that the thread creates later are
// bound, too. The list has the form that sysfs uses ("0-3,8,10-11"). If the list is empty or
// malformed, or if the system refuses, returns false and changes nothing.
bool processors_bind(const char *list);

// Returns the number of processors on which the calling thread may run; 1 if the system does not
// report it.
unsigned processors_allowed(void);

// Processor times of a process and of its machine. `ran`, `waited` and `family` count from the
// start of the processes, `throttled` from the start of the container; the other members count from
// the start of the machine.
struct processors_time {
    // Times in ns, summed over the threads of this process. `ran`: time for which threads ran.
    // `waited`: time for which threads that could run waited for a processor.
    double ran, waited;
    // Sums over all processors, in clock ticks. `stolen`: time that other virtual machines used.
    // `busy`: time that any process or virtual machine used. `all`: busy and idle time. `family`:
    // time that the process family_pid and its children used, including children that have ended.
    double stolen, busy, all, family;
    // Number of periods in which the processor limit of the container (control group) stopped
    // threads; 0 if there is no limit, or if the number is not known.
    double throttled;
};

// Reads the times from /proc. time->family gets the time of the process family_pid and its
// children. `root` is put before the paths; NULL means "". Returns false if the times of this
// process or of the machine cannot be read.
bool processors_time_read(const char *root, long family_pid, struct processors_time *time);

// Returns the share of time, 0 to 1, that this process lost to other processes and virtual machines
// between two readings. This is the larger of two shares: waited / (waited + ran) of this process,
// and stolen / all of the machine. An unknown share counts as 0.
double processors_time_lost(const struct processors_time *before,
                            const struct processors_time *after);

// Returns the share of the machine's processor time, 0 to 1, that others used between two readings.
// The others are the processes outside the family and other virtual machines. Returns 0 if the
// share is not known, for example if the family's time is shorter than before.
double processors_time_others(const struct processors_time *before,
                              const struct processors_time *after);

#endif
