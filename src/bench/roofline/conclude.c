// SPDX-License-Identifier: MIT
#include "bench/roofline/session.h"
#include "math/stats.h"

#include <math.h>
#include <string.h>

enum {
    UNIT_TEXT = 32
};
// There are two roofs: the rate at intensities far above the ridge, and the bandwidth at
// intensities far below the ridge. An intensity is far away if it differs from the ridge by at
// least the first of these factors. If a roof then has no case, the second factor is used.
static const double leg_distances[] = {4, 2};
static const double leg_confidence = 0.975;

// The results of one device for one type of numbers. One finding is made from them.
struct row {
    struct run *run;
    const char *device, *type; // type of the numbers, for example "fp32"; NULL means all types
};

static bool is_in(const struct row *row, const struct result *result)
{
    const struct case_value *type = case_find(&result->bench_case, "type");
    return result_is_of(result, "roofline", row->device) && type && type->text &&
           (!row->type || strcmp(type->text, row->type) == 0);
}

// Returns the row's result with the largest median of this metric; NULL if none has the metric.
static const struct result *most_of(const struct row *row, const char *metric)
{
    const struct result *best = NULL;
    for (size_t i = 0; i < row->run->result_count; i++) {
        const struct result *result = row->run->results[i];
        double value = is_in(row, result) ? result_median(result, metric) : NAN;
        if (isfinite(value) && (!best || value > result_median(best, metric)))
            best = result;
    }
    return best;
}

// Returns true if the measured intensities go down to half of the ridge or lower, and up to twice
// the ridge or higher.
static bool is_seen_around(const struct row *row, double ridge)
{
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < row->run->result_count; i++) {
        const struct result *result = row->run->results[i];
        if (!is_in(row, result) || !isfinite(result_median(result, "rate")))
            continue;
        least = fmin(least, case_real(&result->bench_case, "intensity"));
        most = fmax(most, case_real(&result->bench_case, "intensity"));
    }
    return least <= ridge / 2 && most >= ridge * 2;
}

// Returns the median of a metric, with its interval, over all of the row's results with intensities
// from `least` to `most`; NaN if there is no such result.
static struct interval leg_of(const struct row *row, const char *metric, double least, double most)
{
    struct arena *scratch = arena_create();
    double *values = ARENA_ARRAY(scratch, row->run->result_count, double);
    size_t count = 0;
    for (size_t i = 0; i < row->run->result_count; i++) {
        const struct result *result = row->run->results[i];
        double intensity = is_in(row, result) ? case_real(&result->bench_case, "intensity") : NAN;
        if (intensity >= least && intensity <= most && isfinite(result_median(result, metric)))
            values[count++] = result_median(result, metric);
    }
    struct interval leg = {NAN, NAN, NAN};
    if (count > 0)
        leg = interval_of_median(values, count, leg_confidence);
    arena_destroy(scratch);
    return leg;
}

struct ridge {
    // Height of the compute roof (a rate), and of the memory roof (a bandwidth).
    struct interval rate, speed;
    struct interval at; // the intensity at which the compute roof and the memory roof meet
};

// Returns the ridge: the intensity at which the compute roof and the memory roof meet. `about` is a
// first estimate of the ridge. Each roof is read where it is flat: the compute roof at intensities
// at least `distance` times above `about`, the memory roof at intensities at least `distance` times
// below `about`. The ridge's interval spans all quotients of values in the two roofs' intervals.
// The roofs' intervals have a confidence of 97.5 % each, so the ridge's interval has 95 %.
static struct ridge ridge_of(const struct row *row, double about, double distance)
{
    struct ridge ridge = {
        .rate = leg_of(row, "rate", about * distance, INFINITY),
        .speed = leg_of(row, "bandwidth", 0, about / distance),
    };
    ridge.at = (struct interval){.median = ridge.rate.median / ridge.speed.median,
                                 .low = ridge.rate.low / ridge.speed.high,
                                 .high = ridge.rate.high / ridge.speed.low};
    return ridge;
}

static void report(const struct row *row)
{
    const struct result *high = most_of(row, "rate");
    const struct result *low = most_of(row, "bandwidth");
    struct arena *arena = row->run->arena;
    char number[3][UNIT_TEXT];
    if (!high || !low)
        return;
    double about = result_median(high, "rate") / result_median(low, "bandwidth");
    struct ridge ridge = ridge_of(row, about, leg_distances[0]);
    if (!isfinite(ridge.at.median))
        ridge = ridge_of(row, about, leg_distances[1]);
    if (!is_seen_around(row, about) || !isfinite(ridge.at.median))
        return;
    number_format(ridge.at.median, number[0], sizeof number[0]);
    number_format(ridge.at.low, number[1], sizeof number[1]);
    number_format(ridge.at.high, number[2], sizeof number[2]);
    const char *within = isfinite(ridge.at.low) && isfinite(ridge.at.high)
                             ? arena_printf(arena, " (%s to %s)", number[1], number[2])
                             : "";
    run_add_conclusion(row->run, "ridge", ridge.at.median, low, high,
                       "%s: memory-bound below %s FLOP/B%s at %s, compute-bound above at %s",
                       row->type, number[0], within,
                       unit_text(arena, ridge.speed.median, UNIT_BYTE_PER_S),
                       unit_text(arena, ridge.rate.median, UNIT_FLOP_PER_S));
}

// Adds a finding "ridge" for each type of numbers. Its value is the intensity, in operations per
// byte, above which memory is not the limit: the median rate at high intensities, divided by the
// median bandwidth at low intensities. High and low mean mostly at least four times above and below
// a first estimate (largest rate ÷ largest bandwidth). If the measured intensities do not reach
// from half of the estimate to twice the estimate, there is no finding. The keys are the case with
// the largest bandwidth and the case with the largest rate.
void roofline_conclude(struct run *run, const char *device)
{
    for (size_t i = 0; i < run->result_count; i++) {
        struct row row = {.run = run, .device = device};
        if (!is_in(&row, run->results[i]))
            continue;
        row.type = case_text(&run->results[i]->bench_case, "type");
        bool known = false;
        for (size_t j = 0; j < i && !known; j++)
            known = is_in(&row, run->results[j]);
        if (!known)
            report(&row);
    }
}
