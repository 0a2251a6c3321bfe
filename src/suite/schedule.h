// SPDX-License-Identifier: MIT
// Visits the cases of a plan on one device, block by block, in interleaved rounds. Each round
// visits every unfinished case of the block that still has time. The order of each round is random.
// So a slow drift of the machine affects all cases alike. No case always runs after the same other
// case, whose data may still be in the caches. A case ends in one of four ways: the stop rule ends
// it, it has had rounds_max rounds, its time is used up, or it fails. The results of a block are
// added to the run when the block ends, and provisionally before each save.
#ifndef SUITE_SCHEDULE_H
#define SUITE_SCHEDULE_H

#include "suite/budget.h"
#include "suite/executor.h"
#include "suite/plan.h"

enum {
    SCHEDULE_LOSSES_MAX = 3, // a device gets no more visits after this many lost workers in a row
    SCHEDULE_SAVE_SHARE = 50 // at most about 1 / SCHEDULE_SAVE_SHARE of the time is spent on saves
};

// Another device of the run, for benchmarks that measure devices together (benchmark.together). If
// a case is in the plans of the schedule's device and of peers, it is visited on all these devices
// at once, and taken out of the peers' plans. This is a co-run: its devices begin their samples at
// the same time. The case's value "together" decides which devices take part: devices on other
// chips ("auto"), all devices ("yes"), or none ("no"). A result of a co-run has the value "with":
// the ids of the other devices. It has the sensor "common_time": the share of this device's
// sampling time during which all devices sampled. A share below SCHEDULE_COMMON_LEAST makes the
// result suspect.
struct schedule_peer {
    const struct gpu_info *device;
    struct plan *plan;
    struct executor *executor;
};
#define SCHEDULE_COMMON_LEAST 0.5

// What is measured at present, for the display of progress.
struct schedule_state {
    const char *device;                // id of the device that is measured
    const struct plan_case *plan_case; // case that is being visited
    // Number of finished cases, and number of all cases. `total` is 0 if it is not known.
    size_t done, total;
    size_t benchmark_total; // number of cases of the present benchmark; 0 if total is 0
    double fraction; // estimated share of the plan's work that is done, 0 to 1; 0 if total is 0
    double left_s;   // estimated seconds until this device and all peers are done; NaN if not known
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
    // Counts the user's signals. If it is NULL, signals are not watched.
    struct interrupt *interrupt;
    // Hardware counters to read. If it is NULL, no case gets a counted visit.
    const struct visit_counting *counting;
    // Maximum time in ns to wait until other work on the device ends; 0 means no wait.
    uint64_t wait_idle_ns;
    // Called with one line of text in four situations: before waiting until other work on the
    // device ends; if this work still runs after wait_idle_ns; if counters cannot be read; and for
    // benchmarks that are never counted. In all but the first, the text also becomes a finding of
    // the run. May be NULL.
    void (*notice)(void *context, const char *text);
    // Called before each visit. May be NULL.
    void (*progress)(void *context, const struct schedule_state *state);
    // Saves the run with all results so far. Called after a visit, at most once in save_ns. If
    // saves would take more than 1 / SCHEDULE_SAVE_SHARE of the time, called less often. If save_ns
    // is 0, called after each visit. May be NULL.
    void (*save)(void *context);
    uint64_t save_ns;
    // Called when a benchmark's results on a device are final. May be NULL.
    void (*benchmark_done)(void *context, const char *device, const char *benchmark);
    void *context;
};

// Measures the plan. Returns true if the plan has ended, false if the user interrupted the run.
// After an interrupt, cases without a visit have no result, and unfinished cases have the reason
// "interrupted". A case that fails does not make this function fail; its result says so.
bool schedule_run(const struct schedule_desc *desc);

#endif
