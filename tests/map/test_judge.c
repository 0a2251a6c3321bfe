// SPDX-License-Identifier: MIT
// What the probes of a level say about its ways, its clock and the cores that share it.
#include "map/judge.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum {
    WAYS_MAX = 64,
    CORES = 80,
    POINTS = 24
};

static const struct map_level level = {.before = 10, .within = 30, .beyond = 200, .end = 1 << 20};

// ---------------------------------------------------------------- ways

static unsigned ways_of(unsigned ways, const char **why)
{
    double latency[WAYS_MAX];
    assert_true(map_ways_count < WAYS_MAX);
    for (size_t i = 0; i < map_ways_count; i++)
        latency[i] = map_ways_plan[i] <= ways ? level.within : level.beyond;
    return map_ways_judge(&level, latency, why);
}

static void as_many_ways_as_lines_fit(void **state)
{
    (void)state;
    static const unsigned found[] = {2, 3, 4, 5, 6, 8, 12, 16, 20, 24, 32};
    const char *why;
    for (size_t i = 0; i < sizeof found / sizeof *found; i++)
        assert_int_equal(ways_of(found[i], &why), found[i]);
    assert_int_equal(ways_of(11, &why), 0);
    assert_non_null(strstr(why, "between two probes"));
    assert_int_equal(ways_of(1, &why), 0);
    assert_int_equal(ways_of(40, &why), 0);
    assert_non_null(strstr(why, "hashes its set"));
}

static void ways_that_contradict_each_other_are_unknown(void **state)
{
    (void)state;
    double latency[WAYS_MAX];
    const char *why;
    for (size_t i = 0; i < map_ways_count; i++)
        latency[i] = i % 2 ? level.within : level.beyond;
    latency[0] = level.within;
    assert_int_equal(map_ways_judge(&level, latency, &why), 0);
    assert_non_null(strstr(why, "contradict"));
    latency[1] = NAN;
    assert_int_equal(map_ways_judge(&level, latency, &why), 0);
    assert_non_null(strstr(why, "not measured"));
}

static void the_stride_is_a_power_of_two_as_long_as_the_level(void **state)
{
    (void)state;
    assert_int_equal(map_ways_stride(65536), 65536);
    assert_int_equal(map_ways_stride(65900), 65536);
    assert_int_equal(map_ways_stride(49152), 65536);
    assert_int_equal(map_ways_stride(100000), 131072);
    // the ways of a cache of 4 MiB are asked about, also if its size was found slightly off
    assert_true(map_ways_stride(3.998 * (1 << 20)) <= MAP_WAYS_STRIDE_MOST);
    assert_true(map_ways_stride(4.011 * (1 << 20)) <= MAP_WAYS_STRIDE_MOST);
    assert_true(map_ways_stride(4.5 * (1 << 20)) > MAP_WAYS_STRIDE_MOST);
}

// ---------------------------------------------------------------- sharers

// Returns the latency that a probe sees if `sharers` cores share a cache of the level.
static double sharing_ns(const struct map_sharers_probe *probe, unsigned sharers)
{
    unsigned together = map_sharers_together(probe, CORES, sharers, 0.5);
    return probe->region * together <= level.end ? level.within : level.beyond;
}

static struct map_sharers sharers_of(unsigned sharers, unsigned before)
{
    struct map_sharers_probe probes[MAP_SHARERS_MAX];
    double latency[MAP_SHARERS_MAX];
    size_t count = map_sharers_plan(&level, CORES, probes);
    for (size_t i = 0; i < count; i++) {
        bool inner = probes[i].region * before <= level.end / 64;
        latency[i] = inner ? level.before : sharing_ns(&probes[i], sharers);
    }
    return map_sharers_judge(&level, probes, latency, count, CORES);
}

static void chains_are_spread_over_the_caches_of_a_level(void **state)
{
    (void)state;
    // given 12 cores of which 4 each share a cache: then 3 chains have a cache each
    struct map_sharers_probe probe = {.region = 4096, .chains = 3};
    assert_int_equal(map_sharers_together(&probe, 12, 4, 1), 1);
    // and of 4 chains, two share a cache
    probe.chains = 4;
    assert_int_equal(map_sharers_together(&probe, 12, 4, 0.5), 1);
    assert_int_equal(map_sharers_together(&probe, 12, 4, 0.6), 2);
    // and with chains on all cores, 4 chains share a cache
    probe.chains = 12;
    assert_int_equal(map_sharers_together(&probe, 12, 4, 0.1), 4);
    assert_int_equal(map_sharers_together(&probe, 12, 12, 1), 12);
}

static void the_bounds_of_who_shares_a_level_contain_the_truth(void **state)
{
    (void)state;
    for (unsigned sharers = 1; sharers <= CORES; sharers++) {
        struct map_sharers found = sharers_of(sharers, 1);
        assert_true(found.low <= sharers && sharers <= found.high);
        // if the true number divides the cores, no other number is found
        if (found.sharers && CORES % sharers == 0)
            assert_int_equal(found.sharers, sharers);
    }
    assert_int_equal(sharers_of(1, 1).sharers, 1);
}

static void more_probes_between_the_bounds_narrow_them(void **state)
{
    (void)state;
    // given bounds from 9 to 21 cores, of which 10, 16 and 20 divide the 80
    const struct map_sharers first = {.low = 9, .high = 21};
    struct map_sharers_probe probes[MAP_SHARERS_MAX];
    double latency[MAP_SHARERS_MAX];
    size_t count = map_sharers_plan_again(&level, &first, CORES, probes);
    for (size_t i = 0; i < count; i++)
        latency[i] = sharing_ns(&probes[i], 16);
    struct map_sharers found = map_sharers_judge(&level, probes, latency, count, CORES);
    assert_int_equal(found.sharers, 16);
    assert_true(found.low > 10 && found.high < 20);
}

static void the_curve_of_one_core_tells_who_shares_a_level_with_an_uncertain_end(void **state)
{
    (void)state;
    enum {
        COUNT = 80
    };
    // given a level that replaces lines at random, so its end is known to half an octave
    struct arena *arena = arena_create();
    struct map_level wide = level;
    wide.shapes = step_shapes_create(arena);
    while (!step_shape_is_random(wide.shape))
        wide.shape++;
    wide.end_low = 0.7 * level.end;
    wide.end_high = 1.6 * level.end;
    // and the curve of one core, which rises for an octave from that end
    double octaves[COUNT], ns[COUNT];
    for (int i = 0; i < COUNT; i++) {
        double above = i / 8.0 - 6;
        octaves[i] = log2(level.end) + above;
        ns[i] = level.within + (level.beyond - level.within) * fmin(fmax(above, 0), 1);
    }
    const struct level_curve curve = {.octaves = octaves, .ns = ns, .count = COUNT};
    struct map_sharers_probe probes[MAP_SHARERS_MAX];
    double latency[MAP_SHARERS_MAX];
    size_t count = map_sharers_plan(&wide, CORES, probes);
    for (size_t i = 0; i < count; i++)
        latency[i] = map_curve_ns(&curve, probes[i].region);
    // then only this curve excludes that two cores share a cache
    assert_true(map_sharers_judge(&wide, probes, latency, count, CORES).high > 1);
    wide.alone = &curve;
    assert_int_equal(map_sharers_judge(&wide, probes, latency, count, CORES).sharers, 1);
    arena_destroy(arena);
}

static void regions_that_the_level_before_holds_show_nothing(void **state)
{
    (void)state;
    struct map_sharers_probe probe = {1000, CORES};
    double latency = level.before;
    struct map_sharers found = map_sharers_judge(&level, &probe, &latency, 1, CORES);
    assert_int_equal(found.sharers, 0);
    assert_int_equal(found.low, 1);
    assert_int_equal(found.high, CORES);
    assert_non_null(strstr(found.why, "the level before"));
}

// ---------------------------------------------------------------- clocks

// Judges latencies of so many ns and core cycles, at clocks from `least` to 2 GHz.
static bool clocks_of(double fixed_ns, double cycles, double least, struct map_clocks *clocks,
                      const char **why)
{
    double ns[POINTS], hz[POINTS];
    for (int i = 0; i < POINTS; i++) {
        hz[i] = least + (2e9 - least) * i / (POINTS - 1);
        ns[i] = (fixed_ns + cycles * 1e9 / hz[i]) * (1 + 0.002 * sin(7.0 * i));
    }
    return map_clocks_judge(ns, hz, POINTS, clocks, why);
}

static void a_level_runs_by_the_clock_that_its_latency_follows(void **state)
{
    (void)state;
    struct map_clocks clocks;
    const char *why;
    assert_true(clocks_of(0, 200, 1e9, &clocks, &why));
    assert_string_equal(clocks.domain, "the core's clock");
    assert_true(fabs(clocks.cycles - 200) < 4);
    assert_true(clocks_of(300, 10, 1e9, &clocks, &why));
    assert_non_null(strstr(clocks.domain, "another clock"));
    assert_true(clocks_of(100, 150, 1e9, &clocks, &why));
    assert_string_equal(clocks.domain, "the core's clock and another");
    assert_true(fabs(clocks.fixed_ns - 100) < 5 && clocks.fixed_half < 5);
}

static void one_clock_shows_no_domain(void **state)
{
    (void)state;
    struct map_clocks clocks;
    const char *why;
    assert_false(clocks_of(100, 150, 1.98e9, &clocks, &why));
    assert_string_equal(why, "the core clock did not change");
    assert_false(map_clocks_judge(NULL, NULL, 0, &clocks, &why));
    assert_string_equal(why, "the core clock is unknown");
    const double ns[] = {175, 150}, hz[] = {1.5e9, 1.98e9};
    assert_false(map_clocks_judge(ns, hz, 2, &clocks, &why));
    assert_string_equal(why, "the core clock is known for fewer than three latencies");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_many_ways_as_lines_fit),
        cmocka_unit_test(ways_that_contradict_each_other_are_unknown),
        cmocka_unit_test(the_stride_is_a_power_of_two_as_long_as_the_level),
        cmocka_unit_test(chains_are_spread_over_the_caches_of_a_level),
        cmocka_unit_test(the_bounds_of_who_shares_a_level_contain_the_truth),
        cmocka_unit_test(more_probes_between_the_bounds_narrow_them),
        cmocka_unit_test(the_curve_of_one_core_tells_who_shares_a_level_with_an_uncertain_end),
        cmocka_unit_test(regions_that_the_level_before_holds_show_nothing),
        cmocka_unit_test(a_level_runs_by_the_clock_that_its_latency_follows),
        cmocka_unit_test(one_clock_shows_no_domain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
