// SPDX-License-Identifier: MIT
// Cases `what=neighbours`: one workgroup on each core follows a chain of its own, all at the same
// time, each through `bytes`. Cores that share a cache share its capacity.
#ifndef BENCH_MAP_NEIGHBOURS_H
#define BENCH_MAP_NEIGHBOURS_H

#include "bench/bench.h"
#include "measure/clock.h"

// What they keep between visits: made at the first. In the session's arena.
struct map_neighbours {
    struct measure_clock clock;
    struct gpu_program *program; // NULL: not yet
};

// map's visit() for such a case. ERROR_UNSUPPORTED where kernels cannot tell time or cores, or
// where two workgroups met on one core.
MUST_CHECK bool map_neighbours_visit(struct map_neighbours *kept, struct bench_visit *run,
                                     struct measure_visit *visit, struct error *err);

#endif
