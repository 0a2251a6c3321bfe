// SPDX-License-Identifier: MIT
// A block is a group of cases that are visited in the same rounds. It has one entry for each case
// and each device that measures the case. The entry has the samples so far, and the case's result
// in the run.
#ifndef SUITE_BLOCK_H
#define SUITE_BLOCK_H

#include "measure/collect.h"
#include "suite/budget.h"
#include "suite/executor.h"
#include "suite/plan.h"

struct interrupt;

// A device, the plan of its cases, and the executor that visits these cases.
struct device_slot {
    const struct gpu_info *device;
    struct plan *plan;
    struct executor *executor;
    const char *given_up; // why the device gets no more visits; NULL if it still gets visits
};

struct entry {
    struct plan_case plan_case;
    struct device_slot *slot; // device that measures the case
    // Entry of the next device in the same co-run. NULL if this entry is the last one, or if the
    // case is in no co-run.
    struct entry *co_run;
    // Ids of the other devices in the co-run, separated by commas. NULL if the case is in no
    // co-run.
    const char *with;
    struct collect *collect;
    // Number of the case's visits that a watch has already judged (suite/watcher.h).
    unsigned watched;
    struct result *result;
    // `verdict` is VERDICT_OK until entry_end sets it. `code` and `why` are the reason for it.
    enum verdict verdict;
    const char *code, *why;
};

struct block {
    struct run *run;
    const struct budget *budget;
    const char *preset; // name of the preset, for messages
    // The devices that may measure cases of this block (schedule_desc.slots).
    struct device_slot *slots;
    size_t slot_count;
    struct arena *arena; // memory that lives as long as the block
    struct entry entries[PLAN_BLOCK_CASES * (1 + PLAN_PEERS_MAX)];
    size_t count;
    size_t own;    // number of entries of slots[0], the device whose plan is measured
    size_t base;   // number of results that the run had before this block
    bool compiled; // true: a worker was already asked to compile the programs of the block's cases
    // Memory of the block's provisional results, which were put into the run before the block's
    // end. NULL if it has no such results.
    struct arena *provisional;
    // began_ns is the time when the block began. After soft_ns, a case is visited only if it has
    // fewer than rounds_min rounds, or for a late round until late_ns (block_has_time). After
    // hard_ns, no case is visited. UINT64_MAX means no limit. late_ns is 0 before the first late
    // round.
    uint64_t began_ns, soft_ns, late_ns, hard_ns;
};

// Adds a case of slots[0] to the block. If benchmark.together is set, other devices may measure the
// case in a co-run; the case is then taken out of their plans. A device that was given up takes
// part in no co-run.
void block_add(struct block *block, const struct plan_case *plan_case);

// True if the entry's device is slots[0], whose plan is being measured.
bool block_is_own(const struct block *block, const struct entry *entry);

// True while the entry's case needs visits: it is not done (collect_done), and entry_end has not
// ended it.
bool entry_is_open(const struct entry *entry);

// True if the case needs visits on the entry's device, or on the device of a later entry of the
// co-run (entry.co_run).
bool entry_wants_visit(const struct entry *entry);

// Starts the block and sets its deadlines. `soft_ns` and `hard_ns` are the deadlines of the
// benchmark. The block gets only a part of the time until these deadlines, because `left` cases of
// later blocks also need time.
void block_begin(struct block *block, uint64_t soft_ns, uint64_t hard_ns, size_t left);

// True if the entry's case may be visited now. A co-run may be visited if one of its cases may.
// - Until soft_ns, every case may be visited.
// - After soft_ns, a case with fewer than rounds_min rounds may be visited, and an imprecise case
//   gets late rounds, up to 4 × rounds_min rounds. Late rounds of a block last at most a fifth of
//   the time that the block took before them.
//
// The caller checks hard_ns.
bool block_has_time(struct block *block, const struct entry *entry);

// Sets order->ahead to the block's unfinished cases on slots[0]. The worker compiles their programs
// before the visit. The array is in the block's arena. Does nothing after the first call for a
// block, or if benchmark.programs is NULL.
void block_compile_ahead(struct block *block, struct visit_order *order);

// Ends the entry's case: it gets no more visits. Its result has this verdict and reason, and no
// metrics.
void entry_end(struct entry *entry, enum verdict verdict, const char *code, const char *why);

// Stops all visits on a device. Its unfinished cases fail, and so do cases that are added later.
// `why` must live as long as the run.
void block_give_up(struct block *block, struct device_slot *slot, const char *why);

// Measured cases that wait for their counted visit, which reads hardware counters. Many cases wait
// together, because the worker is replaced after counted visits. No timed visit may run in
// a process that has loaded a profiler.
struct uncounted {
    struct uncounted_case {
        struct plan_case plan_case;
        struct result *result; // the case's result in the run, which gets the counters
        unsigned visits;       // number of visits that the case had so far
    } * cases;
    size_t count, capacity;
    // Benchmarks that were measured but cannot be counted (benchmark.counted is NULL). `names`
    // lists them ("launch, rays"); `never` is the last of them. Both are NULL if there is no such
    // benchmark.
    const struct benchmark *never;
    const char *names;
};

enum {
    // Counted visits are made at the end of a block if at least this many cases wait for them.
    UNCOUNTED_MOST = 256
};

// Adds the block's measured cases on slots[0] to the cases that wait for a counted visit. The
// block's results must already be in the run. Leaves out failed and skipped cases, co-runs (which
// get a remark), and benchmarks that cannot be counted (added to uncounted->names).
void block_await_count(const struct block *block, struct uncounted *uncounted);

// Makes a counted visit of each waiting case, then ends the worker and empties the list. Keeps only
// the counters of these visits. A case gets a remark if its visit fails or reads no counter, or if
// its device was given up. Returns false if no more cases can be counted: counters cannot be read
// (ERROR_UNSUPPORTED), the user interrupted the run (ERROR_INTERRUPTED), or two workers in a row
// were lost. The case of the last visit then gets no remark.
bool block_count(const struct block *block, struct uncounted *uncounted,
                 const struct visit_counting *counting, struct interrupt *interrupt,
                 struct error *err);

// Code of a reason or finding that says why hardware counters of a case or device were not read.
#define BLOCK_UNCOUNTED "uncounted"

enum block_stage {
    BLOCK_AT_WORK, // the cases of the block still get visits
    BLOCK_ENDED,
    BLOCK_INTERRUPTED
};

// Writes the results of the block's cases so far into the run, in the order of the plan. The data
// of the results live in `arena`. A case that still waits for its first visit gets no result.
void block_publish(struct block *block, struct arena *arena, enum block_stage stage);

#endif
