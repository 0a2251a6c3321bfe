// SPDX-License-Identifier: MIT
// The watch finds out whether a device does other work. It runs between visits, while fathom gives
// the device nothing else to do.
//
// Time slices. The clock kernel (measure/clock_kernel.h) runs with one workgroup per core, at most
// 512, for about 5 ms, longer than a driver's time slice. It reads the device-wide clock again and
// again. If the device does other work meanwhile, two successive readings are much farther apart
// than the wait between them. If kernels cannot read such a clock, dispatches of equal work are
// timed one by one. Other work interrupted a dispatch if it takes much longer than the median.
//
// Yardsticks. Other work may also run at the same time as fathom's work and leave no gap. Examples
// are clients of the same context server (MPS) and copies by a copy engine. Such work lowers the
// rates of the yardsticks. Yardsticks are small fixed pieces of work: arithmetic on all cores, a
// copy within the device's memory, repeated copies within the last cache, and a copy over the link
// in each direction. Each rate is compared with the best rate of this yardstick in the run and with
// its limit (suite/watcher.h). Other work that holds a place on a single core lowers only one
// yardstick: the number of small workgroups that run at the same time.
//
// The card's sensors show the traffic over its links, and whether a process allocates or frees the
// card's memory (measure/card.h).
#ifndef MEASURE_WATCH_H
#define MEASURE_WATCH_H

#include "measure/clock.h"

enum watch_method {
    WATCH_NONE,
    // the watch looks for gaps between the readings of a kernel that reads a clock all the time
    WATCH_GAPS,
    WATCH_LENGTHS, // the watch times equal dispatches, and looks for dispatches that take longer
    // the watch measures how long threads waited for a processor, if the device is a CPU
    WATCH_QUEUE
};

enum watch_yardstick {
    // Rate of arithmetic on all cores, in iterations per core cycle, or in iterations per second if
    // the core clock cannot be read.
    WATCH_CORES,
    WATCH_MEMORY,    // rate of a copy within the device's memory, in bytes per second
    WATCH_CACHE,     // rate of copies within the last cache, in bytes per second
    WATCH_TO_DEVICE, // rate of a copy from the host to the device, in bytes per second
    WATCH_TO_HOST,
    WATCH_PLACES, // number of small workgroups that run on all cores at the same time
    WATCH_YARDSTICKS
};

// What measure_watch_run found out about other work on the device.
struct watch_finding {
    enum watch_method method;
    double share;      // share, 0 to 1, of the watched time in which the device did other work
    double longest_ns; // longest single interruption by other work, in ns
    double watched_ns;
    // Measured value of each yardstick (enum watch_yardstick): a rate, but for WATCH_PLACES a
    // number of workgroups. NaN if not measured.
    double rates[WATCH_YARDSTICKS];
    double limits[WATCH_YARDSTICKS]; // physical limit of each rate; NaN if not known
    // Traffic over the card's links in bytes per second while fathom copies nothing, and change of
    // the card's used memory in bytes while fathom allocates nothing; NaN if not known.
    // measure_watch_run sets NaN; its caller gets the values from measure/card.h.
    double link_traffic, memory_change;
    // Bytes per second over PCI Express to and from other cards of the host; NaN if not known.
    // measure_watch_run sets NaN; its caller gets the value from measure/card.h.
    double others_traffic;
    // host_used is the share of the host's processors that other processes used since the last
    // watch. host_waited is the share of this time in which fathom's process waited for a processor
    // (base/processors.h). NaN if not known, or if the device's times do not depend on the host.
    // measure_watch_run sets NaN; its caller sets the values.
    double host_used, host_waited;
    // True if the processor limit of fathom's container (control group) stopped its threads since
    // the last watch. measure_watch_run sets false; its caller sets the value.
    bool throttled;
    // Names of other processes that use the device; NULL if not known. measure_watch_run sets NULL;
    // its caller sets the value.
    const char *who;
};

struct measure_watch;

// Checks whether fathom can look for other work on a device. Fails with ERROR_UNSUPPORTED for a
// CPU: there, fathom measures how long threads waited (WATCH_QUEUE). Also fails if this build lacks
// the clock kernel's variant that reads no clock.
MUST_CHECK bool measure_watch_check(const struct gpu_info *info, struct error *err);

// Prepares to look for other work; `scope` owns the GPU objects. Returns NULL with an error.
struct measure_watch *measure_watch_open(struct arena *arena, struct gpu_scope *scope,
                                         struct error *err);

// Looks for other work on the device for about `least_ns`, in parts of 5 ms (at least one). A part
// is repeated, at most three times, if it lasted less than 90 % of 5 ms without the time of other
// work.
MUST_CHECK bool measure_watch_run(struct measure_watch *watch, uint64_t least_ns,
                                  struct watch_finding *finding, struct error *err);

// Returns true if another process allocates or frees memory of the card. On an H200, reads of
// memory are then 11 % slower, and latencies near the size of the L2 17 % longer.
bool watch_memory_changes(const struct watch_finding *finding);

// Returns true if other work moves more than 2 % of the link's limit and 0.5 GB/s over the card's
// links. An idle H200 seems to move up to 0.17 GB/s, because reading the traffic itself moves 0.17
// MB.
bool watch_traffic_is_high(const struct watch_finding *finding);

// ---------------------------------------------------------------- computed from times

// Adds intervals to a finding: times between neighbouring readings of a clock by one workgroup, or
// lengths of equal dispatches. watched_ns grows by their sum. `usual_ns` is an interval without
// other work. Other work interrupted an interval that exceeds six times the usual one, and exceeds
// the usual one by 20 µs, because no change of the core clock makes it so long. Other work also
// interrupted an interval that exceeds the intervals on both sides by half of their length and 40
// µs. *away_ns grows by each excess, and longest_ns is the longest excess. A single excess below
// 225 µs does not count, because a card may pause once by itself.
void watch_add_intervals(const double *intervals_ns, size_t count, double usual_ns,
                         struct watch_finding *finding, double *away_ns);

#endif
