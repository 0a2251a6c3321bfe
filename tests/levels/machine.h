// SPDX-License-Identifier: MIT
// Random memory hierarchies whose truth is known, and what a chain of loads sees of them.
#ifndef LEVELS_MACHINE_H
#define LEVELS_MACHINE_H

#include "math/random.h"

#include <stddef.h>

enum {
    MACHINE_LEVELS_MAX = 4
};

struct machine_level {
    double capacity;     // bytes
    double line, sector; // bytes: 32 … 256, 32 … line
    double latency;      // cycles
    double ramp;         // octaves from the capacity to where every load misses
};

struct machine {
    size_t levels;                                      // caches; memory comes behind them
    struct machine_level level[MACHINE_LEVELS_MAX + 1]; // of memory only the latency
    double noise, correlation;                          // relative, AR(1)
};

// 1–4 caches of 4 KiB–256 MiB, each at least twice as large as the one before, in bytes and in
// lines, and slower by at least 1.2; lines of 32–256 bytes, never shorter than before; 4–16 ways,
// sets by a hash; rises up to half an octave; noise up to 5 %.
void machine_make(struct random *random, struct machine *machine);

// What measures it.
struct machine_view {
    struct random random;
    const struct machine *machine;
    double disturbance; // state of the AR(1) noise
    double slope;       // > 0: instead of the machine's levels
};

// One sample of a chain over a region, nodes `stride` bytes apart; 1 % are outliers × 2–10.
double machine_sample(struct machine_view *view, double region, double stride);

#endif
