// SPDX-License-Identifier: MIT
#include "math/line.h"
#include "math/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void points_on_a_line_give_that_line(void **state)
{
    (void)state;
    const double x[] = {1, 10, 100, 1000, 1e6};
    double y[5];
    struct line line;
    for (int i = 0; i < 5; i++)
        y[i] = 2.5 + 0.125 * x[i];
    assert_true(line_fit_relative(x, y, 5, &line));
    assert_true(fabs(line.intercept - 2.5) < 1e-9 && fabs(line.slope - 0.125) < 1e-12);
    assert_true(line.intercept_half < 1e-6 && line.slope_half < 1e-9);
}

static void three_points_by_hand(void **state)
{
    (void)state;
    const double x[] = {1, 2, 3}, y[] = {1, 2, 3.0};
    struct line line;
    assert_true(line_fit_relative(x, y, 3, &line));
    assert_true(fabs(line.intercept) < 1e-12 && fabs(line.slope - 1) < 1e-12);
    const double bent[] = {1, 2, 4};
    // Weights 1, 1/4, 1/16: s = 21/16, sx = 27/16, sy = 7/4; relative to 9/7, sxx = 11/28 and sxy =
    // 1/2.
    assert_true(line_fit_relative(x, bent, 3, &line));
    assert_true(fabs(line.slope - 14.0 / 11) < 1e-12);
    assert_true(fabs(line.intercept + 10.0 / 33) < 1e-12);
}

// A normal deviate (G. E. P. Box and M. E. Muller, Annals of Mathematical Statistics 29, 1958).
static double normal(struct random *random)
{
    double radius = sqrt(-2 * log(1 - random_unit(random)));
    return radius * cos(6.283185307179586 * random_unit(random));
}

// For relative errors of 2 %, 95 % of the intervals contain the true value.
static void intervals_cover(void **state)
{
    (void)state;
    enum {
        TRIES = 2000,
        POINTS = 12
    };
    struct random random;
    random_init(&random, 7);
    int covered = 0, slope_covered = 0;
    for (int i = 0; i < TRIES; i++) {
        double x[POINTS], y[POINTS];
        struct line line;
        for (int k = 0; k < POINTS; k++) {
            x[k] = exp2(k);
            y[k] = (20 + 0.3 * x[k]) * (1 + 0.02 * normal(&random));
        }
        assert_true(line_fit_relative(x, y, POINTS, &line));
        covered += fabs(line.intercept - 20) <= line.intercept_half;
        slope_covered += fabs(line.slope - 0.3) <= line.slope_half;
    }
    assert_in_range(covered, TRIES * 93 / 100, TRIES * 97 / 100);
    assert_in_range(slope_covered, TRIES * 93 / 100, TRIES * 97 / 100);
}

static void what_has_no_line_is_refused(void **state)
{
    (void)state;
    const double same[] = {2, 2, 2}, x[] = {1, 2, 3}, y[] = {1, 2, 3}, zero[] = {1, 0, 3};
    const double tenths[] = {0.1, 0.1, 0.1};
    const double unknown[] = {1, NAN, 3};
    struct line line;
    assert_false(line_fit_relative(x, y, 2, &line));
    assert_false(line_fit_relative(same, y, 3, &line));
    assert_false(line_fit(tenths, y, 3, &line)); // their mean is not exactly 0.1
    assert_false(line_fit_relative(x, zero, 3, &line));
    assert_false(line_fit_relative(x, unknown, 3, &line));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_on_a_line_give_that_line),
        cmocka_unit_test(three_points_by_hand),
        cmocka_unit_test(intervals_cover),
        cmocka_unit_test(what_has_no_line_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
