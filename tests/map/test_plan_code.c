// SPDX-License-Identifier: MIT
// What `fathom map` says about instruction caches, with the answers of an invented machine.
#include "machine.h"

#include "bench/map.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void assert_code_level(const struct run *run, size_t level, double bytes)
{
    char key[64];
    snprintf(key, sizeof key, "map/what=level/path=instruction/level=%zu", level);
    const struct result *result = machine_found(run, key);
    const struct metric *length = result_metric(result, "instructions");
    double truth = machine_hopper.code[level - 1];
    assert_true(fabs(length->median / truth - 1) < 1.0 / 15); // lengths are 1/16 apart
    assert_true(length->ci95[0] <= truth && truth <= length->ci95[1]);
    assert_true(fabs(machine_value(result, "fetch") / machine_hopper.fetch[level - 1] - 1) < 0.01);
    if (bytes > 0)
        assert_true(fabs(machine_value(result, "size") / (bytes * truth * 1.025) - 1) < 1.0 / 15);
    else
        assert_non_null(
            strstr(machine_detail(result, "size"), "unknown: the driver does not report"));
}

static void caches_of_instructions_are_reported_in_bytes_where_the_encoding_is_known(void **state)
{
    (void)state;
    const struct {
        uint32_t vendor, device;
        double said, bytes;                    // of an instruction: by the driver, in the result
    } chips[] = {{0x10de, 0x2335, 0, 16},      // H200
                 {0x10de, 0x2335, 16.2, 16.2}, // its driver states more
                 {0x10de, 0x2335, 200, 16},    // its driver counts more than code
                 {0x10de, 0x1b80, 0, 0},       // GTX 1080: before Volta
                 {0x1002, 0x73bf, 8.2, 8.2},   {0x8086, 0x56a0, 0, 0}};
    for (size_t i = 0; i < sizeof chips / sizeof *chips; i++) {
        struct gpu_info device = machine_device(GPU_KIND_DISCRETE);
        struct machine m = machine_hopper;
        device.vendor_id = chips[i].vendor;
        device.device_id = chips[i].device;
        m.code_bytes = chips[i].said;
        struct run *run = machine_map(&device, &m, NULL);
        assert_int_equal(
            machine_value(machine_found(run, "map/what=hierarchy/path=instruction"), "levels"), 2);
        assert_code_level(run, 1, chips[i].bytes);
        assert_code_level(run, 2, chips[i].bytes);
        const char *how = machine_detail(
            machine_found(run, "map/what=level/path=instruction/level=1"), "instruction");
        assert_int_equal(strstr(how, "that the driver reports") != NULL,
                         chips[i].bytes > 0 && chips[i].said == chips[i].bytes);
        const struct result *beyond = machine_found(run, "map/what=memory/path=instruction");
        assert_true(fabs(machine_value(beyond, "fetch") / machine_hopper.fetch[2] - 1) < 0.01);
        run_destroy(run);
    }
}

static void code_whose_instructions_all_take_as_long_shows_no_cache(void **state)
{
    (void)state;
    struct gpu_info device = machine_device(GPU_KIND_DISCRETE);
    struct machine m = machine_hopper;
    m.code[0] = INFINITY;
    struct run *run = machine_map(&device, &m, NULL);
    const struct result *result = machine_found(run, "map/what=hierarchy/path=instruction");
    assert_non_null(
        strstr(machine_detail(result, "levels"), "unknown: code of 32768 instructions is as fast"));
    assert_null(run_find(run, "vulkan:0", "map/what=level/path=instruction/level=1"));
    run_destroy(run);
}

static void code_that_is_cut_short_is_a_bound(void **state)
{
    (void)state;
    struct gpu_info device = machine_device(GPU_KIND_DISCRETE);
    struct machine m = machine_hopper;
    m.code_most = 4096;
    struct run *run = machine_map(&device, &m, NULL);
    assert_code_level(run, 1, 0);
    const struct result *last = machine_found(run, "map/what=level/path=instruction/level=2");
    assert_non_null(strstr(machine_detail(last, "size"), "more than 4096 instructions"));
    assert_non_null(strstr(machine_detail(last, "size"), "it takes too long"));
    assert_true(isnan(machine_value(last, "instructions")));
    assert_null(run_find(run, "vulkan:0", "map/what=memory/path=instruction"));
    assert_non_null(
        strstr(machine_detail(machine_found(run, "map/what=hierarchy/path=instruction"), "levels"),
               "unknown: at least 2"));
    run_destroy(run);
}

static void code_that_the_run_did_not_reach_is_a_bound(void **state)
{
    (void)state;
    struct gpu_info device = machine_device(GPU_KIND_DISCRETE);
    size_t all;
    run_destroy(machine_map(&device, &machine_hopper, &all));
    bool any = false;
    // given a run that ends before the longest code is measured
    for (size_t most = all; most > all - 60; most -= 3) {
        struct run *run = machine_map_up_to(&device, &machine_hopper, most);
        const struct result *hierarchy = machine_found(run, "map/what=hierarchy/path=instruction");
        if (run_find(run, "vulkan:0", "map/what=code/instructions=32768")) {
            assert_int_equal(machine_value(hierarchy, "levels"), 2);
        } else {
            // then nothing says how many levels there are, or what lies behind them
            assert_true(isnan(machine_value(hierarchy, "levels")));
            assert_null(run_find(run, "vulkan:0", "map/what=memory/path=instruction"));
            any |= strstr(machine_detail(hierarchy, "levels"), "unknown: at least") != NULL;
        }
        run_destroy(run);
    }
    assert_true(any);
}

static void cpus_and_models_are_asked_for_no_code_and_say_why(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct gpu_info device = machine_device(i ? GPU_KIND_DISCRETE : GPU_KIND_CPU);
        if (i)
            device.caps |= GPU_CAP(VIRTUAL_TIME);
        struct run *run = machine_map(&device, &machine_hopper, NULL);
        const struct result *result = machine_found(run, "map/what=hierarchy/path=instruction");
        assert_int_equal(result->verdict, VERDICT_SKIPPED);
        assert_non_null(strstr(result->reasons[0].text, i ? "a model" : "a CPU"));
        for (size_t k = 0; k < run->result_count; k++)
            assert_null(strstr(run->results[k]->key, "what=code"));
        run_destroy(run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(caches_of_instructions_are_reported_in_bytes_where_the_encoding_is_known),
        cmocka_unit_test(code_whose_instructions_all_take_as_long_shows_no_cache),
        cmocka_unit_test(code_that_is_cut_short_is_a_bound),
        cmocka_unit_test(code_that_the_run_did_not_reach_is_a_bound),
        cmocka_unit_test(cpus_and_models_are_asked_for_no_code_and_say_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
