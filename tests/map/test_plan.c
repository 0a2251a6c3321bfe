// SPDX-License-Identifier: MIT
// The plan of `fathom map` follows the answers, and its results say what the answers were. An
// invented machine answers each case.
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

static void assert_level(const struct run *run, const struct machine *m, size_t level)
{
    char key[64];
    snprintf(key, sizeof key, "map/what=level/path=vector/level=%zu", level);
    const struct result *result = machine_found(run, key);
    const struct metric *size = result_metric(result, "size");
    double truth = m->capacity[level - 1];
    assert_true(fabs(size->median / truth - 1) < 0.05);
    assert_true(size->ci95[0] <= truth && truth <= size->ci95[1]);
    assert_true(fabs(machine_value(result, "latency") / m->latency[level - 1] - 1) < 0.01);
    double rate = m->reads[level - 1];
    assert_true(fabs(machine_value(result, "bandwidth") / rate - 1) < 0.02);
    assert_true(fabs(machine_value(result, "group_bandwidth") * 132 / rate - 1) < 0.02);
    assert_int_equal(machine_value(result, "instances"), 132 / machine_value(result, "sharers"));
    assert_int_equal(machine_value(result, "line"), m->line);
    assert_int_equal(machine_value(result, "sector"), m->sector);
}

static void every_level_of_a_machine_is_found_with_its_size_and_line(void **state)
{
    (void)state;
    struct gpu_info device = machine_device(GPU_KIND_DISCRETE);
    for (unsigned line = 32; line <= 128; line *= 2) {
        struct machine m = machine_hopper;
        m.line = line;
        m.hashed = line != 64;
        struct run *run = machine_map(&device, &m, NULL);
        assert_int_equal(
            machine_value(machine_found(run, "map/what=hierarchy/path=vector"), "levels"), 3);
        for (size_t level = 1; level <= m.levels; level++)
            assert_level(run, &m, level);
        assert_true(
            fabs(machine_value(machine_found(run, "map/what=memory/path=vector"), "latency") / 335 -
                 1) < 0.01);
        run_destroy(run);
    }
}

static void the_plan_asks_for_few_cases(void **state)
{
    (void)state;
    struct gpu_info device = machine_device(GPU_KIND_DISCRETE);
    size_t cases;
    struct run *run = machine_map(&device, &machine_hopper, &cases);
    assert_true(cases <= 397);
    run_destroy(run);
}

static void the_reach_of_the_tlb_is_found_from_pages(void **state)
{
    (void)state;
    struct gpu_info device = machine_device(GPU_KIND_DISCRETE);
    struct run *run = machine_map(&device, &machine_hopper, NULL);
    const struct result *first = machine_found(run, "map/what=tlb/path=vector/level=1");
    const struct result *beyond = machine_found(run, "map/what=tlb/path=vector");
    assert_true(fabs(machine_value(first, "size") / (machine_hopper.entries * machine_hopper.page) -
                     1) < 0.05);
    assert_true(fabs(machine_value(beyond, "latency") - machine_value(first, "latency") - 100) < 2);
    // what lies beyond all TLBs is no level of a TLB
    assert_true(isnan(machine_value(beyond, "size")));
    assert_null(run_find(run, "vulkan:0", "map/what=tlb/path=vector/level=2"));
    run_destroy(run);
}

static void chains_over_pages_without_an_end_show_no_reach(void **state)
{
    (void)state;
    struct gpu_info device = machine_device(GPU_KIND_DISCRETE);
    // given a TLB whose reach is below the first chain, and one that no chain exceeds
    const double entries[] = {2, 1e9};
    for (size_t i = 0; i < 2; i++) {
        struct machine m = machine_hopper;
        m.entries = entries[i];
        struct run *run = machine_map(&device, &m, NULL);
        const struct result *tlb = machine_found(run, "map/what=tlb/path=vector");
        assert_int_equal(tlb->verdict, VERDICT_SKIPPED);
        assert_non_null(strstr(tlb->reasons[0].text, "from 16 MiB to "));
        assert_null(run_find(run, "vulkan:0", "map/what=tlb/path=vector/level=1"));
        run_destroy(run);
    }
}

static void pages_of_a_small_tlb_are_found_where_chains_fit(void **state)
{
    (void)state;
    struct gpu_info device = machine_device(GPU_KIND_DISCRETE);
    for (unsigned entries = 16; entries <= 400; entries += 23) {
        struct machine m = machine_hopper;
        m.entries = entries;
        struct run *run = machine_map(&device, &m, NULL);
        const struct result *tlb = machine_found(run, "map/what=tlb/path=vector/level=1");
        if (machine_value(tlb, "size") < (double)(92 << 20))
            assert_non_null(strstr(machine_detail(tlb, "page"),
                                   "pages farther apart than 2 MiB could not be tried"));
        else
            assert_int_equal(machine_value(tlb, "page"), m.page);
        run_destroy(run);
    }
}

static void pages_are_found_by_how_many_share_an_entry(void **state)
{
    (void)state;
    struct gpu_info device = machine_device(GPU_KIND_DISCRETE);
    const struct {
        unsigned kib;
        const char *unknown; // NULL: the page is found
    } pages[] = {{64, "smaller than 512 KiB"},
                 {512, NULL},
                 {1024, NULL},
                 {2048, NULL},
                 {4096, NULL},
                 {8192, NULL},
                 {16384, NULL},
                 {65536, "larger than 16 MiB"}};
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        struct machine m = machine_hopper;
        m.page = pages[i].kib * 1024.0;
        m.entries = 2e9 / fmax(m.page, 2 << 20);
        struct run *run = machine_map(&device, &m, NULL);
        const struct result *tlb = machine_found(run, "map/what=tlb/path=vector/level=1");
        if (pages[i].unknown)
            assert_non_null(strstr(machine_detail(tlb, "page"), pages[i].unknown));
        else
            assert_int_equal(machine_value(tlb, "page"), m.page);
        // then the reach is right if the page is known
        double off = machine_value(tlb, "size") / (m.entries * m.page) - 1;
        assert_true(pages[i].unknown || fabs(off) < 0.06);
        run_destroy(run);
    }
}

static void a_curve_that_merely_rises_is_unknown_and_says_why(void **state)
{
    (void)state;
    struct gpu_info device = machine_device(GPU_KIND_DISCRETE);
    const struct machine ramp = {.slope = 0.3, .line = 128, .latency = {10, 100}};
    struct run *run = machine_map(&device, &ramp, NULL);
    const struct result *result = machine_found(run, "map/what=hierarchy/path=vector");
    assert_int_equal(result->verdict, VERDICT_SKIPPED);
    assert_non_null(
        strstr(result->reasons[0].text, "could not separate the levels of path vector"));
    assert_null(run_find(run, "vulkan:0", "map/what=level/path=vector/level=1"));
    assert_null(run_find(run, "vulkan:0", "map/what=memory/path=vector"));
    run_destroy(run);
}

static void a_staircase_that_ends_in_a_rise_keeps_its_stairs(void **state)
{
    (void)state;
    struct gpu_info device = machine_device(GPU_KIND_DISCRETE);
    struct machine m = machine_hopper;
    m.rises_from = 64 << 20;
    struct run *run = machine_map(&device, &m, NULL);
    const struct result *result = machine_found(run, "map/what=hierarchy/path=vector");
    assert_int_equal(result->verdict, VERDICT_SKIPPED);
    assert_non_null(strstr(result->reasons[0].text, " beyond "));
    for (size_t level = 1; level <= 2; level++)
        assert_level(run, &m, level);
    assert_null(run_find(run, "vulkan:0", "map/what=memory/path=vector"));
    run_destroy(run);
}

static void who_shares_a_level_is_found_and_so_are_its_halves(void **state)
{
    (void)state;
    struct gpu_info device = machine_device(GPU_KIND_DISCRETE);
    struct run *run = machine_map(&device, &machine_hopper, NULL);
    const struct result *near = machine_found(run, "map/what=level/path=vector/level=2");
    assert_int_equal(
        machine_value(machine_found(run, "map/what=level/path=vector/level=1"), "sharers"), 1);
    assert_int_equal(machine_value(near, "sharers"), 66);
    assert_non_null(strstr(machine_detail(near, "partition"), "66 of the 132 cores"));
    assert_int_equal(
        machine_value(machine_found(run, "map/what=level/path=vector/level=3"), "sharers"), 132);
    run_destroy(run);
}

static void a_level_larger_than_what_can_be_allocated_is_a_bound(void **state)
{
    (void)state;
    struct gpu_info device = machine_device(GPU_KIND_DISCRETE);
    device.limits.allocation_bytes = device.limits.storage_range_bytes = 16 << 20;
    device.limits.memory_bytes = 64 << 20;
    struct run *run = machine_map(&device, &machine_hopper, NULL);
    const struct result *last = machine_found(run, "map/what=level/path=vector/level=2");
    assert_true(isnan(machine_value(last, "size")));
    assert_non_null(strstr(machine_detail(last, "size"), "unknown: more than "));
    assert_non_null(
        strstr(machine_detail(machine_found(run, "map/what=hierarchy/path=vector"), "levels"),
               "unknown: at least 2"));
    assert_level(run, &machine_hopper, 1);
    assert_null(run_find(run, "vulkan:0", "map/what=memory/path=vector"));
    run_destroy(run);
}

static void what_may_be_a_cache_that_nobody_states_is_not_counted_as_memory(void **state)
{
    (void)state;
    // given a device that states no cache and allocates less than known caches hold
    struct gpu_info device = machine_device(GPU_KIND_DISCRETE);
    device.limits.last_cache_bytes = 0;
    device.limits.allocation_bytes = device.limits.storage_range_bytes = 16 << 20;
    device.limits.memory_bytes = 64 << 20;
    struct run *run = machine_map(&device, &machine_hopper, NULL);
    // then the number of levels is a lower bound, and the memory's result is suspect
    const struct result *hierarchy = machine_found(run, "map/what=hierarchy/path=vector");
    const struct result *beyond = machine_found(run, "map/what=memory/path=vector");
    assert_true(isnan(machine_value(hierarchy, "levels")));
    assert_non_null(strstr(machine_detail(hierarchy, "levels"),
                           "unknown: at least 1. No region above 16 MiB was measured"));
    assert_int_equal(beyond->verdict, VERDICT_SUSPECT);
    assert_true(isnan(machine_value(beyond, "claim")));
    run_destroy(run);
}

static void memory_well_beyond_any_cache_needs_no_statement(void **state)
{
    (void)state;
    struct gpu_info device = machine_device(GPU_KIND_DISCRETE);
    device.limits.last_cache_bytes = 0;
    struct run *run = machine_map(&device, &machine_hopper, NULL);
    const struct result *beyond = machine_found(run, "map/what=memory/path=vector");
    assert_int_equal(machine_value(machine_found(run, "map/what=hierarchy/path=vector"), "levels"),
                     3);
    assert_int_equal(beyond->verdict, VERDICT_OK);
    assert_true(machine_value(beyond, "claim") > 0);
    run_destroy(run);
}

static void a_size_whose_lines_are_unknown_has_an_interval_down_to_the_shortest(void **state)
{
    (void)state;
    // given lines shorter than any that probes show, in a cache so small that few probes fit
    struct gpu_info device = machine_device(GPU_KIND_DISCRETE);
    const struct machine m = {.levels = 1,
                              .capacity = {512},
                              .latency = {16, 300},
                              .sharers = {1},
                              .line = 16,
                              .sector = 16,
                              .hashed = true,
                              .entries = 1024,
                              .page = 2 << 20,
                              .code = {1024, 8192, INFINITY},
                              .fetch = {0.5, 0.7, 2.1}};
    struct run *run = machine_map(&device, &m, NULL);
    const struct result *level = machine_found(run, "map/what=level/path=vector/level=1");
    const struct metric *size = result_metric(level, "size");
    assert_true(size->ci95[0] <= m.capacity[0] && m.capacity[0] <= size->ci95[1]);
    assert_true(size->median > 7 * m.capacity[0]); // a line of 16 bytes for each node
    assert_non_null(strstr(machine_detail(level, "size"), "a node every 128 bytes"));
    run_destroy(run);
}

static void a_bandwidth_is_unknown_for_the_reason_of_the_read_that_was_skipped(void **state)
{
    (void)state;
    struct gpu_info device = machine_device(GPU_KIND_DISCRETE);
    struct machine m = machine_hopper;
    m.no_reads = "reads are not for this device";
    struct run *run = machine_map(&device, &m, NULL);
    const struct result *level = machine_found(run, "map/what=level/path=vector/level=1");
    const struct result *beyond = machine_found(run, "map/what=memory/path=vector");
    const char *const names[] = {"bandwidth", "group_bandwidth"};
    for (size_t i = 0; i < 2; i++) {
        assert_string_equal(machine_detail(level, names[i]),
                            "unknown: reads are not for this device");
        assert_string_equal(machine_detail(beyond, names[i]),
                            "unknown: reads are not for this device");
    }
    run_destroy(run);
}

// Returns the bandwidth of a level. If it is NaN, *why has the reason.
static double bandwidth_of(const struct run *run, size_t level, const char **why)
{
    const struct result *result =
        machine_found(run, arena_printf(run->arena, "map/what=level/path=vector/level=%zu", level));
    *why = machine_detail(result, "bandwidth");
    return machine_value(result, "bandwidth");
}

static void a_level_behind_several_caches_is_asked_where_none_of_them_holds_it(void **state)
{
    (void)state;
    // given eight chiplets with caches of 4 MiB each, together 32 MiB, and behind them a cache of
    // 256 MiB
    struct gpu_info device = machine_device(GPU_KIND_DISCRETE);
    device.limits.cores = 304;
    device.limits.last_cache_bytes = 0;
    struct machine m = machine_hopper;
    m.capacity[0] = 32 << 10;
    m.capacity[1] = 4 << 20;
    m.capacity[2] = 256 << 20;
    m.sharers[1] = 38;
    m.sharers[2] = 304;
    m.reads[1] = 27e12;
    m.reads[2] = 11e12;
    m.reads[3] = 4.2e12;
    m.merges = 0;
    const char *why;
    struct run *run = machine_map(&device, &m, NULL);
    // then the third level has its own bandwidth, not that of the caches before it
    assert_true(fabs(bandwidth_of(run, 3, &why) / 11e12 - 1) < 0.02);
    const struct result *memory = machine_found(run, "map/what=memory/path=vector");
    assert_true(fabs(machine_value(memory, "bandwidth") / 4.2e12 - 1) < 0.02);
    // and the second level has none, because a core has less than 16 KiB of it
    assert_true(isnan(bandwidth_of(run, 2, &why)));
    assert_non_null(strstr(why, "too small to give every core a part"));
    run_destroy(run);
}

static void two_caches_of_a_level_are_not_asked_for_what_only_both_hold(void **state)
{
    (void)state;
    // given two caches of 5.5 MiB, which together hold 10 MiB, and memory behind them
    struct gpu_info device = machine_device(GPU_KIND_DISCRETE);
    device.limits.cores = 40;
    struct machine m = machine_hopper;
    m.levels = 2;
    m.capacity[1] = 5.5 * (1 << 20);
    m.sharers[1] = 20;
    m.latency[2] = 335;
    m.reads[1] = 5e12;
    m.reads[2] = 1e12;
    const char *why;
    struct run *run = machine_map(&device, &m, NULL);
    assert_true(fabs(bandwidth_of(run, 2, &why) / 5e12 - 1) < 0.02);
    assert_int_equal(
        machine_value(machine_found(run, "map/what=level/path=vector/level=2"), "instances"), 2);
    run_destroy(run);
}

static void a_bandwidth_without_a_plateau_or_of_suspect_reads_is_unknown(void **state)
{
    (void)state;
    struct gpu_info device = machine_device(GPU_KIND_DISCRETE);
    struct machine falling = machine_hopper, suspect = machine_hopper;
    falling.falls = true;
    suspect.suspect = true;
    const struct machine *const machines[] = {&falling, &suspect};
    const char *const reasons[] = {"have no plateau", "reads were throttled"};
    for (size_t i = 0; i < 2; i++) {
        const char *why;
        struct run *run = machine_map(&device, machines[i], NULL);
        for (size_t level = 1; level <= 2; level++) {
            assert_true(isnan(bandwidth_of(run, level, &why)));
            assert_non_null(strstr(why, reasons[i]));
        }
        run_destroy(run);
    }
}

static void a_bandwidth_is_unknown_for_the_reason_that_most_reads_have(void **state)
{
    (void)state;
    // given a machine that throttles reads and skips the largest read of a level
    struct gpu_info device = machine_device(GPU_KIND_DISCRETE);
    struct machine m = machine_hopper;
    const char *why;
    m.suspect = true;
    struct run *whole = machine_map(&device, &m, NULL);
    for (size_t i = 0; i < whole->result_count; i++) {
        const struct bench_case *read = &whole->results[i]->bench_case;
        if (strcmp(whole->results[i]->benchmark, "bandwidth") == 0 &&
            case_says(read, "scope", "device") && case_says(read, "access", "same"))
            m.reads_most = fmax(m.reads_most, (double)case_uint(read, "bytes") - 1);
    }
    run_destroy(whole);
    struct run *run = machine_map(&device, &m, NULL);
    // then the reason is the throttling of most reads, not the skipped last one
    assert_true(isnan(bandwidth_of(run, 1, &why)));
    assert_string_equal(why, "unknown: reads were throttled");
    run_destroy(run);
}

static void a_driver_that_states_a_cache_of_16_kib_changes_nothing(void **state)
{
    (void)state;
    // given AMD's OpenCL, which states the first-level cache of a core as the last cache
    struct gpu_info device = machine_device(GPU_KIND_DISCRETE);
    device.vendor_id = GPU_VENDOR_AMD;
    device.limits.last_cache_bytes = 16 << 10;
    struct run *run = machine_map(&device, &machine_hopper, NULL);
    assert_int_equal(machine_value(machine_found(run, "map/what=hierarchy/path=vector"), "levels"),
                     3);
    for (size_t level = 1; level <= 3; level++)
        assert_level(run, &machine_hopper, level);
    const struct result *memory = machine_found(run, "map/what=memory/path=vector");
    assert_true(fabs(machine_value(memory, "bandwidth") / machine_hopper.reads[3] - 1) < 0.02);
    run_destroy(run);
}

static void a_sweep_that_was_cut_short_invents_nothing(void **state)
{
    (void)state;
    struct gpu_info device = machine_device(GPU_KIND_DISCRETE);
    for (size_t most = 0; most < 60; most += 3) {
        struct run *run = machine_map_up_to(&device, &machine_hopper, most);
        for (size_t i = 0; i < run->result_count; i++) {
            const struct result *result = run->results[i];
            const struct metric *size = result_metric(result, "size");
            if (strcmp(result->benchmark, "map") != 0 || !size)
                continue;
            size_t level = (size_t)case_uint(&result->bench_case, "level");
            assert_true(level >= 1 && level <= machine_hopper.levels);
            assert_true(size->ci95[0] <= machine_hopper.capacity[level - 1] * 1.01 &&
                        machine_hopper.capacity[level - 1] <= size->ci95[1] * 1.01);
        }
        assert_null(run_find(run, "vulkan:0", "map/what=memory/path=vector"));
        run_destroy(run);
    }
}

static void what_no_probe_shows_is_unknown(void **state)
{
    (void)state;
    struct gpu_info device = machine_device(GPU_KIND_DISCRETE);
    device.caps &= ~GPU_CAP(CORE_ID);
    struct run *run = machine_map(&device, &machine_hopper, NULL);
    const struct result *level = machine_found(run, "map/what=level/path=vector/level=1");
    const char *const names[] = {"ways", "sharers", "clock domain"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_non_null(strstr(machine_detail(level, names[i]), "unknown: "));
    const struct result *large = machine_found(run, "map/what=level/path=vector/level=2");
    assert_string_equal(machine_detail(large, "ways"), "unknown: ways are not probed above 4 MiB");
    run_destroy(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_level_of_a_machine_is_found_with_its_size_and_line),
        cmocka_unit_test(the_plan_asks_for_few_cases),
        cmocka_unit_test(the_reach_of_the_tlb_is_found_from_pages),
        cmocka_unit_test(chains_over_pages_without_an_end_show_no_reach),
        cmocka_unit_test(pages_of_a_small_tlb_are_found_where_chains_fit),
        cmocka_unit_test(pages_are_found_by_how_many_share_an_entry),
        cmocka_unit_test(a_staircase_that_ends_in_a_rise_keeps_its_stairs),
        cmocka_unit_test(a_curve_that_merely_rises_is_unknown_and_says_why),
        cmocka_unit_test(who_shares_a_level_is_found_and_so_are_its_halves),
        cmocka_unit_test(a_level_larger_than_what_can_be_allocated_is_a_bound),
        cmocka_unit_test(what_may_be_a_cache_that_nobody_states_is_not_counted_as_memory),
        cmocka_unit_test(memory_well_beyond_any_cache_needs_no_statement),
        cmocka_unit_test(a_size_whose_lines_are_unknown_has_an_interval_down_to_the_shortest),
        cmocka_unit_test(a_bandwidth_is_unknown_for_the_reason_of_the_read_that_was_skipped),
        cmocka_unit_test(a_level_behind_several_caches_is_asked_where_none_of_them_holds_it),
        cmocka_unit_test(two_caches_of_a_level_are_not_asked_for_what_only_both_hold),
        cmocka_unit_test(a_bandwidth_without_a_plateau_or_of_suspect_reads_is_unknown),
        cmocka_unit_test(a_bandwidth_is_unknown_for_the_reason_that_most_reads_have),
        cmocka_unit_test(a_driver_that_states_a_cache_of_16_kib_changes_nothing),
        cmocka_unit_test(a_sweep_that_was_cut_short_invents_nothing),
        cmocka_unit_test(what_no_probe_shows_is_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
