// SPDX-License-Identifier: MIT
#include "math/distribution.h"
#include "math/random.h"
#include "math/stats.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum {
    TRIES = 4000,
    COUNT = 40
};

static void the_band_narrows_with_the_root_of_the_count(void **state)
{
    (void)state;
    assert_true(fabs(distribution_band(20, 0.95) - 0.3037) < 1e-4);
    assert_true(fabs(distribution_band(100, 0.95) - 0.1358) < 1e-4);
    assert_true(distribution_band(0, 0.95) == 1 && distribution_band(1, 0.95) == 1);
}

static void the_distance_is_the_largest_between_the_two_functions(void **state)
{
    (void)state;
    const double a[] = {1, 2, 3, 4}, b[] = {3, 4, 5, 6};
    assert_true(distribution_distance(a, 4, a, 4) == 0);
    assert_true(distribution_distance(a, 4, b, 4) == 0.5);
    assert_true(distribution_distance(a, 2, b + 2, 2) == 1);
    assert_true(isnan(distribution_distance(a, 0, b, 4)));
}

// Two sets of one distribution with a heavy tail: at most 5 % of all tries exceed chance.
static void sets_of_one_distribution_are_hardly_ever_told_apart(void **state)
{
    (void)state;
    struct random random;
    unsigned apart = 0;
    random_init(&random, 5);
    for (int try = 0; try < TRIES; try++) {
        double a[COUNT], b[COUNT];
        for (int i = 0; i < COUNT; i++) {
            a[i] = 1 / (1 - random_unit(&random));
            b[i] = 1 / (1 - random_unit(&random));
        }
        stats_sort(a, COUNT);
        stats_sort(b, COUNT);
        apart += distribution_distance(a, COUNT, b, COUNT) >
                 distribution_distance_allowed(COUNT, COUNT, 0.05);
    }
    assert_in_range(apart, 1, TRIES / 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_band_narrows_with_the_root_of_the_count),
        cmocka_unit_test(the_distance_is_the_largest_between_the_two_functions),
        cmocka_unit_test(sets_of_one_distribution_are_hardly_ever_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
