// SPDX-License-Identifier: MIT
#include "analysis/levels.h"
#include "math/plateaus.h"
#include "math/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum {
    POINTS = 120
};

// Fits y(x) for x = 10 … 30 octaves, with relative noise that is uniform within ± `noise`.
static void fit(double (*curve)(double), double noise, struct plateaus *result)
{
    double x[POINTS], y[POINTS];
    struct random random;
    random_init(&random, 7);
    for (int i = 0; i < POINTS; i++) {
        x[i] = 10 + 20.0 * i / (POINTS - 1);
        y[i] = curve(x[i]) * (1 + noise * (2 * random_unit(&random) - 1));
    }
    struct arena *arena = arena_create();
    plateaus_fit(arena,
                 &(struct plateaus_desc){.x = x,
                                         .y = y,
                                         .count = POINTS,
                                         .ratio_min = 1.15,
                                         .ramp_max = 0.75,
                                         .length_min = 0.3,
                                         .noise_min = 0.002},
                 result);
    arena_destroy(arena);
}

static double flat(double x)
{
    (void)x;
    return 33;
}

static double ramp(double x)
{
    return 30 * exp2((x - 10) / 4);
}

static double two_steps(double x)
{
    return x <= 17.8 ? 32 : x <= 24.6 ? 281 : 660;
}

static double creeping_then_step(double x)
{
    return x <= 18 ? 32 * (1 + 0.01 * (x - 10)) : 280;
}

static void a_flat_curve_has_one_level(void **state)
{
    (void)state;
    struct plateaus result;
    fit(flat, 0.03, &result);
    assert_true(result.decided);
    assert_int_equal(result.count, 1);
    assert_true(fabs(result.levels[0].height / 33 - 1) < 0.01);
}

static void a_rising_ramp_is_no_staircase(void **state)
{
    (void)state;
    struct plateaus result;
    fit(ramp, 0.01, &result);
    assert_false(result.decided);
    assert_non_null(result.reason);
}

static void steps_are_found_where_they_are(void **state)
{
    (void)state;
    struct plateaus result;
    fit(two_steps, 0.02, &result);
    assert_true(result.decided);
    assert_int_equal(result.count, 3);
    assert_true(result.steps[0].end_low <= 17.8 && result.steps[0].end_high >= 17.65);
    assert_true(fabs(result.steps[1].end - 24.6) < 0.2);
    assert_true(fabs(result.levels[1].height / 281 - 1) < 0.01);
}

static void a_slow_creep_within_a_level_is_not_a_step(void **state)
{
    (void)state;
    struct plateaus result;
    fit(creeping_then_step, 0.005, &result);
    assert_int_equal(result.count, 2);
}

// The near L2 of an H200 through Vulkan (ns; KiB). Translation adds 3 % from 8 MiB on, and the rise
// has one point. Through CUDA the latency stays constant, and this level ends at 29.05 to 29.74
// MiB.
static const struct {
    double kib, ns;
} h200[] = {
    {2048, 139.9},   {2432, 139.9},   {2912, 139.9},   {3456, 139.9},   {4096, 139.91},
    {4864, 139.90},  {5824, 139.93},  {6912, 139.92},  {8192, 140.29},  {9728, 140.89},
    {11648, 141.40}, {13824, 141.93}, {16384, 142.45}, {19456, 142.73}, {23296, 143.15},
    {27648, 143.73}, {32768, 230.14}, {38912, 260.94}, {46592, 260.83}, {55296, 261.15},
    {57344, 261.2},
};

static void a_creep_up_to_the_end_leaves_room_for_the_end(void **state)
{
    (void)state;
    enum {
        COUNT = sizeof h200 / sizeof *h200
    };
    double x[COUNT], y[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        x[i] = log2(h200[i].kib);
        y[i] = h200[i].ns;
    }
    struct plateaus result;
    struct arena *arena = arena_create();
    plateaus_fit(arena,
                 &(struct plateaus_desc){.x = x,
                                         .y = y,
                                         .count = COUNT,
                                         .ratio_min = 1.12,
                                         .ramp_max = 0.75,
                                         .length_min = 0.25,
                                         .noise_min = 0.002},
                 &result);
    arena_destroy(arena);
    assert_int_equal(result.count, 2);
    assert_true(result.steps[0].end_low < log2(29.05 * 1024));
    assert_true(result.steps[0].end_high > log2(29.74 * 1024));
    assert_true(result.steps[0].end_high <= log2(32768));
}

static void an_outlier_is_not_a_level(void **state)
{
    (void)state;
    double x[POINTS], y[POINTS];
    for (int i = 0; i < POINTS; i++) {
        x[i] = i / 6.0;
        y[i] = i % 40 == 20 ? 500 : 100;
    }
    struct arena *arena = arena_create();
    struct plateaus result;
    plateaus_fit(arena,
                 &(struct plateaus_desc){.x = x,
                                         .y = y,
                                         .count = POINTS,
                                         .ratio_min = 1.15,
                                         .ramp_max = 0.75,
                                         .length_min = 0.3,
                                         .noise_min = 0.002},
                 &result);
    assert_int_equal(result.count, 1);
    assert_true(result.levels[0].height == 100);
    arena_destroy(arena);
}

static struct plateaus fit_of(const double *octaves, const double *ns, size_t count)
{
    struct arena *arena = arena_create();
    struct plateaus result;
    levels_fit(arena, octaves, ns, count, &result);
    arena_destroy(arena);
    return result;
}

// An H200 through CUDA, one point per octave from 1 KiB on, in ns, with one point on each rise.
static void a_point_on_a_ramp_does_not_tilt_its_level(void **state)
{
    (void)state;
    static const double ns[] = {16.177,  16.177,  16.177,  16.177,  16.177,  16.177,
                                16.177,  16.177,  78.872,  141.183, 141.823, 141.776,
                                141.719, 141.789, 141.77,  228.778, 319.7,   332.344,
                                332.697, 334.36,  336.208, 336.544, 337.083};
    enum {
        COUNT = sizeof ns / sizeof *ns
    };
    double octaves[COUNT];
    for (int i = 0; i < COUNT; i++)
        octaves[i] = 10 + i;
    struct plateaus result = fit_of(octaves, ns, COUNT);
    assert_true(result.decided);
    assert_int_equal(result.count, 3);
    assert_in_range((uint64_t)result.levels[1].height, 141, 142);
    assert_true(result.steps[0].end_low <= 18 && result.steps[0].end_high >= 17);
}

// Given the end of an H200's L1, where the points of the rise scatter and three of them are almost
// equal, then these are not a level.
static void equal_points_of_a_rise_are_not_a_level(void **state)
{
    (void)state;
    static const double bytes[] = {
        8192,        9728,        11648,       13824,       16384,       19456,       23296,
        27648,       32768,       38912,       46592,       55296,       65536,       77824,
        93184,       110592,      131072,      155648,      181248,      186368,      190464,
        200192,      210432,      221184,      232960,      244736,      257536,      262144,
        270848,      284672,      311296,      372736,      442368,      524288,      622592,
        745472,      884736,      1.04858e+06, 1.24518e+06, 1.49094e+06, 1.76947e+06, 2.09715e+06,
        2.49037e+06, 2.98189e+06, 3.53894e+06, 4.1943e+06,  4.98074e+06, 5.96378e+06, 7.07789e+06,
        8.38861e+06};
    static const double ns[] = {
        16.194, 16.195, 16.195, 16.194, 16.194, 16.195, 16.195, 16.196, 16.194, 16.195,
        16.194, 16.195, 16.194, 16.196, 16.196, 16.196, 16.194, 16.195, 16.195, 16.195,
        18.851, 44.15,  53.529, 55.468, 87.948, 84.363, 105.61, 114.85, 113.77, 119.81,
        137.31, 141.64, 141.87, 142.14, 142.28, 142.15, 142.06, 142.2,  142.09, 142.3,
        142.19, 142.34, 142.17, 142.06, 142.29, 142.08, 142.36, 142.26, 142.32, 142.49};
    enum {
        COUNT = sizeof ns / sizeof *ns
    };
    double octaves[COUNT];
    for (int i = 0; i < COUNT; i++)
        octaves[i] = log2(bytes[i]);
    struct plateaus result = fit_of(octaves, ns, COUNT);
    assert_true(result.decided);
    assert_int_equal(result.count, 2);
    assert_in_range((uint64_t)result.levels[0].height, 16, 17);
    assert_in_range((uint64_t)result.levels[1].height, 141, 143);
}

static void too_few_points_decide_nothing(void **state)
{
    (void)state;
    double x[] = {1, 2, 3}, y[] = {1, 1, 5};
    struct arena *arena = arena_create();
    struct plateaus result;
    plateaus_fit(arena, &(struct plateaus_desc){.x = x, .y = y, .count = 3, .ratio_min = 1.15},
                 &result);
    assert_false(result.decided);
    assert_string_equal(result.reason, "too few points");
    arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flat_curve_has_one_level),
        cmocka_unit_test(a_rising_ramp_is_no_staircase),
        cmocka_unit_test(steps_are_found_where_they_are),
        cmocka_unit_test(a_slow_creep_within_a_level_is_not_a_step),
        cmocka_unit_test(a_creep_up_to_the_end_leaves_room_for_the_end),
        cmocka_unit_test(an_outlier_is_not_a_level),
        cmocka_unit_test(a_point_on_a_ramp_does_not_tilt_its_level),
        cmocka_unit_test(equal_points_of_a_rise_are_not_a_level),
        cmocka_unit_test(too_few_points_decide_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
