// SPDX-License-Identifier: MIT
// How many workgroups were on a core at once, from when each one began and ended: no device here.
#ifndef BENCH_OCCUPANCY_TALLY_H
#define BENCH_OCCUPANCY_TALLY_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

// One workgroup, by the device's clock. What ends when another begins is not counted beside it: so
// the count is never too high, and too low only while stays are not much longer than a step.
struct occupancy_stay {
    double start_ns, end_ns;
    uint32_t core;
};

struct occupancy_tally {
    unsigned cores;   // seen
    unsigned most;    // workgroups at once on the fullest core
    unsigned least;   // the same of the core that had fewest
    unsigned fullest; // cores that had `most`
    unsigned chip;    // workgroups at once on all cores together
    double fill_ns;   // on the first of the fullest cores: from its first start until it was full
    bool refilled;    // there another one began after that: so it was full, not out of workgroups
};

// At least one stay. `scratch` is used and left as it was.
struct occupancy_tally occupancy_tally_of(struct arena *scratch, const struct occupancy_stay *stays,
                                          size_t count);

#endif
