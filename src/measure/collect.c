// SPDX-License-Identifier: MIT
#include "measure/collect_state.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const double error_allowed = 0.05;

struct collect *collect_create(struct arena *arena, const struct benchmark_info *info,
                               const struct collect_rule *rule)
{
    assert(info->metric_count <= MEASURE_METRICS_MAX);
    struct collect *collect = ARENA_NEW(arena, struct collect);
    collect->arena = arena;
    collect->info = info;
    collect->rule = *rule;
    if (!(rule->goal > 0))
        collect->rule.goal = 0.005;
    if (rule->rounds_min == 0)
        collect->rule.rounds_min = COLLECT_ROUNDS_MIN;
    if (rule->rounds_max == 0)
        collect->rule.rounds_max = collect->rule.rounds_min;
    collect->kernel.registers = collect->kernel.spill_bytes = collect->kernel.loads = NAN;
    return collect;
}

// ---------------------------------------------------------------- the stop rule

const struct collect_metric *collect_primary(const struct collect *collect)
{
    for (size_t i = 0; i < collect->info->metric_count; i++)
        if (collect->metrics[i].rounds > 0)
            return &collect->metrics[i];
    return NULL;
}

// 0 up to the first allowed count of rounds, 1 up to the second, …
static unsigned look_number(const struct collect *collect)
{
    unsigned look = 0;
    for (unsigned allowed = collect->rule.rounds_min; allowed < collect->rounds; allowed *= 2)
        look++;
    return look;
}

static bool look_allowed(const struct collect *collect)
{
    return collect->rounds == collect->rule.rounds_min << look_number(collect);
}

static double look_confidence(const struct collect *collect)
{
    bool last = collect->state == COLLECT_GATHERING || collect->state == COLLECT_SPENT;
    return 1 - ldexp(error_allowed, -(int)look_number(collect) - (last ? 0 : 1));
}

static struct interval spread_of(const struct collect_metric *metric, double confidence,
                                 struct arena *scratch)
{
    double *medians = ARENA_ARRAY(scratch, metric->rounds, double);
    memcpy(medians, metric->medians, metric->rounds * sizeof *medians);
    return interval_of_median(medians, metric->rounds, confidence);
}

struct interval collect_interval(const struct collect *collect, const struct collect_metric *metric,
                                 struct arena *scratch)
{
    struct interval interval = spread_of(metric, look_confidence(collect), scratch);
    if (metric->rounds == 1 && metric->half > 0) {
        interval.low = interval.median - metric->half;
        interval.high = interval.median + metric->half;
    }
    if (isnan(interval.low)) // which fmin would overlook
        return interval;
    interval.low = fmin(interval.low, interval.median - metric->step);
    interval.high = fmax(interval.high, interval.median + metric->step);
    return interval;
}

static bool is_precise(const struct collect *collect)
{
    const struct collect_metric *metric = collect_primary(collect);
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
    if (look_allowed(collect) && is_precise(collect))
        collect->state = COLLECT_PRECISE;
    else if (collect->rounds >= rule->rounds_max ||
             (rule->budget_ns && collect->device_time_ns >= rule->budget_ns))
        collect->state = COLLECT_SPENT;
}

// ---------------------------------------------------------------- gathering

static void gather_samples(struct collect *collect, struct collect_metric *metric,
                           const struct measure_samples *samples)
{
    struct arena *arena = collect->arena;
    if (isfinite(samples->limit) && samples->limit > 0) {
        metric->limits = arena_grow(arena, metric->limits, metric->limits_said, &metric->limit_room,
                                    sizeof(double));
        metric->limits[metric->limits_said++] = samples->limit;
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
    double median = stats_median(values, count);
    arena_rewind(arena, mark);
    if (collect->info->distribution && metric == collect->metrics)
        collect_keep(collect, samples->values, samples->count);
    if (count == 0)
        return;
    metric->medians =
        arena_grow(arena, metric->medians, metric->rounds, &metric->median_room, sizeof(double));
    metric->medians[metric->rounds++] = median;
    metric->samples += count;
    metric->step = fmax(metric->step, samples->step);
    metric->half = samples->half;
}

static void gather_reasons(struct collect *collect, const struct measure_visit *visit)
{
    for (size_t i = 0; i < visit->reason_count; i++) {
        const struct reason *reason = &visit->reasons[i];
        size_t at = 0;
        while (at < collect->reason_count &&
               strcmp(collect->reasons[at].reason.code, reason->code) != 0)
            at++;
        if (at == collect->reason_count) {
            collect->reasons = arena_grow(collect->arena, collect->reasons, collect->reason_count++,
                                          &collect->reason_room, sizeof *collect->reasons);
            collect->reasons[at].reason.code = arena_strdup(collect->arena, reason->code);
            collect->reasons[at].reason.text = arena_strdup(collect->arena, reason->text);
            collect->reasons[at].rounds = 0;
        }
        collect->reasons[at].rounds++;
    }
}

static void gather_details(struct collect *collect, const struct measure_visit *visit)
{
    for (size_t i = 0; i < visit->detail_count; i++) {
        const struct named_text *detail = &visit->details[i];
        size_t at = 0;
        while (at < collect->detail_count && strcmp(collect->details[at].name, detail->name) != 0)
            at++;
        if (at < collect->detail_count)
            continue;
        collect->details = arena_grow(collect->arena, collect->details, collect->detail_count++,
                                      &collect->detail_room, sizeof *collect->details);
        collect->details[at].name = arena_strdup(collect->arena, detail->name);
        collect->details[at].text = arena_strdup(collect->arena, detail->text);
    }
}

static void gather_sensors(struct collect *collect, const struct measure_visit *visit)
{
    for (size_t i = 0; i < visit->sensor_count; i++) {
        const struct named_number *reading = &visit->sensors[i];
        size_t at = 0;
        while (at < collect->sensor_count && strcmp(collect->sensors[at].name, reading->name) != 0)
            at++;
        if (at == collect->sensor_count) {
            collect->sensors = arena_grow(collect->arena, collect->sensors, collect->sensor_count++,
                                          &collect->sensor_room, sizeof *collect->sensors);
            collect->sensors[at] = (struct collect_sensor){
                .name = arena_strdup(collect->arena, reading->name), .unit = reading->unit};
        }
        struct collect_sensor *sensor = &collect->sensors[at];
        if (!isfinite(reading->value))
            continue;
        sensor->values = arena_grow(collect->arena, sensor->values, sensor->count, &sensor->room,
                                    sizeof(double));
        sensor->values[sensor->count++] = reading->value;
    }
}

static void gather_series(struct collect *collect, const struct measure_visit *visit)
{
    if (visit->series_count == 0)
        return;
    struct measure_visit *copy = measure_visit_create(collect->arena);
    for (size_t i = 0; i < visit->series_count; i++)
        visit_series(copy, &visit->series[i]);
    collect->series = copy->series;
    collect->series_count = copy->series_count;
}

static void gather_kernel(struct collect *collect, const struct kernel_info *kernel)
{
    if (!kernel->hash || collect->kernel.hash)
        return;
    collect->kernel = *kernel;
    collect->kernel.hash = arena_strdup(collect->arena, kernel->hash);
    collect->kernel.source = kernel->source ? arena_strdup(collect->arena, kernel->source) : NULL;
}

void collect_visit(struct collect *collect, const struct measure_visit *visit)
{
    for (size_t i = 0; i < collect->info->metric_count; i++)
        gather_samples(collect, &collect->metrics[i], &visit->metrics[i]);
    gather_reasons(collect, visit);
    gather_details(collect, visit);
    gather_sensors(collect, visit);
    gather_series(collect, visit);
    gather_kernel(collect, &visit->kernel);
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
