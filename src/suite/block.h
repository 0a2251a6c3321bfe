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

// A device, with the plan of its cases and the executor that measures them.
struct device_slot {
    const struct gpu_info *device;
    struct plan *plan;
    struct executor *executor;
    const char *given_up; // why the device gets no more visits; NULL if it still gets them
};

struct entry {
    struct plan_case plan_case;
    struct device_slot *slot; // device that measures the case
    // Next case of the same co-run, the cases that several devices measure at the same time; NULL:
    // none.
    struct entry *co_run;
    const char *with; // ids of the co-run's other devices; NULL: no co-run
    struct collect *collect;
    // Number of the case's visits for which a watch (suite/watcher.h) has judged whether other work
    // disturbed them.
    unsigned watched;
    struct result *result;
    // The verdict, reason code and text that entry_end set. VERDICT_OK: entry_end was not called.
    enum verdict verdict;
    const char *code, *why;
};

struct block {
    struct run *run;
    const struct budget *budget;
    const char *preset; // name of the preset, for messages
    // The devices that are measured in this block. [0] is the device whose schedule this is; the
    // others (its peers) are measured together with it.
    struct device_slot *slots;
    size_t slot_count;
    struct arena *arena; // memory that lives as long as the block
    struct entry entries[PLAN_BLOCK_CASES * (1 + PLAN_PEERS_MAX)];
    size_t count;
    size_t own;                // number of entries whose device is the schedule's own
    size_t base;               // number of results in the run before this block
    bool compiled;             // true: an order has named the block's cases, to compile ahead
    struct arena *provisional; // memory of results published before the block ended; NULL: none
    // Times after which cases are not visited any more: hard_ns for cases with fewer than
    // rounds_min rounds, late_ns for imprecise cases with fewer than twice as many
    // (block_has_time), soft_ns for all others. UINT64_MAX: no limit. late_ns is 0 until a case
    // needs it.
    uint64_t began_ns, soft_ns, late_ns, hard_ns;
};

// Adds a case of the schedule's own device. If the benchmark measures devices together, also takes
// the same case out of the plan of each peer that may co-run with it. A device that was given up
// takes part in no co-run.
void block_add(struct block *block, const struct plan_case *plan_case);

// True if the case (entry) is measured on the schedule's own device.
bool block_is_own(const struct block *block, const struct entry *entry);

// True while the case (entry) needs visits: neither its stop rule nor entry_end has ended it.
bool entry_is_open(const struct entry *entry);

// True if the case (entry), or a case after it in its co-run (entry.co_run), still needs visits.
bool entry_wants_visit(const struct entry *entry);

// Begins the block's time. Its cases and `left` later cases of the benchmark share the time until
// soft_ns and until hard_ns (struct budget).
void block_begin(struct block *block, uint64_t soft_ns, uint64_t hard_ns, size_t left);

// True if the case (entry) may be visited now: always before soft_ns, and after it if the case has
// fewer than rounds_min rounds. After soft_ns, a case that would get the remark "imprecise" after
// rounds_min rounds may also have twice as many rounds, but for at most a fifth of the block's time
// so far. The caller checks hard_ns.
bool block_has_time(struct block *block, const struct entry *entry);

// The first time for a block, sets order->ahead to all its cases on the schedule's own device that
// need visits, in the block's arena. Later, and for a benchmark that compiles nothing ahead, does
// nothing.
void block_compile_ahead(struct block *block, struct visit_order *order);

// Ends the case (entry): it gets no more visits, and its result has this verdict and reason but no
// metrics.
void entry_end(struct entry *entry, enum verdict verdict, const char *code, const char *why);

// Stops all visits on a device. Cases on this device that still need visits fail, and so do those
// that are added later. `why` must live as long as the run.
void block_give_up(struct block *block, struct device_slot *slot, const char *why);

// Measured cases that wait for their counted visit, in which hardware counters are read. Many cases
// wait together, because the worker is replaced after counted visits: no timed visit may run in a
// process that has loaded a profiler.
struct uncounted {
    struct uncounted_case {
        struct plan_case plan_case;
        struct result *result; // the case's result in the run, which gets the counters
        unsigned visits;       // number of visits that the case had so far
    } * cases;
    size_t count, capacity;
    // The last measured benchmark that lacks the function `counted`, and the names of all such
    // benchmarks: "launch, rays". NULL: none.
    const struct benchmark *never;
    const char *names;
};

enum {
    // Counted visits, which read hardware counters, are made as soon as this many cases wait for
    // one.
    UNCOUNTED_MOST = 256
};

// Adds the block's measured cases on the schedule's own device to those that wait for a counted
// visit. Leaves out failed cases, cases of benchmarks without `counted`, whose names it notes, and
// co-runs, which get a remark. The block's results must be in the run already.
void block_await_count(const struct block *block, struct uncounted *uncounted);

// Makes a counted visit of each case that waits for one, then ends the worker. Of such a visit,
// only the counters are kept. If a visit fails or counts nothing, its case gets a remark, and the
// next case follows. Returns false, without a remark, if no further case can be counted: counters
// cannot be read (ERROR_UNSUPPORTED), the user interrupted the run (ERROR_INTERRUPTED), or two
// workers in a row were lost.
bool block_count(const struct block *block, struct uncounted *uncounted,
                 const struct visit_counting *counting, struct interrupt *interrupt,
                 struct error *err);

// Code of a reason or finding that says why hardware counters of a case or device were not read.
#define BLOCK_UNCOUNTED "uncounted"

enum block_stage {
    BLOCK_AT_WORK, // the block's cases still get visits
    BLOCK_ENDED,
    BLOCK_INTERRUPTED
};

// Writes the results of the block's cases so far into the run, in the order of the plan. The
// results live in `arena`. A case that still waits for its first visit gets no result.
void block_publish(struct block *block, struct arena *arena, enum block_stage stage);

#endif
