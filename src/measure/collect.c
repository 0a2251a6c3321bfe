// SPDX-License-Identifier: MIT
#include "measure/collect.h"

#include "base/text.h"
#include "math/distribution.h"
#include "math/stats.h"
#include "measure/pace.h"
#include "measure/rounds.h"

#include <math.h>
#include <string.h>

static const double error_allowed = 0.05;
static const double correlation_allowed = 0.3;
static const double chance_deviations = 3.3; // one-sided 0.05 % for normal values

enum {
    FEW_SAMPLES = 20,       // least samples of a distribution: each share is known to ±30 %
    ROUND_SAMPLES_LEAST = 4 // least samples of a round to compare it with the other rounds
};
static const double distribution_confidence = 0.95, distance_that_matters = 0.25;

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
    struct measure_visit **visits; // copies, in time order
    size_t visit_count, visit_room;
    size_t doubtful; // number of visits with reasons to take them again
    bool all_count;  // true: doubtful visits count as rounds, because there were too many of them
    struct rounds *rounds; // the visits that count
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

// Gathers the visits again: those without doubts, or all.
static struct rounds *gather(const struct collect *collect, bool all, struct arena *arena)
{
    struct rounds *rounds = rounds_create(arena, collect->info);
    for (size_t i = 0; i < collect->visit_count; i++)
        if (all || collect->visits[i]->retake_count == 0)
            rounds_add(rounds, collect->visits[i]);
    return rounds;
}

// Returns how many rounds without doubts make a result without the doubtful visits.
static unsigned rounds_needed(const struct collect *collect)
{
    const struct collect_rule *rule = &collect->rule;
    return rule->rounds_min < rule->rounds_max ? rule->rounds_min : rule->rounds_max;
}

// ---------------------------------------------------------------- the stop rule

// The number of the next look: 0 up to rounds_min rounds, 1 up to twice as many, 2 up to four times
// as many, …
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

// Median and interval of a metric at this confidence.
static struct interval interval_of(const struct round_metric *metric, double confidence,
                                   struct arena *scratch)
{
    struct interval interval = spread_of(metric, confidence, scratch);
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
    const struct round_metric *metric = rounds_primary(collect->rounds);
    if (!metric)
        return true;
    struct arena_mark mark = arena_mark(collect->arena);
    double confidence = 1 - ldexp(error_allowed, -(int)look_number(collect, collect->rounds) - 1);
    struct interval spread = spread_of(metric, confidence, collect->arena);
    arena_rewind(collect->arena, mark);
    double half = (spread.high - spread.low) / 2;
    return half <= fmax(collect->rule.goal * fabs(spread.median), metric->step);
}

// Ends the retakes if there were too many, because they could go on without end. If there are
// enough rounds without doubts, the case ends and they make its result; else all visits count.
static void limit_retakes(struct collect *collect)
{
    unsigned clean = collect->rounds->count;
    if (collect->all_count || collect->doubtful < 2 * collect->rule.rounds_min + clean)
        return;
    if (clean >= rounds_needed(collect)) {
        collect->state = COLLECT_SPENT;
        return;
    }
    collect->all_count = true;
    collect->rounds = gather(collect, true, collect->arena);
}

// Gives the visits that a burst of other work disturbed a reason to be taken again.
static void flag_hits(struct collect *collect)
{
    if (!collect->rule.alone || collect->all_count ||
        collect->rounds->count < collect->rule.rounds_min)
        return;
    size_t hits = rounds_flag_hits(collect->rounds, collect->visits, collect->visit_count);
    collect->doubtful += hits;
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
    if (looks && is_precise(collect))
        collect->state = COLLECT_PRECISE;
    else if (count >= rule->rounds_max ||
             (rule->budget_ns && collect->device_time_ns >= rule->budget_ns))
        collect->state = COLLECT_SPENT;
}

// Gives visits whose core clock was lower than that of other visits a reason to be taken again.
// Returns true if a visit got one. Not for plain counts, which do not depend on a clock.
static bool doubt_low_clocks(struct collect *collect)
{
    if (collect->rule.any_clock || collect->info->metrics[0].unit == UNIT_NONE)
        return false;
    size_t found = pace_doubt(collect->visits, collect->visit_count);
    collect->doubtful += found;
    return found > 0;
}

void collect_visit(struct collect *collect, const struct measure_visit *visit)
{
    struct measure_visit *copy = visit_copy(collect->arena, visit);
    collect->visits = arena_grow(collect->arena, collect->visits, collect->visit_count,
                                 &collect->visit_room, sizeof(struct measure_visit *));
    collect->visits[collect->visit_count++] = copy;
    collect->device_time_ns += copy->device_time_ns;
    collect->doubtful += copy->retake_count > 0;
    if (doubt_low_clocks(collect))
        collect->rounds = gather(collect, collect->all_count, collect->arena);
    else if (copy->retake_count == 0 || collect->all_count)
        rounds_add(collect->rounds, copy);
    decide(collect);
}

void collect_doubt(struct collect *collect, unsigned first, const struct reason *reason)
{
    for (size_t i = first; i < collect->visit_count; i++) {
        struct measure_visit *visit = collect->visits[i];
        collect->doubtful += visit->retake_count == 0;
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

bool collect_done(const struct collect *collect)
{
    return collect->state != COLLECT_GATHERING;
}

bool collect_failed(const struct collect *collect)
{
    return collect->state == COLLECT_FAILED;
}

// ---------------------------------------------------------------- metrics

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

// ---------------------------------------------------------------- the verdict

// Half of the interval divided by the median, or by `least` if the median is smaller; 0 if the
// interval is a point, NaN if it is absent.
static double relative_half(const struct metric *metric, double least)
{
    double half = (metric->ci95[1] - metric->ci95[0]) / 2;
    return half == 0 ? 0 : half / fmax(fabs(metric->median), least);
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

static void judge_precision(const struct collect *collect, struct arena *arena,
                            struct result *result, const struct metric *primary)
{
    double goal = collect->rule.goal, half = relative_half(primary, 0);
    if (half <= goal)
        return;
    bool wide = !collect->info->distribution && !(half <= COLLECT_IMPRECISE_FACTOR * goal);
    enum verdict verdict = wide ? VERDICT_SUSPECT : VERDICT_OK;
    if (isnan(half))
        result_flag(arena, result, verdict, "imprecise",
                    "rounds measured: %zu, too few for an interval; choose a longer preset",
                    primary->round_count);
    else
        result_flag(arena, result, verdict, "imprecise", "%s: %s",
                    collect->state == COLLECT_PRECISE ? "limited by the clock's step" : "noisy",
                    precision_text(arena, half, goal));
}

// The first metric decides when a case is precise enough. Another metric may vary while the first
// does not, as a rate varies with the clock: where it is far less precise, the result gets a
// remark.
static void judge_others(const struct collect *collect, struct arena *arena, struct result *result)
{
    double allowed = COLLECT_IMPRECISE_FACTOR * collect->rule.goal;
    for (size_t i = 1; i < result->metric_count; i++) {
        const struct metric *metric = &result->metrics[i];
        // A share or ratio of 0 ± 0.001 is precise.
        double half = relative_half(metric, metric->unit == UNIT_NONE ? 1 : 0);
        if (isnan(half) && result->metrics[0].round_count > metric->round_count)
            result_flag(arena, result, VERDICT_OK, "imprecise",
                        "%s: rounds measured: %zu, too few for an interval", metric->name,
                        metric->round_count);
        else if (half > allowed)
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

static void judge_correlation(const struct collect *collect, const struct rounds *gathered,
                              struct arena *arena, struct result *result)
{
    const struct metric *primary = &result->metrics[0];
    const struct stats_serial *within = &rounds_primary(gathered)->within;
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
static double *pick(const struct rounds *rounds, unsigned round, bool others, size_t *count,
                    struct arena *scratch)
{
    double *values = ARENA_ARRAY(scratch, rounds->answer_count, double);
    *count = 0;
    for (size_t i = 0; i < rounds->answer_count; i++)
        if ((rounds->answers[i].round != round) == others)
            values[(*count)++] = rounds->answers[i].value;
    stats_sort(values, *count);
    return values;
}

static void judge_round(const struct rounds *rounds, unsigned round, struct arena *arena,
                        struct result *result)
{
    size_t own_count, other_count;
    const double *own = pick(rounds, round, false, &own_count, arena);
    const double *other = pick(rounds, round, true, &other_count, arena);
    if (own_count < ROUND_SAMPLES_LEAST || other_count < ROUND_SAMPLES_LEAST)
        return;
    double median = stats_quantile(own, own_count, 0.5);
    double rest = stats_quantile(other, other_count, 0.5);
    double allowed = distribution_distance_allowed(own_count, other_count,
                                                   (1 - distribution_confidence) / rounds->count);
    bool slower = (median > rest) == (rounds->info->metrics[0].better == BETTER_LOWER);
    if (distribution_distance(own, own_count, other, other_count) > allowed &&
        fabs(median - rest) > distance_that_matters * rest)
        result_flag(arena, result, VERDICT_SUSPECT, "unsteady",
                    "round %u was %.3g× %s than the rest", round + 1,
                    fmax(median / rest, rest / median), slower ? "slower" : "faster");
}

static void judge_distribution(const struct rounds *rounds, struct arena *arena,
                               struct result *result)
{
    size_t count = rounds->answer_count;
    if (count < FEW_SAMPLES)
        result_flag(arena, result, VERDICT_SUSPECT, "few",
                    "only %zu samples: percentiles are unreliable (±%.0f %% of the samples)", count,
                    100 * distribution_band(count, distribution_confidence));
    size_t reasons = result->reason_count;
    for (unsigned round = 0; round < rounds->count && result->reason_count == reasons; round++)
        judge_round(rounds, round, arena, result);
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

static void judge_visits(const struct rounds *rounds, struct arena *arena, struct result *result)
{
    if (rounds->dropped)
        result_flag(arena, result, VERDICT_SUSPECT, "not-finite",
                    "%zu samples were dropped: they are not finite numbers", rounds->dropped);
    for (size_t i = 0; i < rounds->reason_count; i++) {
        const struct round_reason *reason = &rounds->reasons[i];
        if (reason->rounds == rounds->count)
            result_flag(arena, result, reason->verdict, reason->code, "%s", reason->text);
        else
            result_flag(arena, result, reason->verdict, reason->code, "%s (in %u of %u rounds)",
                        reason->text, reason->rounds, rounds->count);
    }
}

static void judge(const struct collect *collect, const struct rounds *rounds, struct arena *arena,
                  struct result *result)
{
    judge_visits(rounds, arena, result);
    for (size_t i = 0; i < result->metric_count; i++)
        judge_limit(arena, result, &result->metrics[i]);
    judge_censoring(arena, result);
    if (result->metric_count == 0)
        return;
    judge_precision(collect, arena, result, &result->metrics[0]);
    judge_others(collect, arena, result);
    if (collect->info->distribution)
        judge_distribution(rounds, arena, result);
    else
        judge_correlation(collect, rounds, arena, result);
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
    // If there are too few other rounds, doubtful visits count: they are better than no result.
    bool enough = collect->doubtful == 0 || collect_rounds(collect) >= rounds_needed(collect);
    const struct rounds *rounds = enough ? collect->rounds : gather(collect, true, arena);
    const struct measure_visit *kept = rounds->kept;
    struct measure_visit *copy = measure_visit_create(arena);
    visit_keep(copy, kept);
    copy_sensors(kept, copy);
    if (collect->doubtful)
        rounds_describe_doubts(collect->visits, collect->visit_count, copy);
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
                    // The message may quote a driver.
                    text_printable(arena, error->message, SIZE_MAX));
        return;
    }
    fill_metrics(collect, rounds, arena, result);
    judge(collect, rounds, arena, result);
}
