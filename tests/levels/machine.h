// SPDX-License-Identifier: MIT
// Random memory hierarchies whose truth is known, and the latencies that a chain of loads sees.
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
    struct machine_level level[MACHINE_LEVELS_MAX + 1]; // the last one is memory: only latency
    double noise, correlation;                          // relative size, and AR(1) coefficient
};

// Makes 1–4 caches of 4 KiB–256 MiB. Each has at least twice the bytes and lines and 1.2 times the
// latency of the one before. Lines have 32–256 bytes and never get shorter. 4–16 ways, sets by a
// hash; rises up to half an octave; noise up to 5 %.
void machine_make(struct random *random, struct machine *machine);

// A machine that is measured, and the state of its noise.
struct machine_view {
    struct random random;
    const struct machine *machine;
    double disturbance; // state of the AR(1) noise
    double slope;       // > 0: latency rises by this power of the region, without levels
};

// One sample of a chain over a region with nodes `stride` bytes apart; 1 % are outliers × 2–10.
double machine_sample(struct machine_view *view, double region, double stride);

#endif
