// SPDX-License-Identifier: MIT
#include "math/random.h"
#include "math/states.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum {
    TRIES = 4000,
    COUNT_MOST = 40
};

static double normal(struct random *random)
{
    double radius = sqrt(-2 * log(1 - random_unit(random)));
    return radius * cos(2 * 3.14159265358979323846 * random_unit(random));
}

static double uniform(struct random *random)
{
    return random_unit(random);
}

static double exponential(struct random *random)
{
    return -log(1 - random_unit(random));
}

static double cauchy(struct random *random)
{
    return tan(3.14159265358979323846 * (random_unit(random) - 0.5));
}

static double log_normal(struct random *random)
{
    return exp(normal(random));
}

static double pareto(struct random *random)
{
    return 1 / (1 - random_unit(random));
}

static void values_of_two_states_are_told_apart(void **state)
{
    (void)state;
    double values[20];
    struct states states;
    for (size_t i = 0; i < 20; i++)
        values[i] = (i < 16 ? 100 : 106) + 0.1 * (double)(i % 4);
    assert_true(states_find(values, 20, &states));
    assert_int_equal(states.low_count, 16);
    assert_true(fabs(states.low - 100.15) < 1e-9 && fabs(states.high - 106.15) < 1e-9);
    // With one value fewer, noise leaves such gaps too often.
    assert_false(states_find(values + 1, 19, &states));
}

static void a_few_outliers_and_equal_values_are_no_state(void **state)
{
    (void)state;
    double values[20];
    struct states states;
    for (size_t i = 0; i < 20; i++)
        values[i] = i < 17 ? 100 + 0.1 * (double)i : 150;
    assert_false(states_find(values, 20, &states));
    for (size_t i = 0; i < 20; i++)
        values[i] = 100;
    assert_false(states_find(values, 20, &states));
}

// Given sets of 20 and 40 values of one state, of distributions with and without a heavy tail, when
// states are looked for, then at most 1 % of the sets have two.
static void noise_is_hardly_ever_two_states(void **state)
{
    (void)state;
    double (*const draws[])(struct random *) = {normal, uniform,    exponential,
                                                cauchy, log_normal, pareto};
    struct random random;
    random_init(&random, 5);
    for (size_t d = 0; d < sizeof draws / sizeof *draws; d++)
        for (size_t count = 20; count <= COUNT_MOST; count += 20) {
            unsigned alarms = 0;
            for (unsigned i = 0; i < TRIES; i++) {
                double values[COUNT_MOST];
                struct states states;
                for (size_t k = 0; k < count; k++)
                    values[k] = draws[d](&random);
                alarms += states_find(values, count, &states);
            }
            print_message("distribution %zu, %zu values: %.2f %%\n", d, count,
                          100.0 * alarms / TRIES);
            assert_in_range(alarms, 0, TRIES / 100);
        }
}

// Given sets in which a fifth to a half of the values are 5 % higher, with noise of 0.5 %, when
// states are looked for, then 90 % of the sets or more have two.
static void a_fifth_of_higher_values_is_found(void **state)
{
    (void)state;
    struct random random;
    random_init(&random, 6);
    for (size_t count = 20; count <= COUNT_MOST; count += 20)
        for (size_t higher = count / 5; higher <= count / 2; higher += count / 10) {
            unsigned found = 0;
            for (unsigned i = 0; i < TRIES; i++) {
                double values[COUNT_MOST];
                struct states states;
                for (size_t k = 0; k < count; k++)
                    values[k] = (k < higher ? 105 : 100) + 0.5 * normal(&random);
                found += states_find(values, count, &states);
            }
            assert_in_range(found, TRIES * 9 / 10, TRIES);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_two_states_are_told_apart),
        cmocka_unit_test(a_few_outliers_and_equal_values_are_no_state),
        cmocka_unit_test(noise_is_hardly_ever_two_states),
        cmocka_unit_test(a_fifth_of_higher_values_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
