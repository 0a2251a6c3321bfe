// SPDX-License-Identifier: MIT
// A block: the cases that are visited in the same rounds. Each entry has a case's device, its
// visits so far, and its result in the run.
#ifndef SUITE_BLOCK_H
#define SUITE_BLOCK_H

#include "measure/collect.h"
#include "suite/budget.h"
#include "suite/executor.h"
#include "suite/plan.h"

struct interrupt;

// A device whose cases are visited.
struct device_slot {
    const struct gpu_info *device;
    struct plan *plan;
    struct executor *executor;
    const char *given_up; // why the device gets no more visits; NULL if it still gets them
};

struct entry {
    struct plan_case plan_case;
    struct device_slot *slot; // the device that measures the case
    struct entry *co_run;     // next case of the same co-run; NULL: none
    const char *with;         // ids of the co-run's other devices; NULL: no co-run
    struct collect *collect;
    unsigned watched; // number of the case's visits that suite/watcher.h has judged
    struct result *result;
    // The verdict, reason code and text that entry_end set. VERDICT_OK: entry_end was not called.
    enum verdict verdict;
    const char *code, *why;
};

struct block {
    struct run *run;
    const struct budget *budget;
    const char *preset;        // name of the preset, for messages
    struct device_slot *slots; // [0]: the schedule's own device; then its peers
    size_t slot_count;
    struct arena *arena; // memory that lives as long as the block
    struct entry entries[PLAN_BLOCK_CASES * (1 + PLAN_PEERS_MAX)];
    size_t count;
    size_t own;                // number of entries whose device is the schedule's own
    size_t base;               // number of results in the run before this block
    struct arena *provisional; // arena of results published before the block ends; NULL: none
    // Times after which cases are not visited any more: hard_ns for cases with fewer than
    // rounds_min rounds, soft_ns for all others. UINT64_MAX: no limit.
    uint64_t soft_ns, hard_ns;
};

// Adds a case of the schedule's own device. If the benchmark measures devices together, also takes
// the same case out of the plan of each peer that may co-run with it. A device that was given up
// takes part in no co-run.
void block_add(struct block *block, const struct plan_case *plan_case);

// True if the entry belongs to the schedule's own device.
bool block_is_own(const struct block *block, const struct entry *entry);

// True while the entry needs visits: neither its stop rule nor entry_end has ended it.
bool entry_is_open(const struct entry *entry);

// True if the entry, or a later entry of its co-run, is open.
bool entry_wants_visit(const struct entry *entry);

// Ends the entry: its result gets this verdict and reason, and no metrics.
void entry_end(struct entry *entry, enum verdict verdict, const char *code, const char *why);

// Stops all visits on a device. Its open entries fail, and so do entries that are added later.
// `why` must live as long as the run.
void block_give_up(struct block *block, struct device_slot *slot, const char *why);

// Measured cases that wait for their counted visit (struct visit_counting). Many cases wait
// together, because the worker is replaced after counted visits: no timed visit may run in a
// process that has loaded a profiler.
struct uncounted {
    struct uncounted_case {
        struct plan_case plan_case;
        struct result *result; // already in the run; gets the counters
        unsigned visits;       // number of visits made so far
    } * cases;
    size_t count, capacity;
};

enum {
    UNCOUNTED_MOST = 256 // as soon as this many cases wait, their counted visits are made
};

// Adds the measured cases of the schedule's own device to those that wait, except co-runs, failed
// cases, and cases of benchmarks without `counted`. The block's results must be in the run already.
void block_await_count(const struct block *block, struct uncounted *uncounted);

// Makes the counted visits of all cases that wait, then ends the worker. Of such a visit only the
// counters are used. A case whose visit fails gets a remark. Returns false if no further case can
// be counted: counters cannot be read (ERROR_UNSUPPORTED), the user interrupted the run
// (ERROR_INTERRUPTED), or two workers in a row were lost.
bool block_count(const struct block *block, struct uncounted *uncounted,
                 const struct visit_counting *counting, struct interrupt *interrupt,
                 struct error *err);

// Code of the reasons and findings that say why a case or device has no counters.
#define BLOCK_UNCOUNTED "uncounted"

enum block_stage {
    BLOCK_AT_WORK, // visits of the block go on
    BLOCK_ENDED,
    BLOCK_INTERRUPTED
};

// Writes the block's results so far into the run, in the order of the plan. The results live in
// `arena`. An open entry without a visit gets no result.
void block_publish(struct block *block, struct arena *arena, enum block_stage stage);

#endif
