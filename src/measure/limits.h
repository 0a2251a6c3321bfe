// SPDX-License-Identifier: MIT
// The physical limits of a device. They come from tables of architectures, chips and products (with
// their sources in measure/limits.c), for a CPU from sysconf. Figures of the driver replace these.
// A limit of 0 is unknown, and no share of it is shown.
#ifndef MEASURE_LIMITS_H
#define MEASURE_LIMITS_H

#include "gpu/gpu.h"

// Kinds of arithmetic. A claim (struct measure_claim) states the number of results of each kind.
enum measure_class {
    // Results of fused multiply-adds; an instruction that computes two 16-bit values gives two.
    // Additions and multiplications of floats have the same rate.
    MEASURE_FP32,
    MEASURE_FP64,
    MEASURE_FP16,
    MEASURE_INT32_MAD,
    // Multiply-adds of the matrix units: dense matrices, accumulated in FP32.
    MEASURE_FP16_MATRIX,
    MEASURE_FP8_MATRIX,
    MEASURE_OTHER, // any other arithmetic unit; its highest rate is not known
    MEASURE_CLASS_COUNT
};

struct measure_limits {
    // name of the architecture, such as "Hopper", or "CPU"; NULL if the tables lack this device
    const char *architecture;
    const char *source; // source of the architecture's figures; NULL if `architecture` is NULL
    // source of the product's figures; NULL if the table of products lacks this device
    const char *product_source;
    // Number of cores (SM, CU or WGP; of a CPU: processors) as the driver counts them. If the
    // driver reports no number, it comes from the table of products or from sysconf; 0 if not
    // known.
    unsigned cores;
    // Number of cores that run one workgroup together: 2 for the compute units of an RDNA workgroup
    // processor (WGP), else 1; 0 if not known.
    unsigned group_cores;
    // Highest core clock in Hz: from the driver or, if it reports none, from the table of products;
    // 0 if not known.
    double core_clock_hz;
    double dram_bytes_per_s; // theoretical bandwidth of the device's memory: data rate × bus width
    // Bandwidth of the link to the host in one direction; 0 if not known. measure_limits_of sets 0.
    // A caller that needs this bandwidth gets it from measure_link_of.
    double link_bytes_per_s;
    // L1 bandwidth of one core, in bytes per cycle, with the widest loads.
    double l1_bytes_per_cycle;
    double shared_bytes_per_cycle; // bandwidth of shared memory of one core, in bytes per cycle
    double results_per_cycle[MEASURE_CLASS_COUNT]; // results of each kind per core and cycle
    uint64_t l1_bytes; // size in bytes of the part of a core's L1 that can hold data
    // Size in bytes of the last cache before memory, often the L2; 0 if not known.
    uint64_t last_cache_bytes;
    // True if the cache of last_cache_bytes is certainly the last one before memory. Certain
    // sources: the table of products; a CPU; NVIDIA's driver, for a discrete GPU; a model, from 1
    // MiB on. Other drivers may report a cache nearer to the cores (AMD's OpenCL: 16 KiB of L1).
    bool last_cache_known;
};

// Fills in the physical limits of a device: from tables of chips (by PCI id) and products (by name;
// for a CPU from sysconf), then from the driver. Vulkan reports neither clocks nor the size of the
// L2.
void measure_limits_of(const struct gpu_info *info, struct measure_limits *limits);

// Sets name and source of row number `row` of the table of products. Returns false if the table has
// no such row.
bool measure_limits_product(size_t row, const char **name, const char **source);

// Returns the size of the largest cache that may lie in front of memory. This is last_cache_bytes
// if last_cache_known is true, else at least 256 MiB, the largest cache in the table of products.
uint64_t measure_limits_cache_most(const struct measure_limits *limits);

// measure_limits_is_dram returns true if a working set of `bytes` surely lies in memory: it is at
// least MEASURE_DRAM_CACHES times as large as any cache that may lie in front of memory.
enum {
    MEASURE_DRAM_CACHES = 4
};
bool measure_limits_is_dram(const struct measure_limits *limits, uint64_t bytes);

// Returns the size of the largest buffer that kernels can bind as a whole: at most `bytes`, and at
// most 1 / memory_share of the device's memory. If memory_share is 0, the memory sets no limit.
// Limits that the driver does not report are ignored.
uint64_t measure_limits_buffer(const struct gpu_limits *limits, uint64_t bytes,
                               unsigned memory_share);

#endif
