// SPDX-License-Identifier: MIT
// Tests the limits of math/outliers.h: how often normal values exceed them, and what they find.
#include "math/outliers.h"
#include "math/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum {
    MOST = 4000
};

static void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.12g is not %.12g", value, expected);
}

// The Box-Muller method.
static double normal(struct random *random)
{
    double radius = sqrt(-2 * log(1 - random_unit(random)));
    return radius * cos(6.283185307179586 * random_unit(random));
}

static void a_few_outliers_do_not_move_the_population(void **state)
{
    (void)state;
    double values[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 1e9};
    struct population population = population_of(values, 10);
    assert_near(population.median, 5.5, 1e-12);
    assert_near(population.mad, 2.5, 1e-12);
    assert_near(population.sigma, 1.4826 * 2.5 * 10 / 9.2, 1e-12);
}

static void a_score_is_as_rare_as_its_chance(void **state)
{
    (void)state;
    assert_near(score_chance(1.959964), 0.025, 1e-7);
    assert_near(score_of_chance(0.025), 1.959964, 1e-6);
    assert_near(score_of_chance(1e-7), 5.199338, 1e-5);
}

static void a_distance_is_the_inverse_of_a_score(void **state)
{
    (void)state;
    struct population population = {.count = 30, .median = 7, .sigma = 0.1, .freedom = 10.7};
    for (int halves = 1; halves < 16; halves++)
        for (int fifths = 0; fifths < 5; fifths += 2) {
            double score = halves / 2.0, least = fifths / 5.0;
            double distance = population_distance(&population, score, least);
            assert_near(population_score(&population, 7 + distance, least), score, 1e-9);
            assert_near(population_score(&population, 7 - distance, least), -score, 1e-9);
        }
}

static void the_scale_is_never_less_than_what_is_asked_for(void **state)
{
    (void)state;
    double values[20] = {0};
    struct population population = population_of(values, 20);
    assert_true(population.sigma < 1e-12);
    double score = population_score(&population, 1, 1);
    assert_true(score > 0.5 && score < 1);
}

// The share of healthy populations of which any value exceeds the limit for a family-wise error.
static double false_alarms(size_t count, size_t populations, double error)
{
    struct random random;
    static double values[MOST], copy[MOST];
    size_t alarms = 0;
    random_init(&random, 20261123 + count);
    double limit = score_of_chance(error / (double)count);
    for (size_t p = 0; p < populations; p++) {
        for (size_t i = 0; i < count; i++)
            copy[i] = values[i] = normal(&random);
        struct population population = population_of(copy, count);
        double most = -INFINITY;
        for (size_t i = 0; i < count; i++)
            most = fmax(most, values[i]);
        alarms += population_score(&population, most, 0) > limit;
    }
    return (double)alarms / (double)populations;
}

static void healthy_populations_of_any_size_rarely_raise_an_alarm(void **state)
{
    (void)state;
    // The chance of an alarm should be 1 %; of 3000 populations that is 30 ± 5.5.
    static const size_t counts[] = {8, 16, 64, 500};
    for (size_t i = 0; i < COUNT(counts); i++) {
        double share = false_alarms(counts[i], 3000, 0.01);
        print_message("%zu values: %.2f %% false alarms\n", counts[i], 100 * share);
        assert_true(share < 0.017);
    }
}

static void discoveries_follow_the_step_up_rule(void **state)
{
    (void)state;
    const double chances[] = {0.001, 0.008, 0.012, 0.041, 0.2};
    // Limits for 10 tests at 5 %: 0.005, 0.01, 0.015, 0.02, 0.025.
    assert_int_equal(discoveries(chances, 5, 10, 0.05), 3);
    assert_int_equal(discoveries(chances, 5, 1000, 0.05), 0);
    assert_int_equal(discoveries(chances, 0, 10, 0.05), 0);
    const double late[] = {0.006, 0.009}; // the first alone is no discovery
    assert_int_equal(discoveries(late, 1, 10, 0.05), 0);
    assert_int_equal(discoveries(late, 2, 10, 0.05), 2);
}

static void ranks_correlate_however_the_curve_bends(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    const double x[] = {1, 2, 3, 4, 5}, up[] = {1, 8, 27, 64, 1000}, flat[] = {2, 2, 2, 2, 2};
    const double down[] = {5, 4, 3, 2, 1}, ties[] = {1, 1, 2, 2, 3};
    assert_near(rank_correlation(arena, x, up, 5), 1, 1e-12);
    assert_near(rank_correlation(arena, x, down, 5), -1, 1e-12);
    assert_near(rank_correlation(arena, x, ties, 5), 9 / sqrt(90), 1e-12);
    assert_true(isnan(rank_correlation(arena, x, flat, 5)));
    assert_true(isnan(rank_correlation(arena, x, up, 2)));
    arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_few_outliers_do_not_move_the_population),
        cmocka_unit_test(a_score_is_as_rare_as_its_chance),
        cmocka_unit_test(a_distance_is_the_inverse_of_a_score),
        cmocka_unit_test(the_scale_is_never_less_than_what_is_asked_for),
        cmocka_unit_test(healthy_populations_of_any_size_rarely_raise_an_alarm),
        cmocka_unit_test(discoveries_follow_the_step_up_rule),
        cmocka_unit_test(ranks_correlate_however_the_curve_bends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
