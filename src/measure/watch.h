// SPDX-License-Identifier: MIT
// The watch looks for other work on a device, between visits, while fathom gives the device nothing
// to do.
//
// Time slices. The clock kernel (measure/clock_kernel.h) runs on all cores for some 5 ms, longer
// than a slice of a driver, and stamps the device-wide clock again and again. If the device does
// other work, two successive stamps are much farther apart than the wait between them. If the
// device's kernels cannot read such a clock, dispatches of equal work are timed one by one, and a
// dispatch that takes much longer than the median was interrupted.
//
// Yardsticks. Other work that runs at the same time as fathom's leaves no gap: clients of one
// context server, copies by an engine. The rates of small fixed pieces of work show such other
// work: arithmetic on all cores, a copy in the device's memory, a copy in each direction of the
// link. Their rates are compared with the best ones of the run and with limits (suite/watcher.h).
#ifndef MEASURE_WATCH_H
#define MEASURE_WATCH_H

#include "measure/clock.h"

enum watch_method {
    WATCH_NONE,
    WATCH_GAPS,    // gaps between two readings of a clock in a kernel
    WATCH_LENGTHS, // lengths of equal dispatches
    WATCH_QUEUE    // a CPU device: time that threads waited for a processor (base/processors.h)
};

enum watch_yardstick {
    WATCH_CORES,     // iterations of all cores, per core cycle or per second
    WATCH_MEMORY,    // bytes per second copied within the device's memory
    WATCH_TO_DEVICE, // bytes per second copied from the host
    WATCH_TO_HOST,
    WATCH_YARDSTICKS
};

// What one watch found.
struct watch_finding {
    enum watch_method method;
    double share;      // share of the watched time in which the device did other work
    double longest_ns; // the longest time in which other work had the device
    double watched_ns;
    double rates[WATCH_YARDSTICKS];  // NaN: not measured
    double limits[WATCH_YARDSTICKS]; // physical limits of the rates; NaN: not known
    const char *who;                 // processes that use the device; NULL: not known
};

struct measure_watch;

// False with ERROR_UNSUPPORTED for a CPU device, whose threads are watched instead, or if this
// build lacks the kernel.
MUST_CHECK bool measure_watch_check(const struct gpu_info *info, struct error *err);

// Prepares a watch of a device in `scope`. Returns NULL with an error.
struct measure_watch *measure_watch_open(struct arena *arena, struct gpu_scope *scope,
                                         struct error *err);

// Watches for at least `least_ns` (0: 5 ms), which must not be much more than a second.
MUST_CHECK bool measure_watch_run(struct measure_watch *watch, uint64_t least_ns,
                                  struct watch_finding *finding, struct error *err);

// ---------------------------------------------------------------- from times alone

// Adds the sum of the intervals (times between neighbouring readings of one core's clock, or
// lengths of equal dispatches) to watched_ns. An interval counts as interrupted if it is longer
// than six times the median (a core clock cannot change so much) and than the median plus 20 µs.
// Adds what such an interval lasts beyond the median to `away_ns`, and raises longest_ns to the
// largest one.
void watch_add_intervals(struct arena *scratch, const double *intervals_ns, size_t count,
                         struct watch_finding *finding, double *away_ns);

// Drops the rate of the copy in memory (sets it to NaN) if the core clock beside it was below 90 %
// of *fastest_hz, the fastest one that a watch has seen, which it updates: the L2 runs at the core
// clock or near it, so a copy is slow on a card that dozes. An H200 at 800 MHz copies at 63 % of
// its best rate. A clock of NaN is not known.
void watch_drop_slow_clock(double core_hz, double *fastest_hz, struct watch_finding *finding);

#endif
