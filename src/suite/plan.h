// SPDX-License-Identifier: MIT
// Which cases a run visits on one device, handed out one at a time. A preset's plan knows them all
// beforehand; one that goes where the results point says PLAN_PAUSE until it has seen them.
#ifndef SUITE_PLAN_H
#define SUITE_PLAN_H

#include "suite/choices.h"

enum plan_step {
    PLAN_CASE,  // *next is the next case
    PLAN_PAUSE, // the cases so far make a block: their results come first
    PLAN_END
};

struct plan_case {
    const struct benchmark *benchmark;
    const struct bench_case *bench_case;
    const char *key;
    size_t index; // 0, 1, … through the plan
};

struct plan {
    enum plan_step (*next)(struct plan *plan, const struct run *so_far, struct plan_case *next);
    size_t total; // cases in all; 0 = not known beforehand
    // Cases of this benchmark that are still to come; 0 = not known.
    size_t (*left)(const struct plan *plan, const struct benchmark *benchmark);
    // Hands out the case of that key out of its turn, which `next` then passes over; false where it
    // is not to come. NULL: a plan that cannot.
    bool (*take)(struct plan *plan, const char *key, struct plan_case *taken);
};

enum {
    PLAN_CASES_MAX = 16384, // of a preset's plan
    PLAN_BLOCK_CASES = 64,  // that a preset's plan hands out between pauses
    PLAN_PEERS_MAX = 7      // other devices whose plans a case is taken out of, to run beside it
};

// The plan of a preset (and settings) on a device: every case of every benchmark of the request,
// each key once; blocks hold cases of one benchmark. ERROR_USAGE where choices do not go together
// or make more than PLAN_CASES_MAX cases (a full preset: some 5,000).
// A benchmark that the device cannot run at all is left out, with a finding in `run`.
struct plan *plan_preset_create(struct arena *arena, const struct choice_request *request,
                                const struct gpu_info *device, struct run *run, struct error *err);

#endif
