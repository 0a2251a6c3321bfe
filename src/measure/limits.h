// SPDX-License-Identifier: MIT
// What a chip could reach: a table of architectures (data, with sources) joined with what the
// driver reports. Every figure may be absent (0): then no share is shown.
#ifndef MEASURE_LIMITS_H
#define MEASURE_LIMITS_H

#include "gpu/gpu.h"

struct measure_limits {
    const char *architecture; // "Hopper"; NULL = not in the table
    const char *source;       // where its figures come from
    unsigned cores;           // 0 = not known
    double core_clock_hz;     // highest
    double dram_bytes_per_s;
    double l1_bytes_per_cycle;     // a core
    double shared_bytes_per_cycle; // a core
    uint64_t l1_bytes;             // the part that holds data, at most
    uint64_t last_cache_bytes;     // last-level cache; for CPUs from sysconf
};

void measure_limits_of(const struct gpu_info *info, struct measure_limits *limits);

#endif
