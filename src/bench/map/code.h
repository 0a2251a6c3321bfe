// SPDX-License-Identifier: MIT
// Cases `what=code`: one subgroup runs straight-line code of `instructions` multiply-adds again and
// again; where it no longer fits a cache of instructions, each takes longer.
#ifndef BENCH_MAP_CODE_H
#define BENCH_MAP_CODE_H

#include "bench/map/code_program.h"
#include "measure/clock.h"

// What such cases keep between visits. In the session's arena.
struct map_code {
    bool probed;
    struct measure_clock clock;
    struct map_code_program programs[MAP_CODE_SIZES];
    double warm_hz; // the core's clock, as it was last
    double empty;   // an empty lap: counts of the core's counter, or ns without one
};

// map's visit() for such a case. ERROR_UNSUPPORTED where the device has no kernel of that length,
// where its compiler would take too long, or where the code that a lap leaves out takes time too.
MUST_CHECK bool map_code_visit(struct map_code *kept, struct bench_visit *run,
                               struct measure_visit *visit, struct error *err);

#endif
