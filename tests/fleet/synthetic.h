// SPDX-License-Identifier: MIT
// Fleets of which the truth is known: machines of 8 cards whose figures spread as those of real
// cards do, some of them with a fault.
#ifndef FLEET_SYNTHETIC_H
#define FLEET_SYNTHETIC_H

#include "analysis/fleet.h"
#include "results/check.h"
#include "results/results.h"

enum {
    SYNTHETIC_CARDS = 8 // of a machine
};

enum fault {
    FAULT_NONE,
    FAULT_DRAM,      // 3 % less DRAM bandwidth; of each second card the memory clock is lower
    FAULT_LINK,      // half the lanes of the host link
    FAULT_THROTTLED, // hot from 2 s on: what is measured later has a lower core clock
    FAULT_WRONG,     // wrong results
    FAULT_HUNG,      // no answer
    FAULT_BUSY,      // other work ran
    FAULT_NOISY,     // samples of the DRAM bandwidth spread, their median is right
    FAULT_SMALLEST,  // `loss` of one metric
    FAULT_COUNT
};

struct synthetic_plant {
    size_t machine, index;
    enum fault fault;
    enum check_metric metric; // FAULT_SMALLEST
    double loss;
};

struct synthetic {
    uint64_t seed;
    size_t machines;
    bool expected; // the checks have an expectation, which 3 % do not violate
    const struct synthetic_plant *plants;
    size_t plant_count;
};

// The name of a machine: 20 a rack, "r03n17".
const char *synthetic_host(struct arena *arena, size_t machine);

// The run that `fathom check` would have written on this machine. The same fleet and machine give
// the same run.
struct run *synthetic_run(const struct synthetic *fleet, size_t machine);

// The text of the fleet's remark with this name; NULL if it has none.
const char *synthetic_remark(const struct fleet *fleet, const char *name);

#endif
