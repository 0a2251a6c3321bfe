// SPDX-License-Identifier: MIT
// The data behind measure/limits.h: architectures, which chips are of which, and products. Facts
// only, each with its source; a figure that no source gives stays 0.
#ifndef MEASURE_LIMITS_TABLE_H
#define MEASURE_LIMITS_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct limits_architecture {
    const char *name;
    unsigned l1_bytes_per_cycle, shared_bytes_per_cycle; // a core
    unsigned l1_kib;                                     // where L1 and shared memory are one: both
    const char *source;
    unsigned fp32, fp64, fp16, int32_mad; // results of fused multiply-adds a cycle of a core
    unsigned matrix16, matrix8;           // … of the matrix units, on halves and on 8-bit floats
};

// PCI device ids of one chip: all products of it, also those that are not in the table below.
struct limits_chip {
    uint32_t vendor_id, first_id, last_id;
    const struct limits_architecture *architecture;
};

struct limits_product {
    const char *name;    // as the driver's device name ends (before what stands in brackets)
    unsigned memory_gib; // tells products of one name apart; 0 = the name is enough
    const struct limits_architecture *architecture;
    unsigned cores;
    unsigned core_mhz; // highest; 0 where cards boost above the data sheet
    unsigned dram_gb_per_s;
    unsigned last_cache_mib;
};

extern const struct limits_chip limits_chips[];
extern const size_t limits_chip_count;
extern const struct limits_product limits_products[];
extern const size_t limits_product_count;

#endif
