// SPDX-License-Identifier: MIT
// Visits the cases of a plan on one device, block by block, in interleaved rounds: each round takes
// every case of the block that still wants a visit, in a fresh random order, so that slow drifts of
// the machine fall on all cases alike and neighbours never keep each other's caches warm. Gathers
// until the stop rule, the rounds or the time come to an end, and puts the results into the run.
#ifndef SUITE_SCHEDULE_H
#define SUITE_SCHEDULE_H

#include "suite/budget.h"
#include "suite/executor.h"
#include "suite/plan.h"

enum {
    SCHEDULE_LOSSES_MAX = 3, // workers lost in a row, after which a device is given up
    SCHEDULE_PEERS_MAX = 7
};

// Another device of the run. What a benchmark that is measured together (struct benchmark) has in
// common with its plan is taken out of that plan and visited on both at the same time, its samples
// from the same moment on. A case says so by its value "together": "auto" = with devices on other
// chips, "yes" = with all, "no". Both results then have the value "with" in their case, which names
// the others, and among their sensors "common_time": the share of the time of its samples in which
// all took theirs; below SCHEDULE_COMMON_LEAST they doubt it.
struct schedule_peer {
    const struct gpu_info *device;
    struct plan *plan;
    struct executor *executor;
};
#define SCHEDULE_COMMON_LEAST 0.5

// What is going on, for whoever watches.
struct schedule_state {
    const char *device, *key; // the case being visited; NULL: between cases
    size_t done, total;       // cases; total 0 = not known
    double fraction;          // of the work of this device, 0 … 1
    uint64_t elapsed_ns;      // on this device
};

struct schedule_desc {
    struct run *run;
    const struct gpu_info *device;
    struct plan *plan;
    struct executor *executor;
    const struct schedule_peer *peers;
    size_t peer_count;
    const struct budget *budget;
    const char *preset;          // for messages
    uint64_t seed;               // of the orders
    struct interrupt *interrupt; // NULL: never
    // Before each visit and at the end of each block. NULL: nobody watches.
    void (*progress)(void *context, const struct schedule_state *state);
    // At most once in save_ns, when the run holds what was measured so far. NULL: never.
    void (*save)(void *context);
    uint64_t save_ns;
    // The last block of a benchmark on this device is in the run, or the schedule ends. NULL: -.
    void (*benchmark_done)(void *context, const char *device, const char *benchmark);
    void *context;
};

// Goes on until the plan ends (true) or the user interrupts it (false): then what was visited is in
// the run with that reason, and what was not is left out. Failures of cases are results.
bool schedule_run(const struct schedule_desc *desc);

#endif
