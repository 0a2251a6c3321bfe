// SPDX-License-Identifier: MIT
#include "measure/collect.h"

#include "base/text.h"
#include "math/distribution.h"
#include "math/stats.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const double error_allowed = 0.05;
static const double correlation_allowed = 0.3;
static const double chance_deviations = 3.3; // one-sided 0.05 % for normal values

enum {
    FEW_SAMPLES = 20,        // least samples of a distribution: each share is known to ±30 %
    ROUND_SAMPLES_LEAST = 4, // least samples of a round to compare it with the other rounds
};
static const double distribution_confidence = 0.95, distance_that_matters = 0.25;

struct gathered_metric {
    double *medians; // of the rounds, in time order
    double *limits;  // all limits that visits reported
    size_t rounds, median_room, limit_count, limit_room;
    size_t samples;
    double step;   // the largest step that a visit reported
    double half;   // as the last visit reported it; used if there is only one round
    bool at_least; // the median of any round is a lower bound
    struct stats_serial within;
};

// A sample of a distribution.
struct answer {
    double value;
    unsigned round;
};

enum collect_state {
    COLLECT_GATHERING,
    COLLECT_PRECISE, // the goal was reached at a look
    COLLECT_SPENT,   // rounds_max or budget_ns was reached
    COLLECT_FAILED
};

struct collect {
    struct arena *arena;
    const struct benchmark_info *info;
    struct collect_rule rule;
    enum collect_state state;
    unsigned rounds;
    uint64_t device_time_ns;
    size_t dropped; // samples that are not finite numbers
    struct gathered_metric metrics[MEASURE_METRICS_MAX];
    struct answer *answers; // finite samples of the first metric, if it is a distribution
    size_t answer_count, answer_room;
    // Merged visits: the first reason of each code, the first detail of each name, all sensor
    // readings, the series of the last visit that has any, the first kernel. No metrics.
    struct measure_visit *kept;
    unsigned *reason_rounds; // for each of kept->reasons: number of flags with its code
    size_t reason_room;
    struct error error; // why the case failed, if state is COLLECT_FAILED
};

struct collect *collect_create(struct arena *arena, const struct benchmark_info *info,
                               const struct collect_rule *rule)
{
    assert(info->metric_count <= MEASURE_METRICS_MAX);
    struct collect *collect = ARENA_NEW(arena, struct collect);
    collect->arena = arena;
    collect->info = info;
    collect->kept = measure_visit_create(arena);
    collect->rule = *rule;
    if (!(rule->goal > 0))
        collect->rule.goal = 0.005;
    if (rule->rounds_min == 0)
        collect->rule.rounds_min = COLLECT_ROUNDS_MIN;
    if (rule->rounds_max == 0)
        collect->rule.rounds_max = collect->rule.rounds_min;
    return collect;
}

// ---------------------------------------------------------------- the stop rule

// The first metric that has values; it decides when to stop. NULL if no metric has values.
static const struct gathered_metric *primary_of(const struct collect *collect)
{
    for (size_t i = 0; i < collect->info->metric_count; i++)
        if (collect->metrics[i].rounds > 0)
            return &collect->metrics[i];
    return NULL;
}

// The number of the next look: 0 up to rounds_min rounds, 1 up to twice as many, 2 up to four times
// as many, …
static unsigned look_number(const struct collect *collect)
{
    unsigned look = 0;
    for (unsigned allowed = collect->rule.rounds_min; allowed < collect->rounds; allowed *= 2)
        look++;
    return look;
}

static double look_confidence(const struct collect *collect)
{
    bool last = collect->state == COLLECT_GATHERING || collect->state == COLLECT_SPENT;
    return 1 - ldexp(error_allowed, -(int)look_number(collect) - (last ? 0 : 1));
}

static struct interval spread_of(const struct gathered_metric *metric, double confidence,
                                 struct arena *scratch)
{
    double *medians = ARENA_ARRAY(scratch, metric->rounds, double);
    memcpy(medians, metric->medians, metric->rounds * sizeof *medians);
    return interval_of_median(medians, metric->rounds, confidence);
}

// Median and interval of a metric so far, at the confidence of this look.
static struct interval interval_of(const struct collect *collect,
                                   const struct gathered_metric *metric, struct arena *scratch)
{
    struct interval interval = spread_of(metric, look_confidence(collect), scratch);
    if (metric->rounds == 1 && metric->half > 0) {
        interval.low = interval.median - metric->half;
        interval.high = interval.median + metric->half;
    }
    if (isnan(interval.low)) // fmin would ignore the NaN
        return interval;
    interval.low = fmin(interval.low, interval.median - metric->step);
    interval.high = fmax(interval.high, interval.median + metric->step);
    return interval;
}

static bool is_precise(const struct collect *collect)
{
    const struct gathered_metric *metric = primary_of(collect);
    if (!metric)
        return true;
    struct arena_mark mark = arena_mark(collect->arena);
    double confidence = 1 - ldexp(error_allowed, -(int)look_number(collect) - 1);
    struct interval spread = spread_of(metric, confidence, collect->arena);
    arena_rewind(collect->arena, mark);
    double half = (spread.high - spread.low) / 2;
    return half <= fmax(collect->rule.goal * fabs(spread.median), metric->step);
}

static void decide(struct collect *collect)
{
    const struct collect_rule *rule = &collect->rule;
    bool looks = collect->rounds == rule->rounds_min << look_number(collect);
    if (looks && is_precise(collect))
        collect->state = COLLECT_PRECISE;
    else if (collect->rounds >= rule->rounds_max ||
             (rule->budget_ns && collect->device_time_ns >= rule->budget_ns))
        collect->state = COLLECT_SPENT;
}

// ---------------------------------------------------------------- gathering

static void gather_answers(struct collect *collect, const struct measure_samples *samples)
{
    for (size_t i = 0; i < samples->count; i++) {
        if (!isfinite(samples->values[i]))
            continue;
        collect->answers = arena_grow(collect->arena, collect->answers, collect->answer_count,
                                      &collect->answer_room, sizeof *collect->answers);
        collect->answers[collect->answer_count++] =
            (struct answer){samples->values[i], collect->rounds};
    }
}

static void gather_samples(struct collect *collect, struct gathered_metric *metric,
                           const struct measure_samples *samples)
{
    struct arena *arena = collect->arena;
    if (isfinite(samples->limit) && samples->limit > 0) {
        metric->limits = arena_grow(arena, metric->limits, metric->limit_count, &metric->limit_room,
                                    sizeof(double));
        metric->limits[metric->limit_count++] = samples->limit;
    }
    if (!samples->values)
        return;
    struct arena_mark mark = arena_mark(arena);
    double *values = ARENA_ARRAY(arena, samples->count, double);
    size_t count = 0;
    for (size_t i = 0; i < samples->count; i++)
        if (isfinite(samples->values[i]))
            values[count++] = samples->values[i];
    collect->dropped += samples->count - count;
    stats_serial_add(&metric->within, values, count);
    double median = stats_median(values, count); // sorts them
    arena_rewind(arena, mark);
    if (collect->info->distribution && metric == collect->metrics)
        gather_answers(collect, samples);
    if (count == 0)
        return;
    metric->medians =
        arena_grow(arena, metric->medians, metric->rounds, &metric->median_room, sizeof(double));
    metric->medians[metric->rounds++] = median;
    metric->samples += count;
    metric->step = fmax(metric->step, samples->step);
    metric->half = samples->half;
    metric->at_least = metric->at_least || samples->at_least;
}

static void gather_reasons(struct collect *collect, const struct measure_visit *visit)
{
    struct measure_visit *kept = collect->kept;
    for (size_t i = 0; i < visit->reason_count; i++) {
        const struct reason *reason = &visit->reasons[i];
        size_t at = 0;
        while (at < kept->reason_count && strcmp(kept->reasons[at].code, reason->code) != 0)
            at++;
        if (at == kept->reason_count) {
            collect->reason_rounds = arena_grow(collect->arena, collect->reason_rounds, at,
                                                &collect->reason_room, sizeof(unsigned));
            collect->reason_rounds[at] = 0;
            visit_flag(kept, reason->code, "%s", reason->text);
        }
        collect->reason_rounds[at]++;
    }
}

void collect_visit(struct collect *collect, const struct measure_visit *visit)
{
    struct measure_visit *kept = collect->kept;
    for (size_t i = 0; i < collect->info->metric_count; i++)
        gather_samples(collect, &collect->metrics[i], &visit->metrics[i]);
    gather_reasons(collect, visit);
    visit_keep(kept, visit);
    for (size_t i = 0; i < visit->sensor_count; i++)
        visit_sensor(kept, visit->sensors[i].name, visit->sensors[i].unit, visit->sensors[i].value);
    collect->device_time_ns += visit->device_time_ns;
    collect->rounds++;
    decide(collect);
}

void collect_failure(struct collect *collect, const struct error *err)
{
    collect->error = *err;
    collect->state = COLLECT_FAILED;
}

unsigned collect_rounds(const struct collect *collect)
{
    return collect->rounds;
}

bool collect_done(const struct collect *collect)
{
    return collect->state != COLLECT_GATHERING;
}

bool collect_failed(const struct collect *collect)
{
    return collect->state == COLLECT_FAILED;
}

// ---------------------------------------------------------------- metrics

static void fill_metrics(const struct collect *collect, struct arena *arena, struct result *result)
{
    result->metrics = ARENA_ARRAY(arena, collect->info->metric_count, struct metric);
    result->metric_count = 0;
    for (size_t i = 0; i < collect->info->metric_count; i++) {
        const struct metric_info *info = &collect->info->metrics[i];
        const struct gathered_metric *gathered = &collect->metrics[i];
        if (gathered->rounds == 0)
            continue;
        struct interval interval = interval_of(collect, gathered, arena);
        double *medians = ARENA_ARRAY(arena, gathered->rounds, double);
        memcpy(medians, gathered->medians, gathered->rounds * sizeof *medians);
        result->metrics[result->metric_count++] = (struct metric){
            .name = info->name,
            .unit = info->unit,
            .better = info->better,
            .median = interval.median,
            .ci95 = {interval.low, interval.high},
            .at_least = gathered->at_least,
            .n = gathered->samples,
            .limit = measure_median(arena, gathered->limits, gathered->limit_count),
            .round_medians = medians,
            .round_count = gathered->rounds,
        };
    }
}

// ---------------------------------------------------------------- the verdict

// Half of the interval divided by the median; 0 if the interval is a point, NaN if it is absent.
static double relative_half(const struct metric *metric)
{
    double half = (metric->ci95[1] - metric->ci95[0]) / 2;
    return half == 0 ? 0 : half / fabs(metric->median);
}

// "±24 % (goal ±1 %)"; with more digits if both would look the same: "±1.04 % (goal ±1 %)".
static const char *precision_text(struct arena *arena, double half, double goal)
{
    const char *wanted = arena_printf(arena, "%.2g", 100 * goal), *reached = wanted;
    for (int digits = 2; digits <= 9 && strcmp(reached, wanted) == 0; digits++)
        reached =
            arena_printf(arena, half < 1 ? "%.*g" : "%.*f", half < 1 ? digits : 0, 100 * half);
    return arena_printf(arena, "±%s %% (goal ±%s %%)", reached, wanted);
}

static void judge_limit(struct arena *arena, struct result *result, const struct metric *metric)
{
    bool lower = metric->better == BETTER_LOWER;
    double least = metric_share(metric, metric->ci95[lower ? 1 : 0]);
    if (least > COLLECT_SHARE_MOST)
        result_flag(arena, result, VERDICT_SUSPECT, "above-limit",
                    "%s %.4g %s is %.1f %% %s the physical limit of %.4g: something was cached, "
                    "skipped or miscounted, or the limit is wrong",
                    metric->name, metric->median, unit_name(metric->unit),
                    100 * fabs(metric->median / metric->limit - 1), lower ? "below" : "above",
                    metric->limit);
}

// True if the goal was reached.
static bool judge_precision(const struct collect *collect, struct arena *arena,
                            struct result *result, const struct metric *primary)
{
    double goal = collect->rule.goal, half = relative_half(primary);
    if (half <= goal)
        return true;
    bool wide = !collect->info->distribution && !(half <= COLLECT_IMPRECISE_FACTOR * goal);
    enum verdict verdict = wide ? VERDICT_SUSPECT : VERDICT_OK;
    if (isnan(half))
        result_flag(arena, result, verdict, "imprecise",
                    "rounds measured: %u, too few for an interval; choose a longer preset",
                    collect->rounds);
    else
        result_flag(arena, result, verdict, "imprecise", "%s: %s",
                    collect->state == COLLECT_PRECISE ? "limited by the clock's step" : "noisy",
                    precision_text(arena, half, goal));
    return false;
}

// The first metric decides when a case is precise enough. Another metric may vary while the first
// does not, as a rate varies with the clock. If it has a limit and is far less precise, the result
// gets a remark.
static void judge_others(const struct collect *collect, struct arena *arena, struct result *result)
{
    double allowed = COLLECT_IMPRECISE_FACTOR * collect->rule.goal;
    for (size_t i = 1; i < result->metric_count; i++) {
        const struct metric *metric = &result->metrics[i];
        double half = relative_half(metric);
        if (isfinite(metric->limit) && half > allowed)
            result_flag(arena, result, VERDICT_OK, "imprecise", "%s is noisy: %s", metric->name,
                        precision_text(arena, half, collect->rule.goal));
    }
}

// True if neighbouring values are correlated by more than chance, and the standard deviation of
// their common part is larger than `matters`.
static bool is_correlated(const struct stats_serial *serial, double matters)
{
    double correlation = stats_serial_correlation(serial);
    return correlation > correlation_allowed &&
           correlation > chance_deviations * stats_serial_error(serial) &&
           sqrt(correlation * serial->squared_deviations / serial->freedom) > matters;
}

static void judge_correlation(const struct collect *collect, struct arena *arena,
                              struct result *result, const struct metric *primary)
{
    const struct stats_serial *within = &primary_of(collect)->within;
    struct stats_serial rounds = {0};
    stats_serial_add(&rounds, primary->round_medians, primary->round_count);
    double matters = collect->rule.goal * fabs(primary->median);
    bool within_rounds = is_correlated(within, matters);
    if (within_rounds || is_correlated(&rounds, matters))
        result_flag(arena, result, VERDICT_SUSPECT, "correlated",
                    "the value drifted %s (correlation of neighbouring %s: %.2f)",
                    within_rounds ? "while it was measured" : "over the run",
                    within_rounds ? "samples" : "rounds",
                    stats_serial_correlation(within_rounds ? within : &rounds));
}

// The answers of one round (others = false) or of all other rounds (true), in ascending order.
static double *pick(const struct collect *collect, unsigned round, bool others, size_t *count,
                    struct arena *scratch)
{
    double *values = ARENA_ARRAY(scratch, collect->answer_count, double);
    *count = 0;
    for (size_t i = 0; i < collect->answer_count; i++)
        if ((collect->answers[i].round != round) == others)
            values[(*count)++] = collect->answers[i].value;
    stats_sort(values, *count);
    return values;
}

static void judge_round(const struct collect *collect, unsigned round, struct arena *arena,
                        struct result *result)
{
    size_t own_count, other_count;
    const double *own = pick(collect, round, false, &own_count, arena);
    const double *other = pick(collect, round, true, &other_count, arena);
    if (own_count < ROUND_SAMPLES_LEAST || other_count < ROUND_SAMPLES_LEAST)
        return;
    double median = stats_quantile(own, own_count, 0.5);
    double rest = stats_quantile(other, other_count, 0.5);
    double allowed = distribution_distance_allowed(own_count, other_count,
                                                   (1 - distribution_confidence) / collect->rounds);
    bool slower = (median > rest) == (collect->info->metrics[0].better == BETTER_LOWER);
    if (distribution_distance(own, own_count, other, other_count) > allowed &&
        fabs(median - rest) > distance_that_matters * rest)
        result_flag(arena, result, VERDICT_SUSPECT, "unsteady",
                    "round %u was %.3g× %s than the rest", round + 1,
                    fmax(median / rest, rest / median), slower ? "slower" : "faster");
}

static void judge_distribution(const struct collect *collect, struct arena *arena,
                               struct result *result)
{
    size_t count = collect->answer_count;
    if (count < FEW_SAMPLES)
        result_flag(arena, result, VERDICT_SUSPECT, "few",
                    "only %zu samples: percentiles are unreliable (±%.0f %% of the samples)", count,
                    100 * distribution_band(count, distribution_confidence));
    size_t reasons = result->reason_count;
    for (unsigned round = 0; round < collect->rounds && result->reason_count == reasons; round++)
        judge_round(collect, round, arena, result);
}

static void judge_censoring(struct arena *arena, struct result *result)
{
    for (size_t i = 0; i < result->metric_count; i++)
        if (result->metrics[i].at_least) {
            result_flag(arena, result, VERDICT_OK, "censored",
                        "%s is a lower bound: samples that took longer than they were awaited "
                        "count with that time",
                        result->metrics[i].name);
            return;
        }
}

static void judge(const struct collect *collect, struct arena *arena, struct result *result)
{
    if (collect->dropped)
        result_flag(arena, result, VERDICT_SUSPECT, "not-finite",
                    "%zu samples were dropped: they are not finite numbers", collect->dropped);
    for (size_t i = 0; i < collect->kept->reason_count; i++) {
        const struct reason *reason = &collect->kept->reasons[i];
        unsigned rounds = collect->reason_rounds[i];
        if (rounds == collect->rounds)
            result_flag(arena, result, VERDICT_SUSPECT, reason->code, "%s", reason->text);
        else
            result_flag(arena, result, VERDICT_SUSPECT, reason->code, "%s (in %u of %u rounds)",
                        reason->text, rounds, collect->rounds);
    }
    for (size_t i = 0; i < result->metric_count; i++)
        judge_limit(arena, result, &result->metrics[i]);
    judge_censoring(arena, result);
    if (result->metric_count == 0)
        return;
    if (judge_precision(collect, arena, result, &result->metrics[0]))
        judge_others(collect, arena, result);
    if (collect->info->distribution)
        judge_distribution(collect, arena, result);
    else
        judge_correlation(collect, arena, result, &result->metrics[0]);
}

// ---------------------------------------------------------------- sensors and the result

// Appends each sensor's median over the visits to `copy`.
static void copy_sensors(const struct measure_visit *kept, struct measure_visit *copy)
{
    struct arena *arena = copy->arena;
    for (size_t i = 0; i < kept->sensor_count; i++) {
        const struct named_number *sensor = &kept->sensors[i];
        size_t first = 0, count = 0;
        while (strcmp(kept->sensors[first].name, sensor->name) != 0)
            first++;
        if (first < i)
            continue;
        struct arena_mark mark = arena_mark(arena);
        double *values = ARENA_ARRAY(arena, kept->sensor_count, double);
        for (size_t k = i; k < kept->sensor_count; k++)
            if (strcmp(kept->sensors[k].name, sensor->name) == 0)
                values[count++] = kept->sensors[k].value;
        double median = measure_median(arena, values, count);
        arena_rewind(arena, mark);
        if (isfinite(median))
            visit_sensor(copy, sensor->name, sensor->unit, median);
    }
}

void collect_result(const struct collect *collect, struct arena *arena, struct result *result)
{
    const struct measure_visit *kept = collect->kept;
    struct measure_visit *copy = measure_visit_create(arena);
    visit_keep(copy, kept);
    copy_sensors(kept, copy);
    result->details = copy->details;
    result->detail_count = copy->detail_count;
    result->sensors = copy->sensors;
    result->sensor_count = copy->sensor_count;
    result->series = copy->series;
    result->series_count = copy->series_count;
    result->kernel = copy->kernel;
    if (collect->state == COLLECT_FAILED) {
        const struct error *error = &collect->error;
        bool skipped = error->code == ERROR_UNSUPPORTED || error->code == ERROR_OUT_OF_MEMORY;
        result_flag(arena, result, skipped ? VERDICT_SKIPPED : VERDICT_FAILED,
                    error_code_name(error->code), "%s",
                    text_printable(arena, error->message, SIZE_MAX)); // it may quote a driver
        return;
    }
    fill_metrics(collect, arena, result);
    judge(collect, arena, result);
}
