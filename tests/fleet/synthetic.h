// SPDX-License-Identifier: MIT
// Fleets whose truth is known: machines of 8 cards, whose figures spread as those of real cards do.
// Some cards have a fault.
#ifndef FLEET_SYNTHETIC_H
#define FLEET_SYNTHETIC_H

#include "analysis/fleet.h"
#include "results/check.h"
#include "results/results.h"

enum {
    SYNTHETIC_CARDS = 8 // per machine
};

enum fault {
    FAULT_NONE,
    FAULT_DRAM,      // 3 % less DRAM bandwidth; every second card also has a lower memory clock
    FAULT_LINK,      // the host link has half of its lanes
    FAULT_THROTTLED, // hot after 2 s: what is measured later has a lower core clock
    FAULT_WRONG,     // wrong results
    FAULT_HUNG,      // no answer
    FAULT_BUSY,      // other work on the device
    FAULT_NOISY,     // noisy samples of the DRAM bandwidth, with the right median
    FAULT_SMALLEST,  // one metric is worse by `loss`
    FAULT_COUNT
};

struct synthetic_plant {
    size_t machine, index;
    enum fault fault;
    enum check_metric metric; // of FAULT_SMALLEST
    double loss;
};

struct synthetic {
    uint64_t seed;
    size_t machines;
    bool expected; // the checks have an expectation, and a loss of 3 % does not violate it
    const struct synthetic_plant *plants;
    size_t plant_count;
};

// The name of a machine, such as "r03n17"; a rack has 20 machines.
const char *synthetic_host(struct arena *arena, size_t machine);

// The run that `fathom check` would have written on this machine. The same fleet and machine give
// the same run.
struct run *synthetic_run(const struct synthetic *fleet, size_t machine);

// The text of the fleet's remark with this name; NULL if it has none.
const char *synthetic_remark(const struct fleet *fleet, const char *name);

#endif
