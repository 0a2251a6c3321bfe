// SPDX-License-Identifier: MIT
// The cases that schedule.c has at work: whose they are, how far each came, and what becomes of
// them in the run.
#ifndef SUITE_BLOCK_H
#define SUITE_BLOCK_H

#include "measure/collect.h"
#include "suite/schedule.h"

// A device whose cases are visited.
struct party {
    const struct gpu_info *device;
    struct plan *plan;
    struct executor *executor;
    const char *given_up; // why no more visits are made on it; NULL: they are
};

struct entry {
    struct plan_case planned;
    struct party *party;  // whose case it is
    struct entry *beside; // the next one visited at the same time; NULL: none
    const char *with;     // names the others; NULL: it is visited alone
    struct collect *collect;
    struct result *result;
    // Ended by something else than its collect: VERDICT_OK here = it was not.
    enum verdict verdict;
    const char *code, *why;
};

struct block {
    const struct schedule_desc *desc;
    struct party *parties; // the schedule's own device, then its peers
    struct arena *arena;   // as long as the block
    struct entry entries[PLAN_BLOCK_CASES * (1 + SCHEDULE_PEERS_MAX)];
    size_t count;
    size_t own;                // of them the schedule's own device's
    size_t base;               // results in the run before it
    struct arena *provisional; // results of the block as they stand; NULL: nobody asked
    uint64_t soft_ns, hard_ns; // when its time ends: after enough rounds, and anyway
};

// Opens an entry for a case of the schedule's own device and, where it is measured together, for
// the same case of each peer, which is taken out of the peer's plan. A device that was given up
// neither has company nor is one.
void block_add(struct block *block, const struct plan_case *planned);

bool block_is_own(const struct block *block, const struct entry *entry);

// Neither its collect nor anything else has ended it.
bool entry_is_open(const struct entry *entry);

// One of those that are visited together is still open.
bool entry_wants_visit(const struct entry *entry);

void entry_end(struct entry *entry, enum verdict verdict, const char *code, const char *why);

// No more visits on that device: its open entries have failed, and so will those that follow.
// `why` lives as long as the run.
void block_give_up(struct block *block, struct party *party, const char *why);

enum block_stage {
    BLOCK_AT_WORK, // visits follow
    BLOCK_ENDED,
    BLOCK_INTERRUPTED
};

// Puts what is known of the cases into the run, in the order of the plan; the results live in
// `arena`. Those that were never visited are left out.
void block_publish(struct block *block, struct arena *arena, enum block_stage stage);

#endif
