// SPDX-License-Identifier: MIT
#include "bench/roofline/session.h"
#include "math/stats.h"

#include <math.h>
#include <string.h>

enum {
    UNIT_TEXT = 32
};
// Factors between an estimate of the ridge and the intensities at which the roofs are read. The
// compute roof (a rate) is read above the estimate, the memory roof (a bandwidth) below it. If a
// roof has no case with the first factor, the second factor counts.
static const double leg_distances[] = {4, 2};
static const double leg_confidence = 0.975;

// The results of one device and one type of numbers, which lead to at most one finding.
struct row {
    struct run *run;
    const char *device, *type; // type of the numbers, for example "fp32"; NULL: every type
};

static bool is_in(const struct row *row, const struct result *result)
{
    const struct case_value *type = case_find(&result->bench_case, "type");
    return result_is_of(result, "roofline", row->device) && type && type->text &&
           (!row->type || strcmp(type->text, row->type) == 0);
}

// Returns the row's result with the highest median of this metric; NULL if there is none.
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

// Returns true if the measured intensities reach from half of the ridge to twice the ridge.
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

// Returns the median of a metric over results with intensities from `least` to `most`; NaN if there
// are no such results.
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
    // Heights of the compute roof (`rate`) and of the memory roof (`speed`, a bandwidth).
    struct interval rate, speed;
    struct interval at; // intensity at which the two roofs meet
};

// Returns the ridge, where both roofs meet; `about` is a first estimate of it. The compute roof is
// read at least `distance` times above `about`, the memory roof at least `distance` times below.
// The interval of each roof is of 97.5 %, so the ridge's interval is of at least 95 %.
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

// Adds a finding "ridge" for each type of numbers: the intensity (operations per byte) where both
// roofs meet. It is the median rate at high intensities ÷ the median bandwidth at low ones. These
// intensities are at least four times (else twice) above and below an estimate, which is the
// highest rate ÷ the highest bandwidth. The measured intensities must reach from half of the
// estimate to twice the estimate. Keys: the cases with the highest bandwidth and with the highest
// rate.
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
