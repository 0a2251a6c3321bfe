// SPDX-License-Identifier: MIT
// Adds to a result the reasons that make it suspect, and its remarks.
#include "measure/rounds.h"

#include "math/distribution.h"
#include "math/states.h"
#include "measure/collect.h"

#include <math.h>
#include <string.h>

static const double correlation_allowed = 0.3;
// A correlation of this many standard errors is chance with a probability of at most 0.05 %.
static const double chance_deviations = 3.3;
// A contrast counts if chance makes such a contrast with at most this probability.
static const double contrast_chance = 0.0005;

enum {
    // With this many samples, the share of samples below a value is known to ±30 %.
    FEW_SAMPLES = 20,
    // A round with fewer samples is not compared with the other rounds.
    ROUND_SAMPLES_LEAST = 4,
    CONTRASTS_LEAST = 3 // Contrasts of fewer rounds may all be alike by chance.
};
static const double distribution_confidence = 0.95, distance_that_matters = 0.25;

static double half_width(const struct metric *metric)
{
    return (metric->ci95[1] - metric->ci95[0]) / 2;
}

// Returns the half-width of the interval, divided by the median or, if larger, by `least`; NaN if
// not known.
static double relative_half(const struct metric *metric, double least)
{
    double half = half_width(metric);
    return half == 0 ? 0 : half / fmax(fabs(metric->median), least);
}

// Returns "±24 % (goal ±1 %)", or "±1.04 % (goal ±1 %)" if two digits would look the same. `of`
// names the whole of the percentages, such as " of time". If `of` is NULL, the text has no
// percentages: "±0.24 (goal ±0.01)".
static const char *precision_text(struct arena *arena, double half, double goal, const char *of)
{
    const double scale = of ? 100 : 1;
    const char *percent = of ? " %" : "";
    const char *wanted = arena_printf(arena, "%.2g", scale * goal), *reached = wanted;
    for (int digits = 2; digits <= 9 && strcmp(reached, wanted) == 0; digits++)
        reached = scale * half < 100 ? arena_printf(arena, "%.*g", digits, scale * half)
                                     : arena_printf(arena, "%.0f", scale * half);
    return arena_printf(arena, "±%s%s%s (goal ±%s%s)", reached, percent, of ? of : "", wanted,
                        percent);
}

// Returns the precision of a metric whose error `half` is relative to its median or, if larger, to
// `least`. `whole` is the metric that contains it, or NULL. Screens show the error relative to the
// median, so the text says if it is relative to something else.
static const char *metric_precision_text(struct arena *arena, const struct metric *metric,
                                         const char *whole, double least, double half, double goal)
{
    if (isinf(half))
        return arena_printf(arena, "±%s at a median of 0",
                            unit_text(arena, half_width(metric), metric->unit));
    if (fabs(metric->median) >= least)
        return precision_text(arena, half, goal, "");
    return precision_text(arena, half, goal, whole ? arena_printf(arena, " of %s", whole) : NULL);
}

// The clock limits the precision by its step, or because the device's clock only roughly follows
// the host's.
static const char *limit_of(bool clock_limits)
{
    return clock_limits ? "limited by the clock" : "noisy";
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

// Returns the relative half-width above which the first metric is suspect, and others get a remark.
static double far_from(const struct round_metric *metric, double goal)
{
    return metric->by_host ? fmax(COLLECT_HOST_MOST, goal) : COLLECT_IMPRECISE_FACTOR * goal;
}

// Returns the distance between two states of the rounds, relative to the median; 0 if they have one
// state, or if a step of the clock explains the distance. An interval from ranks leaves out a fifth
// of the rounds on either side, so rounds in another state may lie outside of it.
static double states_distance(const struct round_metric *metric, double median,
                              struct states *states, struct arena *scratch)
{
    struct arena_mark mark = arena_mark(scratch);
    double *medians = ARENA_ARRAY(scratch, metric->rounds, double);
    memcpy(medians, metric->medians, metric->rounds * sizeof *medians);
    bool found = states_find(medians, metric->rounds, states);
    arena_rewind(scratch, mark);
    double distance = found ? states->high - states->low : 0;
    return distance > metric->step ? distance / fabs(median) : 0;
}

// Returns "5 of 20 rounds are 7.2 % higher", where the smaller group of values is compared with the
// larger one. `what` names the values.
static const char *states_text(struct arena *arena, const struct states *states, size_t count,
                               const char *what)
{
    bool higher = 2 * states->low_count >= count;
    double most = higher ? states->low : states->high, few = higher ? states->high : states->low;
    return arena_printf(arena, "%zu of %zu %s are %.3g %% %s",
                        higher ? count - states->low_count : states->low_count, count, what,
                        100 * fabs(few / most - 1), higher ? "higher" : "lower");
}

static void judge_precision(const struct rounds *rounds, double case_goal, bool step_limits,
                            struct arena *arena, struct result *result)
{
    const struct metric *primary = &result->metrics[0];
    const struct round_metric *gathered = rounds_primary(rounds);
    double half = relative_half(primary, 0), goal = rounds_goal(gathered, case_goal);
    double enough = fmax(goal, COLLECT_PRECISE_ENOUGH), far = far_from(gathered, case_goal);
    struct states states;
    double distance = states_distance(gathered, primary->median, &states, arena);
    if (half <= enough && distance <= enough)
        return;
    bool wide = !rounds->info->distribution && (!(half <= far) || distance > far);
    enum verdict verdict = wide ? VERDICT_SUSPECT : VERDICT_OK;
    if (isnan(half))
        result_flag(arena, result, verdict, "imprecise",
                    "rounds measured: %zu, too few for an interval; choose a longer preset",
                    primary->round_count);
    else if (distance > enough)
        result_flag(arena, result, verdict, "imprecise", "two states: %s (goal ±%.2g %%)",
                    states_text(arena, &states, primary->round_count, "rounds"), 100 * goal);
    else
        result_flag(arena, result, verdict, "imprecise", "%s: %s", limit_of(step_limits),
                    metric_precision_text(arena, primary, NULL, 0, half, goal));
}

// A metric other than the first does not decide when a case ends, so it only gets a remark.
static void judge_other(const struct rounds *rounds, size_t at, double goal,
                        const struct metric *metric, struct arena *arena, struct result *result)
{
    const struct round_metric *gathered = &rounds->metrics[at];
    const char *whole = rounds->info->metrics[at].part_of;
    // The error is relative to the median, but at least to 1 for a metric without unit (a share, a
    // ratio), and to the whole's median for a part.
    double least = metric->unit == UNIT_NONE ? 1 : whole ? result_median(result, whole) : 0;
    double half = relative_half(metric, least);
    bool exact = metric->median == 0 && fmax(-metric->ci95[0], metric->ci95[1]) <= gathered->step;
    // Relative to a median of 0, the error would be infinite.
    if (exact)
        return;
    if (isnan(half) && result->metrics[0].round_count > metric->round_count)
        result_flag(arena, result, VERDICT_OK, "imprecise",
                    "%s: rounds measured: %zu, too few for an interval", metric->name,
                    metric->round_count);
    else if (half > far_from(gathered, goal)) {
        bool clock_limits = half_width(metric) <= 1.01 * gathered->step;
        result_flag(
            arena, result, VERDICT_OK, "imprecise", "%s is %s: %s", metric->name,
            limit_of(clock_limits),
            metric_precision_text(arena, metric, whole, least, half, rounds_goal(gathered, goal)));
    }
}

static void judge_others(const struct rounds *rounds, double goal, struct arena *arena,
                         struct result *result)
{
    // Counts the metrics that have rounds: only these are in result->metrics, in the same order.
    size_t count = 0;
    for (size_t i = 0; i < rounds->info->metric_count; i++)
        if (rounds->metrics[i].rounds > 0 && count++ > 0)
            judge_other(rounds, i, goal, &result->metrics[count - 1], arena, result);
}

// Returns true if neighbouring values are correlated beyond 0.3 and chance, and the standard
// deviation of the correlated part is above `matters`.
static bool is_correlated(const struct stats_serial *serial, double matters)
{
    double correlation = stats_serial_correlation(serial);
    return correlation > correlation_allowed &&
           correlation > chance_deviations * stats_serial_error(serial) &&
           sqrt(correlation * serial->squared_deviations / serial->freedom) > matters;
}

// Returns the mean of one contrast of a metric's rounds (`swing`: else of the drift), if it is
// beyond chance and above `matters`; else 0. Unlike the correlation, this sees few samples a round:
// with three rounds of four samples, the correlation is never beyond chance.
static double clear_contrast(const struct round_metric *metric, bool swing, double matters,
                             struct arena *scratch)
{
    size_t count = metric->rounds;
    if (count < CONTRASTS_LEAST)
        return 0;
    struct arena_mark mark = arena_mark(scratch);
    double *values = ARENA_ARRAY(scratch, count, double);
    for (size_t i = 0; i < count; i++)
        values[i] = swing ? metric->contrasts[i].swing : metric->contrasts[i].drift;
    double mean = stats_mean(values, count);
    double error = stats_deviation(values, count) / sqrt((double)count);
    arena_rewind(scratch, mark);
    double chance = stats_t_quantile(1 - contrast_chance / 2, (unsigned)count - 1) * error;
    return fabs(mean) > fmax(chance, matters) ? mean : 0;
}

// Flags a median that lies between two states of the samples, because about half of the samples of
// each round are in either state: no sample has this value.
static void judge_samples(const struct rounds *rounds, double matters, struct arena *arena,
                          struct result *result)
{
    size_t count = rounds->answer_count;
    double median = result->metrics[0].median;
    if (rounds_primary(rounds) != rounds->metrics)
        return;
    struct arena_mark mark = arena_mark(arena);
    double *values = ARENA_ARRAY(arena, count, double);
    for (size_t i = 0; i < count; i++)
        values[i] = rounds->answers[i].value;
    struct states states;
    bool found = states_find(values, count, &states);
    arena_rewind(arena, mark);
    if (found && median - states.low > matters && states.high - median > matters)
        result_flag(arena, result, VERDICT_SUSPECT, "correlated",
                    "the value alternated while it was measured: %s",
                    states_text(arena, &states, count, "samples"));
}

static void judge_contrasts(const struct rounds *rounds, double matters, struct arena *arena,
                            struct result *result)
{
    const struct round_metric *primary = rounds_primary(rounds);
    // The median may lie in the middle of the gap, so it is wrong by up to half of the gap.
    double drift = clear_contrast(primary, false, 2 * matters, arena);
    double swing = clear_contrast(primary, true, 2 * matters, arena);
    double share = (fabs(drift) > 0 ? drift : swing) / fabs(result->metrics[0].median);
    if (!(fabs(share) > 0)) {
        judge_samples(rounds, matters, arena, result);
        return;
    }
    result_flag(arena, result, VERDICT_SUSPECT, "correlated",
                "the value %s while it was measured: in each round, %s %.3g %% %s",
                fabs(drift) > 0 ? "drifted" : "alternated",
                fabs(drift) > 0 ? "the later samples are" : "every other sample is",
                100 * fabs(share), share > 0 ? "higher" : "lower");
}

static void judge_correlation(const struct rounds *gathered, double goal, struct arena *arena,
                              struct result *result)
{
    const struct metric *primary = &result->metrics[0];
    const struct stats_serial *within = &rounds_primary(gathered)->within;
    struct stats_serial rounds = {0};
    stats_serial_add(&rounds, primary->round_medians, primary->round_count);
    double matters = rounds_goal(rounds_primary(gathered), goal) * fabs(primary->median);
    bool within_rounds = is_correlated(within, matters);
    if (!within_rounds && !is_correlated(&rounds, matters))
        judge_contrasts(gathered, matters, arena, result);
    else
        result_flag(arena, result, VERDICT_SUSPECT, "correlated",
                    "the value drifted %s (correlation of neighbouring %s: %.2f)",
                    within_rounds ? "while it was measured" : "over the run",
                    within_rounds ? "samples" : "rounds",
                    stats_serial_correlation(within_rounds ? within : &rounds));
}

// Returns, in ascending order, the samples of one round or (`others`) of all other rounds.
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

void rounds_judge(const struct rounds *rounds, double goal, bool step_limits, struct arena *arena,
                  struct result *result)
{
    judge_visits(rounds, arena, result);
    for (size_t i = 0; i < result->metric_count; i++)
        judge_limit(arena, result, &result->metrics[i]);
    judge_censoring(arena, result);
    if (result->metric_count == 0) {
        if (rounds->count > 0)
            result_flag(arena, result, VERDICT_SUSPECT, "not-finite", "no metric has a value");
        return;
    }
    judge_precision(rounds, goal, step_limits, arena, result);
    judge_others(rounds, goal, arena, result);
    if (rounds->info->distribution)
        judge_distribution(rounds, arena, result);
    else
        judge_correlation(rounds, goal, arena, result);
}
