// SPDX-License-Identifier: MIT
#include "math/random.h"
#include "math/stats.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define NEAR(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

static void quantiles_interpolate_between_order_statistics(void **state)
{
    (void)state;
    double values[] = {40, 10, 30, 20};
    NEAR(stats_median(values, 4), 25, 0);
    assert_true(values[0] == 10 && values[3] == 40); // stats_median has sorted them
    NEAR(stats_quantile(values, 4, 0), 10, 0);
    NEAR(stats_quantile(values, 4, 0.25), 17.5, 1e-12);
    NEAR(stats_quantile(values, 4, 1), 40, 0);
    NEAR(stats_quantile(values, 1, 0.9), 10, 0);
    assert_true(isnan(stats_quantile(values, 0, 0.5)));
}

static void deviation_divides_by_n_less_one(void **state)
{
    (void)state;
    const double values[] = {2, 4, 4, 4, 5, 5, 7, 9};
    NEAR(stats_mean(values, 8), 5, 1e-15);
    NEAR(stats_deviation(values, 8), sqrt(32.0 / 7), 1e-15);
    assert_true(isnan(stats_deviation(values, 1)));
    assert_true(isnan(stats_mean(values, 0)));
}

// Values of t with P(T ≤ t) = p, as printed tables have them.
static void t_quantiles_are_those_of_tables(void **state)
{
    (void)state;
    const struct {
        double p;
        unsigned freedom;
        double t;
    } table[] = {
        {0.975, 1, 12.7062047362}, {0.975, 4, 2.7764451052},
        {0.025, 4, -2.7764451052}, {0.975, 9, 2.2621571628},
        {0.95, 30, 1.6972608944},  {0.6, 2, 0.2886751346},
        {0.9995, 3, 12.923978637}, {0.5, 7, 0},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        NEAR(stats_t_quantile(table[i].p, table[i].freedom), table[i].t, 1e-8);
}

static void median_ranks_are_the_largest_with_that_confidence(void **state)
{
    (void)state;
    // The extremes of five values contain the median with 93.75 % confidence, but not with 95 %.
    assert_int_equal(stats_median_rank(5, 0.9375), 1);
    assert_int_equal(stats_median_rank(5, 0.95), 0);
    assert_int_equal(stats_median_rank(6, 0.95), 1);
    assert_int_equal(stats_median_rank(10, 0.975), 2);
    assert_int_equal(stats_median_rank(20, 0.95), 6);
    assert_int_equal(stats_median_rank(20, 0.99375), 4);
    assert_int_equal(stats_median_rank(40, 0.95), 14);
    assert_int_equal(stats_median_rank(1, 0.5), 0);
}

static double nearly_normal(struct random *random)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += random_unit(random);
    return sum;
}

// Given independent values in short series, then C has the expectation 0 and the standard error
// that it reports. The lag-1 autocorrelation about each series' own mean would be −1/4.
static void serial_correlation_of_short_stretches_is_unbiased(void **state)
{
    (void)state;
    enum {
        TRIALS = 20000,
        STRETCHES = 5,
        LENGTH = 4
    };
    struct random random;
    random_init(&random, 1);
    double sum = 0, squares = 0, error = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        struct stats_serial serial = {0};
        for (int stretch = 0; stretch < STRETCHES; stretch++) {
            double values[LENGTH];
            for (int i = 0; i < LENGTH; i++)
                values[i] = nearly_normal(&random);
            stats_serial_add(&serial, values, LENGTH);
        }
        double c = stats_serial_correlation(&serial);
        sum += c;
        squares += c * c;
        error = stats_serial_error(&serial);
    }
    NEAR(sum / TRIALS, 0, 0.01);
    NEAR(sqrt(squares / TRIALS) / error, 1, 0.05);
}

static void serial_correlation_sees_trends_and_ignores_constants(void **state)
{
    (void)state;
    struct stats_serial trend = {0}, constant = {0};
    stats_serial_add(&trend, (const double[]){1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 10);
    stats_serial_add(&constant, (const double[]){7, 7, 7}, 3);
    NEAR(stats_serial_correlation(&trend), 1 - 9 / 165.0, 1e-12);
    NEAR(stats_serial_correlation(&constant), 0, 0);
}

static void random_numbers_are_those_of_the_reference(void **state)
{
    (void)state;
    // Given state 1 2 3 4 and seed 0, then the values are those of the published reference
    // implementations.
    struct random random = {{1, 2, 3, 4}};
    assert_int_equal(random_next(&random), 11520);
    assert_int_equal(random_next(&random), 0);
    assert_int_equal(random_next(&random), 1509978240);
    assert_int_equal(random_next(&random), UINT64_C(1215971899390074240));
    random_init(&random, 0);
    assert_int_equal(random.state[0], UINT64_C(0xe220a8397b1dcdaf));
    assert_int_equal(random.state[3], UINT64_C(0xf88bb8a8724c81ec));
}

static void shuffles_give_every_order_alike(void **state)
{
    (void)state;
    enum {
        TRIALS = 60000
    };
    struct random random;
    random_init(&random, 3);
    int counts[27] = {0};
    for (int trial = 0; trial < TRIALS; trial++) {
        size_t items[] = {0, 1, 2};
        random_shuffle(&random, items, 3);
        counts[items[0] * 9 + items[1] * 3 + items[2]]++;
    }
    int orders = 0;
    for (int i = 0; i < 27; i++)
        if (counts[i]) {
            orders++;
            NEAR(counts[i], TRIALS / 6.0, 400); // 4.4 standard deviations
        }
    assert_int_equal(orders, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_interpolate_between_order_statistics),
        cmocka_unit_test(deviation_divides_by_n_less_one),
        cmocka_unit_test(t_quantiles_are_those_of_tables),
        cmocka_unit_test(median_ranks_are_the_largest_with_that_confidence),
        cmocka_unit_test(serial_correlation_of_short_stretches_is_unbiased),
        cmocka_unit_test(serial_correlation_sees_trends_and_ignores_constants),
        cmocka_unit_test(random_numbers_are_those_of_the_reference),
        cmocka_unit_test(shuffles_give_every_order_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
