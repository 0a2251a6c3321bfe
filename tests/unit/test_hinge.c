// SPDX-License-Identifier: MIT
// The fit of a rise takes short cuts. It must find what a search without short cuts finds.
#include "math/hinge.h"
#include "math/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum {
    POINTS = 40,
    ENDS = 200,
    COARSE = 30,
    FINE = 20,
    RISES = 30
};

static double plain_cost(const struct hinge *hinge, double end, double width)
{
    double cost = 0;
    for (size_t i = 0; i < hinge->count; i++) {
        double t = (hinge->x[i] - end) / fmax(width, 1e-9);
        t = t < 0 ? 0 : t > 1 ? 1 : t;
        double off =
            (hinge->ln_y[i] - log(hinge->low + (hinge->high - hinge->low) * t)) / hinge->noise;
        cost += hinge->weight[i] * (fabs(off) < 3 ? off * off : 6 * fabs(off) - 9);
    }
    return cost;
}

// Tries widths around *width and sets it to the best one. Returns the cost of that.
static double plain_widths(const struct hinge *hinge, double end, double reach, int steps,
                           double *width)
{
    double best = (double)INFINITY, middle = *width;
    for (int step = 0; step <= steps; step++) {
        double candidate = middle + reach * (2.0 * step / steps - 1);
        if (candidate < 0 || candidate > hinge->width_max)
            continue;
        double cost = plain_cost(hinge, end, candidate);
        if (cost < best) {
            best = cost;
            *width = candidate;
        }
    }
    return best;
}

static void plain_fit(const struct hinge *hinge, double *found_end, double *found_width)
{
    double best = (double)INFINITY;
    for (int i = 0; i <= ENDS; i++) {
        double end = hinge->from + (hinge->to - hinge->from) * i / ENDS;
        double half = hinge->width_max / 2, width = half;
        plain_widths(hinge, end, half, COARSE, &width);
        double cost = plain_widths(hinge, end, 2 * half / COARSE, FINE, &width);
        if (cost < best) {
            best = cost;
            *found_end = end;
            *found_width = width;
        }
    }
}

static void test_it_finds_what_a_plain_search_finds(void **state)
{
    (void)state;
    struct random random;
    struct arena *arena = arena_create();
    random_init(&random, 3);
    for (int rise = 0; rise < RISES; rise++) {
        // Given a rise somewhere, with noise, outliers and points without weight.
        double x[POINTS], ln_y[POINTS], weight[POINTS], end = 10.5 + random_unit(&random);
        double width = 0.75 * random_unit(&random), noise = 0.002 + 0.05 * random_unit(&random);
        for (int i = 0; i < POINTS; i++) {
            x[i] = 10 + 3.0 * i / (POINTS - 1);
            double t = fmin(fmax((x[i] - end) / fmax(width, 1e-9), 0), 1);
            ln_y[i] = log(20 + 80 * t) + noise * (2 * random_unit(&random) - 1);
            ln_y[i] += random_below(&random, 12) == 0 ? 0.5 : 0;
            weight[i] = random_below(&random, 10) ? 1 : 0;
        }
        const struct hinge hinge = {.x = x,
                                    .ln_y = ln_y,
                                    .weight = weight,
                                    .count = POINTS,
                                    .low = 20,
                                    .high = 100,
                                    .noise = noise,
                                    .width_max = 0.75,
                                    .from = x[3],
                                    .to = x[30]};
        struct plateaus_step step = {0};
        double wanted_end = 0, wanted_width = 0;
        hinge_fit(arena, &hinge, &step);
        plain_fit(&hinge, &wanted_end, &wanted_width);
        assert_true(step.end == wanted_end);
        assert_true(step.width == wanted_width);
        assert_true(fabs(step.end - end) < 0.3);
        assert_true(step.end_low <= step.end && step.end <= step.end_high);
    }
    arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_it_finds_what_a_plain_search_finds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
