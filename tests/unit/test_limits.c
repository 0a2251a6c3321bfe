// SPDX-License-Identifier: MIT
#include "measure/limits.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define NEAR(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

static struct measure_limits limits_of(const char *name, uint32_t vendor, uint32_t device,
                                       uint64_t memory_gib)
{
    struct gpu_info info = {
        .kind = GPU_KIND_DISCRETE,
        .vendor_id = vendor,
        .device_id = device,
        .limits.memory_bytes = memory_gib << 30,
    };
    snprintf(info.name, sizeof info.name, "%s", name);
    struct measure_limits limits;
    measure_limits_of(&info, &limits);
    return limits;
}

static void an_h200_is_known_by_its_name_alone(void **state)
{
    (void)state;
    struct measure_limits limits = limits_of("NVIDIA H200", 0x10de, 0, 140);
    assert_string_equal(limits.architecture, "Hopper");
    assert_int_equal(limits.cores, 132);
    NEAR(limits.dram_bytes_per_s, 4814e9, 0);
    NEAR(limits.core_clock_hz, 1980e6, 0);
    assert_int_equal(limits.last_cache_bytes, 60 << 20);
    // Then the chip's L1 peak is the 33.45 TB/s of its description.
    NEAR(limits.l1_bytes_per_cycle * limits.cores * limits.core_clock_hz, 33.45e12, 0.01e12);
}

static void a_chip_without_a_product_row_still_has_its_architecture(void **state)
{
    (void)state;
    struct measure_limits limits = limits_of("NVIDIA Something New", 0x10de, 0x2342, 96);
    assert_string_equal(limits.architecture, "Hopper");
    NEAR(limits.l1_bytes_per_cycle, 128, 0);
    NEAR(limits.dram_bytes_per_s, 0, 0);
}

static void similar_names_are_told_apart(void **state)
{
    (void)state;
    NEAR(limits_of("NVIDIA GeForce RTX 3080", 0x10de, 0x2206, 10).dram_bytes_per_s, 760e9, 0);
    NEAR(limits_of("NVIDIA GeForce RTX 3080 Ti", 0x10de, 0x2208, 12).dram_bytes_per_s, 912e9, 0);
    // Given products that are not in the table: another memory size, a laptop, a longer name.
    NEAR(limits_of("NVIDIA GeForce RTX 3080", 0x10de, 0x220a, 12).dram_bytes_per_s, 0, 0);
    NEAR(limits_of("NVIDIA GeForce RTX 3080 Laptop GPU", 0x10de, 0, 10).dram_bytes_per_s, 0, 0);
    NEAR(limits_of("NVIDIA XT4", 0x10de, 0, 16).dram_bytes_per_s, 0, 0);
}

static void what_mesa_puts_in_brackets_does_not_matter(void **state)
{
    (void)state;
    struct measure_limits limits =
        limits_of("AMD Radeon RX 6800 XT (RADV NAVI21)", 0x1002, 0x73bf, 16);
    assert_string_equal(limits.architecture, "RDNA 2");
    assert_int_equal(limits.cores, 72);
    assert_int_equal(limits.last_cache_bytes, 128 << 20);
    NEAR(limits.l1_bytes_per_cycle, 0, 0); // no source gives this figure, so there is no share
}

static void the_driver_counts_more_than_the_table(void **state)
{
    (void)state;
    struct gpu_info info = {
        .kind = GPU_KIND_DISCRETE,
        .vendor_id = 0x10de,
        .name = "NVIDIA H200",
        .limits = {.cores = 16,
                   .core_clock_hz = 1500000000,
                   .last_cache_bytes = 1 << 20,
                   .memory_clock_hz = 1000000000,
                   .memory_bus_bits = 512},
    };
    struct measure_limits limits;
    measure_limits_of(&info, &limits);
    assert_int_equal(limits.cores, 16);
    NEAR(limits.core_clock_hz, 1.5e9, 0);
    assert_int_equal(limits.last_cache_bytes, 1 << 20);
    NEAR(limits.dram_bytes_per_s, 128e9, 0);
}

static void derived_peaks_are_the_published_ones(void **state)
{
    (void)state;
    // The clock is that of the source. `fp32`, `fp16` (dense matrices of halves, accumulated as
    // floats) and `fp8` are its peak rates in TFLOP/s; 0: the source has none.
    const struct {
        const char *name;
        uint32_t vendor;
        uint64_t gib;
        double mhz, fp32, fp16, fp8;
    } published[] = {
        {"Tesla V100-SXM2-16GB", 0x10de, 16, 1530, 15.7, 125, 0},
        {"Tesla T4", 0x10de, 15, 1590, 8.1, 65, 0},
        {"NVIDIA GeForce RTX 2080 Ti", 0x10de, 11, 1545, 13.4, 53.8, 0},
        {"NVIDIA A100-SXM4-80GB", 0x10de, 80, 1410, 19.5, 312, 0},
        {"NVIDIA A40", 0x10de, 45, 1740, 37.4, 149.7, 0},
        {"NVIDIA GeForce RTX 3090", 0x10de, 24, 1695, 35.6, 71, 0},
        {"NVIDIA GeForce RTX 4090", 0x10de, 24, 2520, 82.6, 165.2, 330.3},
        {"NVIDIA L40", 0x10de, 45, 2490, 90.5, 181.05, 362},
        {"NVIDIA L4", 0x10de, 23, 2040, 30.3, 121, 242.5},
        {"NVIDIA H100 80GB HBM3", 0x10de, 80, 1830, 0, 989.4, 1978.9},
        {"NVIDIA GeForce RTX 5090", 0x10de, 32, 2407, 104.8, 209.5, 419},
        {"NVIDIA GeForce RTX 5080", 0x10de, 16, 2617, 56.3, 112.6, 225.1},
        {"AMD Instinct MI100", 0x1002, 32, 1502, 23.1, 184.6, 0},
        {"AMD Instinct MI210", 0x1002, 64, 1700, 0, 181, 0},
        {"AMD Instinct MI300X", 0x1002, 192, 2100, 0, 1307.4, 2614.9},
        {"AMD Instinct MI350X", 0x1002, 288, 2200, 144.2, 2306.9, 4613.7},
        {"AMD Radeon RX 9070 XT (RADV GFX1201)", 0x1002, 16, 2970, 48.7, 195, 389},
        {"Intel(R) Arc(tm) B580 Graphics (BMG G21)", 0x8086, 12, 2670, 13.67, 0, 0},
    };
    for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
        struct measure_limits limits =
            limits_of(published[i].name, published[i].vendor, 0, published[i].gib);
        const double peaks[][2] = {
            {limits.results_per_cycle[MEASURE_FP32], published[i].fp32},
            {limits.results_per_cycle[MEASURE_FP16_MATRIX], published[i].fp16},
            {limits.results_per_cycle[MEASURE_FP8_MATRIX], published[i].fp8}};
        assert_non_null(limits.product_source);
        for (size_t k = 0; k < 3; k++)
            if (peaks[k][1] > 0)
                NEAR(2e-6 * peaks[k][0] * limits.cores * published[i].mhz, peaks[k][1],
                     0.01 * peaks[k][1]);
    }
}

static void every_row_names_its_source(void **state)
{
    (void)state;
    const char *name, *source;
    size_t row = 0;
    for (; measure_limits_product(row, &name, &source); row++) {
        if (!source || strlen(source) < 10)
            fail_msg("%s has no source", name);
        if (limits_of(name, 0, 0, 0).architecture)
            assert_true(strlen(limits_of(name, 0, 0, 0).source) > 10);
    }
    assert_true(row > 60);
}

static void turing_without_matrix_units_has_no_rate_of_them(void **state)
{
    (void)state;
    // given a GTX 1660 Ti (TU116) and a GTX 1650 (TU117), and a chip whose product is not listed
    NEAR(limits_of("NVIDIA GeForce GTX 1660 Ti", 0x10de, 0x2182, 6)
             .results_per_cycle[MEASURE_FP16_MATRIX],
         0, 0);
    NEAR(limits_of("NVIDIA GeForce GTX 1650", 0x10de, 0x1f82, 4)
             .results_per_cycle[MEASURE_FP16_MATRIX],
         0, 0);
    NEAR(limits_of("Quadro RTX 4000", 0x10de, 0x1eb1, 8).results_per_cycle[MEASURE_FP16_MATRIX], 0,
         0);
    // then the part of L1 that can hold data is still known
    assert_int_equal(limits_of("Quadro RTX 4000", 0x10de, 0x1eb1, 8).l1_bytes, 64 << 10);
}

static void a_cache_counts_as_the_last_where_somebody_knows(void **state)
{
    (void)state;
    const struct {
        const char *name;
        uint32_t vendor;
        enum gpu_kind kind;
        uint64_t stated, bytes, most; // MiB
        bool known;
    } devices[] = {
        {"NVIDIA H200", 0x10de, GPU_KIND_DISCRETE, 60, 60, 60, true},
        {"NVIDIA Something New", 0x10de, GPU_KIND_DISCRETE, 40, 40, 40, true},
        {"Orin", 0x10de, GPU_KIND_INTEGRATED, 4, 4, 256, false}, // a system cache lies behind it
        // OpenCL states its L1.
        {"AMD Radeon RX 6900 XT", 0x1002, GPU_KIND_DISCRETE, 1, 128, 128, true},
        {"AMD Radeon New", 0x1002, GPU_KIND_DISCRETE, 1, 1, 256, false},
        {"Apple M1", 0x106b, GPU_KIND_INTEGRATED, 0, 0, 256, false},
        {"Frobnicator with a large cache", 0, GPU_KIND_DISCRETE, 512, 512, 512, false},
    };
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        struct gpu_info info = {.kind = devices[i].kind,
                                .vendor_id = devices[i].vendor,
                                .limits.last_cache_bytes = devices[i].stated << 20};
        struct measure_limits limits;
        snprintf(info.name, sizeof info.name, "%s", devices[i].name);
        measure_limits_of(&info, &limits);
        assert_int_equal(limits.last_cache_bytes, devices[i].bytes << 20);
        assert_int_equal(limits.last_cache_known, devices[i].known);
        assert_int_equal(measure_limits_cache_most(&limits), devices[i].most << 20);
        assert_true(measure_limits_is_dram(&limits, devices[i].most << 22));
        assert_false(measure_limits_is_dram(&limits, (devices[i].most << 22) - 1));
    }
}

static void a_core_of_rdna_is_what_the_driver_counts(void **state)
{
    (void)state;
    const struct {
        const char *name;
        uint64_t cores, core_threads; // reported by the driver
        unsigned group_cores;
        double fp32; // results per core and cycle
    } drivers[] = {
        {"AMD Radeon RX 6900 XT (RADV NAVI21)", 80, 1024, 2, 64}, // compute units
        {"AMD Radeon RX 6900 XT", 40, 0, 1, 128}, // ROCm's OpenCL counts pairs of compute units
        {"AMD Radeon RX 6900 XT", 80, 0, 2, 64},  // another OpenCL
        {"AMD Radeon Pro unlisted", 30, 0, 0, 0}, // the driver may count compute units or pairs
        {"AMD Radeon Pro unlisted", 60, 1024, 2, 64},
    };
    for (size_t i = 0; i < sizeof drivers / sizeof *drivers; i++) {
        struct gpu_info info = {
            .kind = GPU_KIND_DISCRETE,
            .vendor_id = 0x1002,
            .device_id = 0x73bf,
            .limits = {.cores = drivers[i].cores, .core_threads = drivers[i].core_threads}};
        struct measure_limits limits;
        snprintf(info.name, sizeof info.name, "%s", drivers[i].name);
        measure_limits_of(&info, &limits);
        assert_int_equal(limits.cores, drivers[i].cores);
        assert_int_equal(limits.group_cores, drivers[i].group_cores);
        NEAR(limits.results_per_cycle[MEASURE_FP32], drivers[i].fp32, 0);
    }
    // On other architectures a workgroup runs on one core.
    assert_int_equal(limits_of("NVIDIA H200", 0x10de, 0, 140).group_cores, 1);
    assert_int_equal(limits_of("AMD Instinct MI300X", 0x1002, 0x74a1, 192).group_cores, 1);
}

static void unknown_devices_have_no_limits(void **state)
{
    (void)state;
    struct measure_limits limits = limits_of("Frobnicator 9000", 0x1234, 0x2342, 8);
    assert_null(limits.architecture);
    NEAR(limits.l1_bytes_per_cycle + limits.dram_bytes_per_s, 0, 0);
    assert_int_equal(limits.last_cache_bytes, 0);
}

static void a_cpu_tells_its_processors(void **state)
{
    (void)state;
    struct gpu_info info = {.kind = GPU_KIND_CPU, .name = "llvmpipe (LLVM 15.0.6, 256 bits)"};
    struct measure_limits limits;
    measure_limits_of(&info, &limits);
    assert_string_equal(limits.architecture, "CPU");
    assert_true(limits.cores >= 1);
    NEAR(limits.dram_bytes_per_s, 0, 0);
}

static void the_largest_buffer_keeps_every_limit_that_is_known(void **state)
{
    (void)state;
    const struct gpu_limits limits = {.memory_bytes = 4000, .allocation_bytes = 900};
    assert_int_equal(measure_limits_buffer(&limits, 500, 4), 500);
    assert_int_equal(measure_limits_buffer(&limits, 5000, 4), 900);
    assert_int_equal(measure_limits_buffer(&limits, 5000, 8), 500);
    assert_int_equal(measure_limits_buffer(&limits, 5000, 0), 900);
    assert_int_equal(
        measure_limits_buffer(&(struct gpu_limits){.storage_range_bytes = 300}, 5000, 8), 300);
    assert_int_equal(measure_limits_buffer(&(struct gpu_limits){0}, 5000, 8), 5000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_h200_is_known_by_its_name_alone),
        cmocka_unit_test(a_chip_without_a_product_row_still_has_its_architecture),
        cmocka_unit_test(similar_names_are_told_apart),
        cmocka_unit_test(what_mesa_puts_in_brackets_does_not_matter),
        cmocka_unit_test(the_driver_counts_more_than_the_table),
        cmocka_unit_test(derived_peaks_are_the_published_ones),
        cmocka_unit_test(every_row_names_its_source),
        cmocka_unit_test(turing_without_matrix_units_has_no_rate_of_them),
        cmocka_unit_test(a_cache_counts_as_the_last_where_somebody_knows),
        cmocka_unit_test(a_core_of_rdna_is_what_the_driver_counts),
        cmocka_unit_test(unknown_devices_have_no_limits),
        cmocka_unit_test(a_cpu_tells_its_processors),
        cmocka_unit_test(the_largest_buffer_keeps_every_limit_that_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
