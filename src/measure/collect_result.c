// SPDX-License-Identifier: MIT
#include "measure/collect_state.h"

#include <math.h>
#include <string.h>

static const double correlation_allowed = 0.3;
static const double chance_deviations = 3.3; // one-sided 0.05 % for normal values

static double half_width(const struct metric *metric)
{
    return (metric->ci95[1] - metric->ci95[0]) / 2;
}

static void fill_metric(const struct collect *collect, size_t index, struct arena *arena,
                        struct metric *metric)
{
    const struct metric_info *info = &collect->info->metrics[index];
    const struct collect_metric *gathered = &collect->metrics[index];
    struct interval interval = collect_interval(collect, gathered, arena);
    double *medians = ARENA_ARRAY(arena, gathered->rounds, double);
    memcpy(medians, gathered->medians, gathered->rounds * sizeof *medians);
    *metric = (struct metric){
        .name = info->name,
        .unit = info->unit,
        .better = info->better,
        .median = interval.median,
        .ci95 = {interval.low, interval.high},
        .n = gathered->samples,
        .limit = measure_median(arena, gathered->limits, gathered->limits_said),
        .round_medians = medians,
        .round_count = gathered->rounds,
    };
}

static void fill_metrics(const struct collect *collect, struct arena *arena, struct result *result)
{
    result->metrics = ARENA_ARRAY(arena, collect->info->metric_count, struct metric);
    result->metric_count = 0;
    for (size_t i = 0; i < collect->info->metric_count; i++)
        if (collect->metrics[i].rounds > 0)
            fill_metric(collect, i, arena, &result->metrics[result->metric_count++]);
}

// ---------------------------------------------------------------- the verdict

static void judge_limit(struct arena *arena, struct result *result, const struct metric *metric)
{
    if (!isfinite(metric->limit))
        return;
    bool lower = metric->better == BETTER_LOWER;
    if (lower ? metric->ci95[1] < metric->limit : metric->ci95[0] > metric->limit)
        result_flag(arena, result, VERDICT_SUSPECT, "above-limit",
                    "%s %.4g %s is %.1f %% %s the physical limit of %.4g: something was cached, "
                    "skipped or miscounted, or the limit is wrong",
                    metric->name, metric->median, unit_name(metric->unit),
                    100 * fabs(metric->median / metric->limit - 1), lower ? "below" : "above",
                    metric->limit);
}

// True where the goal was reached.
static bool judge_precision(const struct collect *collect, struct arena *arena,
                            struct result *result, const struct metric *primary)
{
    double goal = collect->rule.goal, half = half_width(primary) / fabs(primary->median);
    if (half <= goal || half_width(primary) == 0)
        return true;
    bool wide = !collect->info->distribution && !(half <= COLLECT_IMPRECISE_FACTOR * goal);
    enum verdict verdict = wide ? VERDICT_SUSPECT : VERDICT_OK;
    if (isnan(half))
        result_flag(arena, result, verdict, "imprecise",
                    "%u round gives no interval: allow more rounds or more time", collect->rounds);
    else
        result_flag(arena, result, verdict, "imprecise",
                    "known to ±%.2g %% after %u rounds, the goal was ±%.2g %%%s", 100 * half,
                    collect->rounds, 100 * goal,
                    collect->state == COLLECT_PRECISE ? ": the clock's step allows no better" : "");
    return false;
}

// The first metric rules when a case is known well enough. Another one that is held against a limit
// may follow what the first does not, as a rate follows the clock: where it is known far worse, the
// case says so, and stands.
static void judge_others(const struct collect *collect, struct arena *arena, struct result *result)
{
    double allowed = COLLECT_IMPRECISE_FACTOR * collect->rule.goal;
    for (size_t i = 1; i < result->metric_count; i++) {
        const struct metric *metric = &result->metrics[i];
        double half = half_width(metric) / fabs(metric->median);
        if (isfinite(metric->limit) && half > allowed)
            result_flag(arena, result, VERDICT_OK, "imprecise",
                        "%s is known to ±%.2g %% only: the rounds differ in it, not in %s",
                        metric->name, 100 * half, result->metrics[0].name);
    }
}

// True where neighbours resemble each other by more than chance and by more than matters.
static bool is_correlated(const struct stats_serial *serial, double matters)
{
    double correlation = stats_serial_correlation(serial);
    if (!(correlation > correlation_allowed) ||
        !(correlation > chance_deviations * stats_serial_error(serial)))
        return false;
    double shared = sqrt(correlation * serial->squared_deviations / serial->freedom);
    return shared > matters;
}

static void judge_correlation(const struct collect *collect, struct arena *arena,
                              struct result *result, const struct metric *primary)
{
    const struct stats_serial *within = &collect_primary(collect)->within;
    struct stats_serial rounds = {0};
    stats_serial_add(&rounds, primary->round_medians, primary->round_count);
    double matters = collect->rule.goal * fabs(primary->median);
    if (is_correlated(within, matters))
        result_flag(arena, result, VERDICT_SUSPECT, "correlated",
                    "neighbouring samples resemble each other (correlation %.2f): the value "
                    "drifts or is periodic within a round",
                    stats_serial_correlation(within));
    else if (is_correlated(&rounds, matters))
        result_flag(arena, result, VERDICT_SUSPECT, "correlated",
                    "neighbouring rounds resemble each other (correlation %.2f): the value "
                    "drifts or is periodic over the run",
                    stats_serial_correlation(&rounds));
}

static void judge(const struct collect *collect, struct arena *arena, struct result *result)
{
    if (collect->dropped)
        result_flag(arena, result, VERDICT_SUSPECT, "not-finite",
                    "%zu samples were no finite numbers and were dropped", collect->dropped);
    for (size_t i = 0; i < collect->reason_count; i++) {
        const struct collect_reason *reason = &collect->reasons[i];
        if (reason->rounds == collect->rounds)
            result_flag(arena, result, VERDICT_SUSPECT, reason->reason.code, "%s",
                        reason->reason.text);
        else
            result_flag(arena, result, VERDICT_SUSPECT, reason->reason.code,
                        "%s (in %u of %u rounds)", reason->reason.text, reason->rounds,
                        collect->rounds);
    }
    for (size_t i = 0; i < result->metric_count; i++)
        judge_limit(arena, result, &result->metrics[i]);
    if (result->metric_count == 0)
        return;
    if (judge_precision(collect, arena, result, &result->metrics[0]))
        judge_others(collect, arena, result);
    if (collect->info->distribution)
        collect_judge_distribution(collect, arena, result);
    else
        judge_correlation(collect, arena, result, &result->metrics[0]);
}

// ---------------------------------------------------------------- the rest

static void fill_failure(const struct collect *collect, struct arena *arena, struct result *result)
{
    enum error_code code = collect->error.code;
    bool skipped = code == ERROR_UNSUPPORTED || code == ERROR_OUT_OF_MEMORY;
    result_flag(arena, result, skipped ? VERDICT_SKIPPED : VERDICT_FAILED, error_code_name(code),
                "%s", collect->error.message);
}

static void fill_sensors(const struct collect *collect, struct arena *arena, struct result *result)
{
    result->sensors = ARENA_ARRAY(arena, collect->sensor_count, struct named_number);
    result->sensor_count = 0;
    for (size_t i = 0; i < collect->sensor_count; i++) {
        const struct collect_sensor *sensor = &collect->sensors[i];
        if (sensor->count > 0)
            result->sensors[result->sensor_count++] = (struct named_number){
                .name = arena_strdup(arena, sensor->name),
                .unit = sensor->unit,
                .value = measure_median(arena, sensor->values, sensor->count),
            };
    }
}

static void fill_texts(const struct collect *collect, struct arena *arena, struct result *result)
{
    result->details = ARENA_ARRAY(arena, collect->detail_count, struct named_text);
    result->detail_count = collect->detail_count;
    for (size_t i = 0; i < collect->detail_count; i++) {
        result->details[i].name = arena_strdup(arena, collect->details[i].name);
        result->details[i].text = arena_strdup(arena, collect->details[i].text);
    }
    result->kernel = collect->kernel;
    if (collect->kernel.hash)
        result->kernel.hash = arena_strdup(arena, collect->kernel.hash);
    if (collect->kernel.source)
        result->kernel.source = arena_strdup(arena, collect->kernel.source);
    struct measure_visit *copy = measure_visit_create(arena);
    for (size_t i = 0; i < collect->series_count; i++)
        visit_series(copy, &collect->series[i]);
    result->series = copy->series;
    result->series_count = copy->series_count;
}

void collect_result(const struct collect *collect, struct arena *arena, struct result *result)
{
    fill_texts(collect, arena, result);
    fill_sensors(collect, arena, result);
    if (collect->state == COLLECT_FAILED) {
        fill_failure(collect, arena, result);
        return;
    }
    fill_metrics(collect, arena, result);
    judge(collect, arena, result);
}
