// SPDX-License-Identifier: MIT
#include "measure/limits.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

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
    // Given products that are not listed: another size, a laptop, a longer word.
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
    NEAR(limits.l1_bytes_per_cycle, 0, 0); // no source: no share
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
        cmocka_unit_test(unknown_devices_have_no_limits),
        cmocka_unit_test(a_cpu_tells_its_processors),
        cmocka_unit_test(the_largest_buffer_keeps_every_limit_that_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
