// SPDX-License-Identifier: MIT
// Visits the cases of a plan on one device, block by block, in interleaved rounds. Each round
// visits every unfinished case of the block that still has time, in a new random order. So a slow
// drift of the machine affects all cases alike, and no case always runs after the same other case,
// whose data may still be in the caches. A case ends by the stop rule, after rounds_max rounds,
// when its time is used up, or if it fails. The results of a block are added to the run when the
// block ends, and provisionally before each save.
#ifndef SUITE_SCHEDULE_H
#define SUITE_SCHEDULE_H

#include "suite/budget.h"
#include "suite/executor.h"
#include "suite/plan.h"

enum {
    SCHEDULE_LOSSES_MAX = 3, // a device is given up after this many lost workers in a row
    SCHEDULE_SAVE_SHARE = 50 // saves take about 1 / SCHEDULE_SAVE_SHARE of the time at most
};

// Another device of the run, for benchmarks that measure devices together (struct benchmark). A
// case that is in the plans of the schedule's device and of peers is taken out of the peers' plans
// and visited on all these devices at once. This is a co-run: its devices begin their samples at
// the same time. The case's value "together" decides with which devices: "auto" with devices on
// other chips, "yes" with all devices, "no" with none. The results of a co-run have the value
// "with" (ids of the other devices) and the sensor "common_time" (share of this device's sampling
// time during which all devices sampled). A share below SCHEDULE_COMMON_LEAST makes the result
// suspect.
struct schedule_peer {
    const struct gpu_info *device;
    struct plan *plan;
    struct executor *executor;
};
#define SCHEDULE_COMMON_LEAST 0.5

// What the schedule is doing at present; the display of progress shows it.
struct schedule_state {
    const char *device;                // id of the device that is measured
    const struct plan_case *plan_case; // case that is being visited
    // Number of finished cases, and of all cases; total is 0 if it is not known.
    size_t done, total;
    size_t benchmark_total; // number of cases of the present benchmark; 0 if total is 0
    double fraction; // estimated share of the plan's work that is done, 0 to 1; 0 if total is 0
    double left_s;   // estimated seconds until this device and all peers are done; NaN: not known
};

struct schedule_desc {
    struct run *run;
    const struct gpu_info *device;
    struct plan *plan;
    struct executor *executor;
    const struct schedule_peer *peers;
    size_t peer_count;
    const struct budget *budget;
    const char *preset; // name of the preset, for messages
    uint64_t seed;      // seed of the random order of visits
    // Counts the user's signals; NULL: signals are not watched.
    struct interrupt *interrupt;
    // Hardware counters to read; NULL: no case gets a counted visit.
    const struct visit_counting *counting;
    uint64_t wait_idle_ns; // maximum time to wait until other work on the device ends; 0: no wait
    // Called with one line of text: before waiting until other work on the device ends; if this
    // work goes on after wait_idle_ns; if counters cannot be read; and for benchmarks that are
    // never counted. In all cases but the first, the run gets the text as a finding, too. May be
    // NULL.
    void (*notice)(void *context, const char *text);
    // Called before each visit. May be NULL.
    void (*progress)(void *context, const struct schedule_state *state);
    // Saves the run with all results so far. Called at most once in save_ns, and less often if
    // saves would take more than 1 / SCHEDULE_SAVE_SHARE of the time. If save_ns is 0, called after
    // each visit. May be NULL.
    void (*save)(void *context);
    uint64_t save_ns;
    // Called when a benchmark's results on a device are final. May be NULL.
    void (*benchmark_done)(void *context, const char *device, const char *benchmark);
    void *context;
};

// Runs the schedule. Returns true if the plan has ended, false if the user interrupted the run.
// After an interrupt, cases without a visit have no result, and unfinished cases have the reason
// "interrupted". If a case fails, its result says so; this function does not fail.
bool schedule_run(const struct schedule_desc *desc);

#endif
