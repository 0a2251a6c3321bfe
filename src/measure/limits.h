// SPDX-License-Identifier: MIT
// What a chip could reach: a table of architectures and products (measure/limits_table.c: data,
// with sources) joined with what the driver reports, which counts more. Every figure may be absent
// (0): then no share is shown.
#ifndef MEASURE_LIMITS_H
#define MEASURE_LIMITS_H

#include "gpu/gpu.h"

struct measure_limits {
    const char *architecture;  // "Hopper"; "CPU"; NULL = not in the table
    const char *source;        // where the architecture's figures come from
    unsigned cores;            // SM, CU; a CPU's processors
    double core_clock_hz;      // highest; 0 also where cards boost above their data sheet
    double dram_bytes_per_s;   // theoretical: data rate × bus width
    double link_bytes_per_s;   // to the host, one way; who needs it takes it from measure/link.h
    double l1_bytes_per_cycle; // a core, widest loads
    double shared_bytes_per_cycle; // a core
    // Results of fused multiply-adds a cycle of a core, packed ones counted each; additions and
    // products of floats come as often.
    double fp32_per_cycle, fp64_per_cycle, fp16_per_cycle, int32_mad_per_cycle;
    // Products of the matrix units, dense, summed up in floats.
    double fp16_matrix_per_cycle, fp8_matrix_per_cycle;
    uint64_t l1_bytes;         // the part that can hold data, at most
    uint64_t last_cache_bytes; // L2, or the cache behind it; for CPUs from sysconf
};

// Chips are known by their PCI ids, products by their name: Vulkan reports neither clocks nor L2.
void measure_limits_of(const struct gpu_info *info, struct measure_limits *limits);

// The largest of up to `bytes` that the device allows for one buffer which kernels bind whole, and
// that is at most 1 / memory_share of its memory (0: of any size). Limits that the driver does not
// report do not count.
uint64_t measure_limits_buffer(const struct gpu_limits *limits, uint64_t bytes,
                               unsigned memory_share);

#endif
