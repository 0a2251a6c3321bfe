// SPDX-License-Identifier: MIT
#include "measure/collect.h"

#include "base/text.h"
#include "math/stats.h"
#include "measure/pace.h"
#include "measure/rounds.h"

#include <math.h>
#include <string.h>

static const double error_allowed = 0.05;

enum collect_state {
    COLLECT_GATHERING,
    COLLECT_PRECISE, // the case is done: its first metric was precise enough (is_precise)
    // the case is done: its rounds or its time are used up, or too many of its visits were repeated
    COLLECT_SPENT,
    COLLECT_FAILED
};

struct collect {
    struct arena *arena;
    const struct benchmark_info *info;
    struct collect_rule rule;
    enum collect_state state;
    struct measure_visit **visits; // copies of all visits, in time order
    size_t visit_count, visit_room;
    size_t flagged; // number of visits that have a reason to be repeated
    // True if all visits count as rounds, because too many visits have a reason to be repeated.
    bool all_count;
    struct rounds *rounds; // medians, samples and reasons of the visits that count as rounds
    uint64_t device_time_ns;
    struct error error; // why the case failed, if state is COLLECT_FAILED
};

struct collect *collect_create(struct arena *arena, const struct benchmark_info *info,
                               const struct collect_rule *rule)
{
    struct collect *collect = ARENA_NEW(arena, struct collect);
    collect->arena = arena;
    collect->info = info;
    collect->rounds = rounds_create(arena, info);
    collect->rule = *rule;
    if (!(rule->goal > 0))
        collect->rule.goal = 0.005;
    if (rule->rounds_min == 0)
        collect->rule.rounds_min = COLLECT_ROUNDS_MIN;
    if (rule->rounds_max == 0)
        collect->rule.rounds_max = collect->rule.rounds_min;
    return collect;
}

// Makes rounds from all visits, or only from those without a reason to be repeated.
static struct rounds *gather(const struct collect *collect, bool all, struct arena *arena)
{
    struct rounds *rounds = rounds_create(arena, collect->info);
    for (size_t i = 0; i < collect->visit_count; i++)
        if (all || collect->visits[i]->retake_count == 0)
            rounds_add(rounds, collect->visits[i]);
    return rounds;
}

// Returns the number of rounds that is enough. With fewer unflagged visits, the result uses all
// visits.
static unsigned rounds_needed(const struct collect *collect)
{
    const struct collect_rule *rule = &collect->rule;
    return rule->rounds_min < rule->rounds_max ? rule->rounds_min : rule->rounds_max;
}

// ---------------------------------------------------------------- the stop rule

// Returns the number of the present look at the interval, or of the next one. The first look is
// after rounds_min rounds, each further one after twice as many.
static unsigned look_number(const struct collect *collect, const struct rounds *rounds)
{
    unsigned look = 0;
    for (unsigned allowed = collect->rule.rounds_min; allowed < rounds->count; allowed *= 2)
        look++;
    return look;
}

static double look_confidence(const struct collect *collect, const struct rounds *rounds)
{
    bool last = collect->state == COLLECT_GATHERING || collect->state == COLLECT_SPENT;
    return 1 - ldexp(error_allowed, -(int)look_number(collect, rounds) - (last ? 0 : 1));
}

static struct interval spread_of(const struct round_metric *metric, double confidence,
                                 struct arena *scratch)
{
    double *medians = ARENA_ARRAY(scratch, metric->rounds, double);
    memcpy(medians, metric->medians, metric->rounds * sizeof *medians);
    return interval_of_median(medians, metric->rounds, confidence);
}

// Returns the median and its interval, which extends at least one clock step to either side. If
// there is only one round, the interval is the one that its visit computed (visit_half), if any.
static struct interval interval_of(const struct round_metric *metric, double confidence,
                                   struct arena *scratch)
{
    struct interval interval = spread_of(metric, confidence, scratch);
    if (metric->rounds == 1 && metric->half > 0) {
        interval.low = interval.median - metric->half;
        interval.high = interval.median + metric->half;
    }
    // an unknown interval stays NaN; fmin would replace the NaN by a number
    if (isnan(interval.low))
        return interval;
    interval.low = fmin(interval.low, interval.median - metric->step);
    interval.high = fmax(interval.high, interval.median + metric->step);
    return interval;
}

// Returns true if the half-width of the first metric's interval is within the goal, the share
// `enough` of the median, or one clock step. Also returns true if no metric has values.
static bool is_precise(const struct collect *collect, double confidence, double enough)
{
    const struct round_metric *metric = rounds_primary(collect->rounds);
    if (!metric)
        return true;
    struct arena_mark mark = arena_mark(collect->arena);
    struct interval spread = spread_of(metric, confidence, collect->arena);
    arena_rewind(collect->arena, mark);
    double half = (spread.high - spread.low) / 2, goal = rounds_goal(metric, collect->rule.goal);
    return half <= fmax(fmax(goal, enough) * fabs(spread.median), metric->step);
}

// Keeps a case from repeating visits without end. Once too many visits have a reason to be
// repeated, the case ends if enough visits are without one. Otherwise all visits count from now on,
// also the earlier ones.
static void limit_retakes(struct collect *collect)
{
    unsigned clean = collect->rounds->count;
    if (collect->all_count || collect->flagged < 2 * collect->rule.rounds_min + clean)
        return;
    if (clean >= rounds_needed(collect)) {
        collect->state = COLLECT_SPENT;
        return;
    }
    collect->all_count = true;
    collect->rounds = gather(collect, true, collect->arena);
}

// Flags the visits that a burst of other work disturbed, unless all visits count anyway.
static void flag_hits(struct collect *collect)
{
    if (!collect->rule.alone || collect->all_count ||
        collect->rounds->count < collect->rule.rounds_min)
        return;
    size_t hits = rounds_flag_hits(collect->rounds, collect->visits, collect->visit_count);
    collect->flagged += hits;
    if (hits)
        collect->rounds = gather(collect, false, collect->arena);
}

static void decide(struct collect *collect)
{
    flag_hits(collect);
    const struct collect_rule *rule = &collect->rule;
    limit_retakes(collect);
    unsigned count = collect->rounds->count;
    bool looks = count == rule->rounds_min << look_number(collect, collect->rounds);
    double confidence = 1 - ldexp(error_allowed, -(int)look_number(collect, collect->rounds) - 1);
    if (looks && is_precise(collect, confidence, 0))
        collect->state = COLLECT_PRECISE;
    else if (count >= rule->rounds_max ||
             (rule->budget_ns && collect->device_time_ns >= rule->budget_ns))
        collect->state = COLLECT_SPENT;
}

// Flags the visits whose core clock was lower than another visit's (pace_flag_low). A plain count
// does not depend on the clock.
static bool flag_low_clocks(struct collect *collect)
{
    if (collect->rule.any_clock || collect->info->metrics[0].unit == UNIT_NONE)
        return false;
    size_t found = pace_flag_low(collect->visits, collect->visit_count);
    collect->flagged += found;
    return found > 0;
}

void collect_visit(struct collect *collect, const struct measure_visit *visit)
{
    struct measure_visit *copy = visit_copy(collect->arena, visit);
    collect->visits = arena_grow(collect->arena, collect->visits, collect->visit_count,
                                 &collect->visit_room, sizeof(struct measure_visit *));
    collect->visits[collect->visit_count++] = copy;
    collect->device_time_ns += copy->device_time_ns;
    collect->flagged += copy->retake_count > 0;
    if (flag_low_clocks(collect))
        collect->rounds = gather(collect, collect->all_count, collect->arena);
    else if (copy->retake_count == 0 || collect->all_count)
        rounds_add(collect->rounds, copy);
    decide(collect);
}

void collect_flag(struct collect *collect, unsigned first, const struct reason *reason)
{
    for (size_t i = first; i < collect->visit_count; i++) {
        struct measure_visit *visit = collect->visits[i];
        collect->flagged += visit->retake_count == 0;
        visit_retake(visit, reason->code, "%s", reason->text);
    }
    if (first >= collect->visit_count || collect->state == COLLECT_FAILED)
        return;
    collect->rounds = gather(collect, collect->all_count, collect->arena);
    collect->state = COLLECT_GATHERING;
    decide(collect);
}

void collect_remark(struct collect *collect, unsigned first, const struct reason *reason)
{
    for (size_t i = first; i < collect->visit_count; i++)
        visit_remark(collect->visits[i], reason->code, "%s", reason->text);
    collect->rounds = gather(collect, collect->all_count, collect->arena);
}

void collect_failure(struct collect *collect, const struct error *err)
{
    collect->error = *err;
    collect->state = COLLECT_FAILED;
}

unsigned collect_rounds(const struct collect *collect)
{
    return collect->rounds->count;
}

unsigned collect_visits(const struct collect *collect)
{
    return (unsigned)collect->visit_count;
}

bool collect_lacks_metric(const struct collect *collect)
{
    for (size_t i = 0; i < collect->info->metric_count; i++)
        if (collect->rounds->metrics[i].rounds == 0)
            return true;
    return false;
}

const char *collect_by_host(const struct collect *collect)
{
    for (size_t i = 0; i < collect->info->metric_count; i++)
        if (collect->info->metrics[i].by_host && collect->rounds->metrics[i].rounds > 0)
            return collect->info->metrics[i].name;
    return NULL;
}

bool collect_done(const struct collect *collect)
{
    return collect->state != COLLECT_GATHERING;
}

bool collect_precise(const struct collect *collect)
{
    return is_precise(collect, look_confidence(collect, collect->rounds), COLLECT_PRECISE_ENOUGH);
}

bool collect_failed(const struct collect *collect)
{
    return collect->state == COLLECT_FAILED;
}

// ---------------------------------------------------------------- metrics of the result

static void fill_metrics(const struct collect *collect, const struct rounds *rounds,
                         struct arena *arena, struct result *result)
{
    double confidence = look_confidence(collect, rounds);
    result->metrics = ARENA_ARRAY(arena, collect->info->metric_count, struct metric);
    result->metric_count = 0;
    for (size_t i = 0; i < collect->info->metric_count; i++) {
        const struct metric_info *info = &collect->info->metrics[i];
        const struct round_metric *gathered = &rounds->metrics[i];
        if (gathered->rounds == 0)
            continue;
        struct interval interval = interval_of(gathered, confidence, arena);
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
    // If too few visits are without a reason to be repeated, the result uses all visits, because an
    // uncertain result is better than no result.
    bool enough = collect->flagged == 0 || collect_rounds(collect) >= rounds_needed(collect);
    const struct rounds *rounds = enough ? collect->rounds : gather(collect, true, arena);
    const struct measure_visit *kept = rounds->kept;
    struct measure_visit *copy = measure_visit_create(arena);
    visit_keep(copy, kept);
    copy_sensors(kept, copy);
    if (collect->flagged)
        rounds_describe_flags(collect->visits, collect->visit_count, copy);
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
                    // The message may quote a driver's text with control characters.
                    text_printable(arena, error->message, SIZE_MAX));
        return;
    }
    fill_metrics(collect, rounds, arena, result);
    rounds_judge(rounds, collect->rule.goal, collect->state == COLLECT_PRECISE, arena, result);
}
