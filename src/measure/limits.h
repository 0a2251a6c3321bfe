// SPDX-License-Identifier: MIT
// The physical limits of a device: tables of architectures, chips and products (measure/limits.c,
// with their sources), overridden by what the driver reports. A limit of 0 is not known, and no
// share of it is shown.
#ifndef MEASURE_LIMITS_H
#define MEASURE_LIMITS_H

#include "gpu/gpu.h"

struct measure_limits {
    const char *architecture;   // "Hopper"; "CPU"; NULL: not in the table
    const char *source;         // where the architecture's figures come from
    const char *product_source; // where the product's figures come from; NULL: not in the table
    unsigned cores;             // SM, CU or WGP, as the driver counts; a CPU's processors
    // Cores that run one workgroup together: 2 if a core is one compute unit of an RDNA workgroup
    // processor; 0: not known.
    unsigned group_cores;
    // Highest clock; 0 if it is not known, or if cards boost above their data sheet.
    double core_clock_hz;
    double dram_bytes_per_s;   // theoretical: data rate × bus width
    double link_bytes_per_s;   // bandwidth to the host, one way; 0 until measure_link_of reads it
    double l1_bytes_per_cycle; // bytes per cycle of one core, with the widest loads
    double shared_bytes_per_cycle; // bytes per cycle of one core
    // Results of fused multiply-adds per core and cycle; an instruction on a pair gives two.
    // Additions and products of floats have the same rate.
    double fp32_per_cycle, fp64_per_cycle, fp16_per_cycle, int32_mad_per_cycle;
    // Products of the matrix units per core and cycle: dense matrices, accumulated in floats.
    double fp16_matrix_per_cycle, fp8_matrix_per_cycle;
    uint64_t l1_bytes;         // largest part of L1 that can hold data
    uint64_t last_cache_bytes; // the last cache before memory, often L2; for CPUs from sysconf
    // True if no larger cache can be between the cache of last_cache_bytes and memory. That holds
    // for a product's size from the table, a CPU's size, the size that NVIDIA's driver reports of a
    // discrete GPU, and a model's size (from 1 MiB on). Other drivers may report a cache nearer to
    // the cores (AMD's OpenCL: 16 KiB of L1), or nothing.
    bool last_cache_known;
};

// Fills the limits of a device. Its chip is found in the tables by PCI id and its product by name,
// because Vulkan does not report clocks and the size of L2.
void measure_limits_of(const struct gpu_info *info, struct measure_limits *limits);

// Sets name and source of row number `row` of the table of products. Returns false if there is no
// such row.
bool measure_limits_product(size_t row, const char **name, const char **source);

// Returns the bytes of the largest cache that may be in front of memory: last_cache_bytes if that
// is known to be the last cache, else at least 256 MiB, the largest in the table of products.
uint64_t measure_limits_cache_most(const struct measure_limits *limits);

// True if a working set of `bytes` must be in memory: it is at least MEASURE_DRAM_CACHES times the
// largest cache that may lie before memory.
enum {
    MEASURE_DRAM_CACHES = 4
};
bool measure_limits_is_dram(const struct measure_limits *limits, uint64_t bytes);

// Returns the size of the largest buffer that kernels can bind as a whole: at most `bytes`, and at
// most 1 / memory_share of the device's memory (memory_share 0: no such limit). Ignores limits that
// the driver does not report.
uint64_t measure_limits_buffer(const struct gpu_limits *limits, uint64_t bytes,
                               unsigned memory_share);

#endif
