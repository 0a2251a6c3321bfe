// SPDX-License-Identifier: MIT
// Visits the cases of a plan on one device, block by block, in interleaved rounds. Each round
// visits every case of the block that needs a visit, in a new random order. So slow drift of the
// machine affects all cases alike, and no case always runs after the same other case, whose data is
// still in the caches. A case ends by the stop rule, after rounds_max rounds, or when its time is
// used up. Its result then goes into the run.
#ifndef SUITE_SCHEDULE_H
#define SUITE_SCHEDULE_H

#include "suite/budget.h"
#include "suite/executor.h"
#include "suite/plan.h"

enum {
    SCHEDULE_LOSSES_MAX = 3, // lost workers in a row after which a device is given up
    SCHEDULE_SAVE_SHARE = 50 // saves take at most about 1 / SCHEDULE_SAVE_SHARE of the time
};

// Another device of the run. If a benchmark measures devices together (struct benchmark), a case
// that is in the plans of the schedule's device and of the peer is taken out of the peer's plan and
// visited on the two devices at once. This is a co-run: all its devices (there may be several
// peers) begin their samples at the same time. The case's value "together"
// decides: "auto": co-runs only with devices on other chips; "yes": with all devices; "no": with
// none. The results of a co-run have the value "with" (the ids of the other devices) and the sensor
// "common_time" (the share of this device's sampling time in which all devices sampled). A share
// below SCHEDULE_COMMON_LEAST is flagged.
struct schedule_peer {
    const struct gpu_info *device;
    struct plan *plan;
    struct executor *executor;
};
#define SCHEDULE_COMMON_LEAST 0.5

// The state of the schedule, for progress output.
struct schedule_state {
    const char *device;                // id of the device
    const struct plan_case *plan_case; // the case that is being visited
    size_t done, total;                // numbers of cases; total is 0 if it is not known
    size_t benchmark_total;            // number of cases of this benchmark; 0 if total is 0
    double fraction; // estimated share of the plan's work that is done, 0 to 1; 0 if total is 0
    double left_s;   // estimated time until this device and all peers are done; NaN: not known
};

struct schedule_desc {
    struct run *run;
    const struct gpu_info *device;
    struct plan *plan;
    struct executor *executor;
    const struct schedule_peer *peers;
    size_t peer_count;
    const struct budget *budget;
    const char *preset;                    // name of the preset, for messages
    uint64_t seed;                         // seed of the random orders
    struct interrupt *interrupt;           // NULL: signals are not watched
    const struct visit_counting *counting; // NULL: no case gets a counted visit
    uint64_t wait_idle_ns; // longest wait for a device on which there is other work; 0: none
    // Called with one line of text: before waiting for other work on the device to end; if other
    // work is still there after wait_idle_ns; if counters cannot be read. The last two are also
    // findings of the run. May be NULL.
    void (*notice)(void *context, const char *text);
    // Called before each visit. May be NULL.
    void (*progress)(void *context, const struct schedule_state *state);
    // Saves the run, which then has all results so far. Called at most once in save_ns, and less
    // often if saves would take more than 1 / SCHEDULE_SAVE_SHARE of the time. save_ns = 0: called
    // after each visit. May be NULL.
    void (*save)(void *context);
    uint64_t save_ns;
    // Called when a benchmark's results on a device are final. May be NULL.
    void (*benchmark_done)(void *context, const char *device, const char *benchmark);
    void *context;
};

// Runs the schedule. Returns true if the plan has ended, false if the user interrupted the run.
// After an interrupt, cases without a visit have no result, and unfinished cases have the reason
// "interrupted". A case that fails is a result, not an error of this function.
bool schedule_run(const struct schedule_desc *desc);

#endif
