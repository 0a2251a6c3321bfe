// SPDX-License-Identifier: MIT
#include "math/staircase.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum {
    POINTS = 80,
    PER_OCTAVE = 4
};

struct curve {
    double x[POINTS], y[POINTS];
};

// Sharp steps at `ends`. Each level is `times` as high as the one before it; the noise is half a
// percent.
static void make_sharp(struct curve *curve, const double *ends, size_t count, double times)
{
    for (size_t i = 0; i < POINTS; i++) {
        curve->x[i] = 10 + (double)i / PER_OCTAVE;
        curve->y[i] = 20 * (1 + 0.005 * sin(12.9898 * (double)i));
        for (size_t k = 0; k < count; k++)
            curve->y[i] *= curve->x[i] > ends[k] ? times : 1;
    }
}

static struct staircase fit_of(struct arena *arena, const struct curve *curve)
{
    struct staircase fit = {.count = 0};
    const struct plateaus_desc points = {.x = curve->x, .y = curve->y, .count = POINTS};
    assert_true(staircase_fit(arena, step_shapes_create(arena), &points, NULL, &fit));
    return fit;
}

static void sharp_steps_are_found_within_their_intervals(void **state)
{
    (void)state;
    static const double ends[] = {15.1, 19.6, 24.3};
    struct arena *arena = arena_create();
    struct curve curve;
    make_sharp(&curve, ends, 3, 3);
    struct staircase fit = fit_of(arena, &curve);
    assert_int_equal(fit.count, 3);
    for (size_t k = 0; k < 3; k++) {
        assert_true(fit.steps[k].end_low <= ends[k] && ends[k] <= fit.steps[k].end_high);
        assert_true(fit.steps[k].end_high - fit.steps[k].end_low < 0.5);
        double height = staircase_at(step_shapes_create(arena), &fit, ends[k] + 1.5);
        assert_true(fabs(height / (20 * pow(3, (double)k + 1)) - 1) < 0.03);
    }
    arena_destroy(arena);
}

static void a_flat_curve_has_no_step(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    struct curve curve;
    make_sharp(&curve, NULL, 0, 1);
    assert_int_equal(fit_of(arena, &curve).count, 0);
    arena_destroy(arena);
}

static void the_shape_of_a_tlb_is_told_by_its_long_rise(void **state)
{
    (void)state;
    // given a share of misses of 1 − reach / region, which a chain with equally many nodes in each
    // page has
    struct arena *arena = arena_create();
    struct curve curve;
    make_sharp(&curve, NULL, 0, 1);
    for (size_t i = 0; i < POINTS; i++)
        curve.y[i] += 60 * fmax(1 - exp2(18 - curve.x[i]), 0);
    struct staircase fit = fit_of(arena, &curve);
    assert_int_equal(fit.count, 1);
    assert_true(step_shape_is_gradual(fit.steps[0].shape));
    assert_true(fit.steps[0].end_low <= 18 && 18 <= fit.steps[0].end_high);
    arena_destroy(arena);
}

static void hashed_sets_miss_before_the_capacity_and_even_ones_do_not(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    const struct step_shapes *shapes = step_shapes_create(arena);
    unsigned even = 0, spread = 0;
    while (step_shape_is_gradual(even) || step_shape_spread(even))
        even++;
    while (!step_shape_spread(spread) || step_shape_is_random(spread))
        spread++;
    assert_true(step_shapes_share(shapes, even, -0.05) < 0.01);
    assert_true(step_shapes_share(shapes, spread, -0.05) > 0.1);
    assert_true(step_shapes_share(shapes, even, 3) > 0.99 &&
                step_shapes_share(shapes, spread, 3) > 0.9);
    arena_destroy(arena);
}

// Fits one step from 20 to 60 that has this shape and ends at 20, and returns how wide its interval
// is in octaves.
static double width_of_step(struct arena *arena, unsigned shape)
{
    const struct step_shapes *shapes = step_shapes_create(arena);
    struct curve curve;
    struct staircase_step step;
    for (size_t i = 0; i < POINTS; i++) {
        curve.x[i] = 19.2 + 0.02 * (double)i;
        curve.y[i] = 20 + 40 * step_shapes_share(shapes, shape, curve.x[i] - 20);
    }
    const struct staircase_points points = {curve.x, curve.y, POINTS, 0.005};
    assert_true(staircase_fit_step(shapes, &points, 20, 60, &step));
    assert_true(step.end_low <= 20 && 20 <= step.end_high);
    return step.end_high - step.end_low;
}

static void the_interval_of_a_sharp_step_is_narrow(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    assert_true(width_of_step(arena, STEP_SHAPE_SHARP) < 0.14);
    // A cache of few ways may end much later than its curve suggests.
    assert_true(width_of_step(arena, step_shape_hashed(4)) > 1.2);
    arena_destroy(arena);
}

// Pages at any address may fill one third of a cache's sets long before the others.
static void a_rise_with_stairs_has_an_interval_over_all_of_them(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    struct staircase_step step;
    double x[16], y[16];
    for (size_t i = 0; i < 16; i++) {
        x[i] = 19.5 + 0.1 * (double)i;
        y[i] = 20 + 40 * fmin(floor(fmax(x[i] - 19.75, 0) / 0.3 + 0.99), 3) / 3;
    }
    const struct staircase_points points = {x, y, 16, 0.005};
    staircase_fit_step(step_shapes_create(arena), &points, 20, 60, &step);
    assert_true(step.end_low < 19.71 && step.end_high > 20.39);
    assert_true(staircase_bound_step(&points, 20, 60, &step));
    assert_true(step.end_low > 19.6 && step.end_low < 19.71);
    assert_true(step.end_high > 20.39 && step.end_high < 20.6);
    // A rise that goes on has no bound above.
    assert_false(staircase_bound_step(&points, 20, 80, &step));
    arena_destroy(arena);
}

static void too_few_points_are_not_fitted(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    struct curve curve;
    struct staircase fit;
    make_sharp(&curve, NULL, 0, 1);
    const struct plateaus_desc points = {.x = curve.x, .y = curve.y, .count = 7};
    assert_false(staircase_fit(arena, step_shapes_create(arena), &points, NULL, &fit));
    arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sharp_steps_are_found_within_their_intervals),
        cmocka_unit_test(a_flat_curve_has_no_step),
        cmocka_unit_test(the_shape_of_a_tlb_is_told_by_its_long_rise),
        cmocka_unit_test(hashed_sets_miss_before_the_capacity_and_even_ones_do_not),
        cmocka_unit_test(the_interval_of_a_sharp_step_is_narrow),
        cmocka_unit_test(a_rise_with_stairs_has_an_interval_over_all_of_them),
        cmocka_unit_test(too_few_points_are_not_fitted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
