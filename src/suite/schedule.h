// SPDX-License-Identifier: MIT
// Visits the cases of a plan on one device, block by block. A block is measured in rounds. Each
// round visits every unfinished case of the block that still has time, in random order. So a slow
// drift of the machine affects all cases alike, and a case does not always find the data of the
// same other case in the caches. A case gets no more visits when its stop rule ends it, its time is
// used up, or it fails. The results of a block are added to the run when the block ends, and
// provisionally before each save.
#ifndef SUITE_SCHEDULE_H
#define SUITE_SCHEDULE_H

#include "suite/block.h"

enum {
    SCHEDULE_LOSSES_MAX = 3, // a device gets no more visits after this many lost workers in a row
    SCHEDULE_SAVE_SHARE = 50 // saves take at most about 1 / SCHEDULE_SAVE_SHARE of the time
};

// A co-run's result is suspect if its share of common time is below this (schedule_desc.slots).
#define SCHEDULE_COMMON_LEAST 0.5

// What is measured at present, for the display of progress.
struct schedule_state {
    const char *device;                // id of the device that is measured
    const struct plan_case *plan_case; // case that is being visited
    // `done` is the number of finished cases. `total` is the number of all cases; 0 if it is not
    // known.
    size_t done, total;
    size_t benchmark_total; // number of all cases of the present benchmark; 0 if `total` is 0
    double fraction; // estimated share of the plan's work that is done, 0 to 1; 0 if total is 0
    double left_s;   // estimated seconds until this device and all peers are done; NaN if not known
};

struct schedule_desc {
    struct run *run;
    // slots[0] is the device whose plan is measured. The other slots, at most PLAN_PEERS_MAX, are
    // its peers, which may measure a case together with it in a co-run. For this, both plans must
    // have the case, and benchmark.together must be set. The case is then taken out of the peer's
    // plan, and the devices begin their samples at the same time. The case's value "together"
    // selects the peers: the devices on other chips ("auto"), all devices ("yes"), or no device
    // ("no").
    //
    // A result of a co-run has the value "with", the ids of the other devices, and the sensor
    // "common_time", the share of this device's sampling time during which all devices sampled. A
    // share below SCHEDULE_COMMON_LEAST makes the result suspect.
    struct device_slot *slots;
    size_t slot_count;
    const struct budget *budget;
    const char *preset; // name of the preset, for messages
    uint64_t seed;      // seed of the random order of visits
    // Counter of the user's signals; NULL if signals are not watched.
    struct interrupt *interrupt;
    // Hardware counters to read in counted visits. NULL if there are no counted visits.
    const struct visit_counting *counting;
    // Maximum time in ns to wait for the end of other work on the device; 0 means no wait.
    uint64_t wait_idle_ns;
    // Called with one line of text for the user. May be NULL. The text is about:
    // - other work on the device, before a wait for its end, and again if it does not end in time
    // - counters that cannot be read
    // - benchmarks that are never counted
    void (*notice)(void *context, const char *text);
    // Called before each visit or co-run, but not before counted visits. May be NULL.
    void (*progress)(void *context, const struct schedule_state *state);
    // Saves the run with all results so far. May be NULL. If save_ns is 0, called after each visit.
    // Otherwise called after a visit if the last save is at least save_ns ago, or later if saves
    // take long, because saves take at most about 1 / SCHEDULE_SAVE_SHARE of the time.
    void (*save)(void *context);
    uint64_t save_ns;
    // Called when a benchmark's results on a device are final. May be NULL.
    void (*benchmark_done)(void *context, const char *device, const char *benchmark);
    void *context;
};

// Measures the plan. Returns true if the plan has ended, false if the user interrupted the run.
// Cases without a visit then have no result, and unfinished cases have the reason "interrupted". A
// failed case does not make this function fail; its result says so.
bool schedule_run(const struct schedule_desc *desc);

#endif
