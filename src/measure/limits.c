// SPDX-License-Identifier: MIT
#include "measure/limits.h"

#include "measure/limits_table.h"

#include <string.h>
#include <unistd.h>

// The name is there as whole words at the end, or before " (…": "AMD Radeon RX 6800 (RADV NAVI21)"
// is an RX 6800, an "RX 6800 XT" or a "Laptop GPU" is not.
static bool name_ends_with(const char *device, const char *product)
{
    const char *end = strstr(device, " (");
    size_t length = end ? (size_t)(end - device) : strlen(device), wanted = strlen(product);
    if (length < wanted || memcmp(device + length - wanted, product, wanted) != 0)
        return false;
    return length == wanted || device[length - wanted - 1] == ' ';
}

// Drivers keep up to a tenth of the memory for themselves, or count the next power of two.
static bool memory_fits(uint64_t bytes, unsigned gib)
{
    double ratio = (double)bytes / ((double)gib * 1024 * 1024 * 1024);
    return gib == 0 || (ratio > 0.9 && ratio < 1.1);
}

static const struct limits_product *find_product(const struct gpu_info *info)
{
    for (size_t i = 0; i < limits_product_count; i++)
        if (name_ends_with(info->name, limits_products[i].name) &&
            memory_fits(info->limits.memory_bytes, limits_products[i].memory_gib))
            return &limits_products[i];
    return NULL;
}

static const struct limits_architecture *find_architecture(const struct gpu_info *info)
{
    for (size_t i = 0; i < limits_chip_count; i++)
        if (limits_chips[i].vendor_id == info->vendor_id &&
            limits_chips[i].first_id <= info->device_id &&
            info->device_id <= limits_chips[i].last_id)
            return limits_chips[i].architecture;
    return NULL;
}

static void fill_cpu(struct measure_limits *limits)
{
    limits->architecture = "CPU";
    limits->source = "sysconf";
    long processors = sysconf(_SC_NPROCESSORS_ONLN), l1 = 0, last = 0;
#ifdef _SC_LEVEL1_DCACHE_SIZE
    l1 = sysconf(_SC_LEVEL1_DCACHE_SIZE);
    last = sysconf(_SC_LEVEL3_CACHE_SIZE);
    if (last <= 0)
        last = sysconf(_SC_LEVEL2_CACHE_SIZE);
#endif
    limits->cores = processors > 0 ? (unsigned)processors : 0;
    limits->l1_bytes = l1 > 0 ? (uint64_t)l1 : 0;
    limits->last_cache_bytes = last > 0 ? (uint64_t)last : 0;
}

static void fill_from_tables(const struct gpu_info *info, struct measure_limits *limits)
{
    const struct limits_product *product = find_product(info);
    const struct limits_architecture *architecture = find_architecture(info);
    if (!architecture && product)
        architecture = product->architecture;
    if (architecture) {
        limits->architecture = architecture->name;
        limits->source = architecture->source;
        limits->l1_bytes_per_cycle = architecture->l1_bytes_per_cycle;
        limits->shared_bytes_per_cycle = architecture->shared_bytes_per_cycle;
        limits->fp32_per_cycle = architecture->fp32;
        limits->fp64_per_cycle = architecture->fp64;
        limits->fp16_per_cycle = architecture->fp16;
        limits->int32_mad_per_cycle = architecture->int32_mad;
        limits->fp16_matrix_per_cycle = architecture->matrix16;
        limits->fp8_matrix_per_cycle = architecture->matrix8;
        limits->l1_bytes = (uint64_t)architecture->l1_kib << 10;
    }
    if (product) {
        limits->cores = product->cores;
        limits->core_clock_hz = product->core_mhz * 1e6;
        limits->dram_bytes_per_s = product->dram_gb_per_s * 1e9;
        limits->last_cache_bytes = (uint64_t)product->last_cache_mib << 20;
    }
}

// What the driver says of this very device counts more than a table.
static void prefer_driver(const struct gpu_info *info, struct measure_limits *limits)
{
    const struct gpu_limits *said = &info->limits;
    if (said->cores)
        limits->cores = (unsigned)said->cores;
    if (said->core_clock_hz)
        limits->core_clock_hz = (double)said->core_clock_hz;
    if (said->last_cache_bytes)
        limits->last_cache_bytes = said->last_cache_bytes;
    // NVIDIA's memory clock is half the data rate for every kind of memory; others' is not.
    if (said->memory_clock_hz && said->memory_bus_bits && info->vendor_id == GPU_VENDOR_NVIDIA)
        limits->dram_bytes_per_s =
            (double)said->memory_clock_hz * 2 * (double)said->memory_bus_bits / 8;
}

void measure_limits_of(const struct gpu_info *info, struct measure_limits *limits)
{
    *limits = (struct measure_limits){0};
    if (info->kind == GPU_KIND_CPU)
        fill_cpu(limits);
    else
        fill_from_tables(info, limits);
    prefer_driver(info, limits);
}

uint64_t measure_limits_buffer(const struct gpu_limits *limits, uint64_t bytes,
                               unsigned memory_share)
{
    const uint64_t most[] = {memory_share ? limits->memory_bytes / memory_share : 0,
                             limits->allocation_bytes, limits->storage_range_bytes};
    for (size_t i = 0; i < sizeof most / sizeof most[0]; i++)
        if (most[i] && most[i] < bytes)
            bytes = most[i];
    return bytes;
}
