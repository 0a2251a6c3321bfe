// SPDX-License-Identifier: MIT
// Creates the plan of a preset. All its cases are known when the plan is created.
#ifndef SUITE_PLAN_H
#define SUITE_PLAN_H

#include "bench/plan.h"

enum {
    PLAN_CASES_MAX = 16384,
    PLAN_BLOCK_CASES = 64, // maximum number of cases of one device in a block
    PLAN_PEERS_MAX = 7     // maximum number of other devices in a co-run
};

// Creates a plan of every case of every benchmark of the request, without repeated keys. The plan
// returns PLAN_PAUSE after each PLAN_BLOCK_CASES cases and between benchmarks; then these cases are
// measured. If the device cannot run a benchmark, the plan has no cases of it, and `run` gets a
// finding. Returns NULL with an error, for example ERROR_USAGE if choices contradict each other, or
// if there are more than PLAN_CASES_MAX cases. (The preset full has about 5,000.)
struct plan *plan_preset_create(struct arena *arena, const struct choice_request *request,
                                const struct gpu_info *device, struct run *run, struct error *err);

#endif
