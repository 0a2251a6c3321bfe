// SPDX-License-Identifier: MIT
#include "measure/rounds.h"

#include "base/text.h"
#include "measure/collect.h"
#include "results/reasons.h"

#include <assert.h>
#include <math.h>
#include <string.h>

struct rounds *rounds_create(struct arena *arena, const struct benchmark_info *info)
{
    assert(info->metric_count <= MEASURE_METRICS_MAX);
    struct rounds *rounds = ARENA_NEW(arena, struct rounds);
    rounds->arena = arena;
    rounds->info = info;
    rounds->kept = measure_visit_create(arena);
    return rounds;
}

const struct round_metric *rounds_primary(const struct rounds *rounds)
{
    for (size_t i = 0; i < rounds->info->metric_count; i++)
        if (rounds->metrics[i].rounds > 0)
            return &rounds->metrics[i];
    return NULL;
}

double rounds_goal(const struct round_metric *metric, double goal)
{
    return metric->by_host ? fmax(goal, COLLECT_HOST_GOAL) : goal;
}

static void add_answers(struct rounds *rounds, const struct measure_samples *samples)
{
    for (size_t i = 0; i < samples->count; i++) {
        if (!isfinite(samples->values[i]))
            continue;
        rounds->answers = arena_grow(rounds->arena, rounds->answers, rounds->answer_count,
                                     &rounds->answer_room, sizeof *rounds->answers);
        rounds->answers[rounds->answer_count++] =
            (struct round_answer){samples->values[i], rounds->count};
    }
}

static bool is_later(size_t i, size_t count)
{
    return i >= count - count / 2;
}

static bool is_second(size_t i, size_t count)
{
    (void)count;
    return i % 2;
}

// Returns the gap from the samples that are not in the group to those in it (round_contrast).
static double gap_to(const double *samples, size_t count,
                     bool (*is_in_group)(size_t i, size_t count))
{
    if (count < 2)
        return 0;
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (size_t i = 0; i < count; i++) {
        bool group = is_in_group(i, count);
        low[group] = fmin(low[group], samples[i]);
        high[group] = fmax(high[group], samples[i]);
    }
    return fmax(low[1] - high[0], 0) - fmax(low[0] - high[1], 0);
}

static void add_samples(struct rounds *rounds, struct round_metric *metric,
                        const struct measure_samples *samples)
{
    struct arena *arena = rounds->arena;
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
    rounds->dropped += samples->count - count;
    stats_serial_add(&metric->within, values, count);
    const struct round_contrast contrast = {.drift = gap_to(values, count, is_later),
                                            .swing = gap_to(values, count, is_second)};
    double median = stats_median(values, count); // comes last, because stats_median sorts `values`
    arena_rewind(arena, mark);
    if (metric == rounds->metrics)
        add_answers(rounds, samples);
    if (count == 0)
        return;
    metric->contrasts = arena_grow(arena, metric->contrasts, metric->rounds, &metric->contrast_room,
                                   sizeof *metric->contrasts);
    metric->contrasts[metric->rounds] = contrast;
    metric->medians =
        arena_grow(arena, metric->medians, metric->rounds, &metric->median_room, sizeof(double));
    metric->medians[metric->rounds++] = median;
    metric->samples += count;
    metric->step = fmax(metric->step, samples->step);
    metric->half = samples->half;
    metric->at_least = metric->at_least || samples->at_least;
    metric->by_host = metric->by_host || samples->by_host;
}

static void add_reasons(struct rounds *rounds, const struct reason *list, size_t count,
                        enum verdict verdict)
{
    for (size_t i = 0; i < count; i++) {
        const struct round_reason *known = rounds->reasons;
        size_t at = 0;
        while (at < rounds->reason_count &&
               (known[at].verdict != verdict || strcmp(known[at].code, list[i].code) != 0))
            at++;
        if (at == rounds->reason_count) {
            rounds->reasons = arena_grow(rounds->arena, rounds->reasons, at, &rounds->reason_room,
                                         sizeof *rounds->reasons);
            rounds->reasons[rounds->reason_count++] =
                (struct round_reason){.code = arena_strdup(rounds->arena, list[i].code),
                                      .text = arena_strdup(rounds->arena, list[i].text),
                                      .verdict = verdict};
        }
        struct round_reason *reason = &rounds->reasons[at];
        reason->rounds += reason->last != rounds->count + 1;
        reason->last = rounds->count + 1;
    }
}

void rounds_add(struct rounds *rounds, const struct measure_visit *visit)
{
    struct measure_visit *kept = rounds->kept;
    for (size_t i = 0; i < rounds->info->metric_count; i++)
        add_samples(rounds, &rounds->metrics[i], &visit->metrics[i]);
    add_reasons(rounds, visit->reasons, visit->reason_count, VERDICT_SUSPECT);
    add_reasons(rounds, visit->retakes, visit->retake_count, VERDICT_SUSPECT);
    add_reasons(rounds, visit->remarks, visit->remark_count, VERDICT_OK);
    visit_keep(kept, visit);
    for (size_t i = 0; i < visit->sensor_count; i++)
        visit_sensor(kept, visit->sensors[i].name, visit->sensors[i].unit, visit->sensors[i].value);
    rounds->count++;
}

// ---------------------------------------------------------------- samples slowed by other work

static const double hit_slowness = 1.25, hit_agreement = 0.05;

enum {
    HIT_SAMPLES_LEAST = 10, // A typical sample is computed only from at least this many samples.
    // Up to this many samples in a visit, one slow sample shows other work; beyond, more than a
    // tenth of them must be slow.
    HIT_EACH_MAX = 16
};

static bool is_hit(const struct measure_samples *samples, double typical, enum better better)
{
    size_t hit = 0;
    for (size_t i = 0; i < samples->count; i++)
        hit += better_ratio(better, typical, samples->values[i]) > hit_slowness;
    return samples->count > HIT_EACH_MAX ? hit * 10 > samples->count : hit > 0;
}

// Returns the finite samples, in ascending order, of the visits without a reason to be repeated.
static double *sorted_samples(struct measure_visit *const *visits, size_t visit_count,
                              size_t metric, size_t *count, struct arena *scratch)
{
    size_t room = 0;
    for (size_t v = 0; v < visit_count; v++)
        room += visits[v]->metrics[metric].count;
    double *values = ARENA_ARRAY(scratch, room, double);
    *count = 0;
    for (size_t v = 0; v < visit_count; v++) {
        const struct measure_samples *samples = &visits[v]->metrics[metric];
        for (size_t i = 0; i < samples->count && visits[v]->retake_count == 0; i++)
            if (isfinite(samples->values[i]))
                values[(*count)++] = samples->values[i];
    }
    stats_sort(values, *count);
    return values;
}

// Returns the median of the better 60 % of the samples of all visits without a reason to be
// repeated; NaN if there are fewer than 10 samples, or if the worst of the 60 % is over 5 % worse
// than the median.
static double typical_sample(struct measure_visit *const *visits, size_t visit_count, size_t metric,
                             enum better better, struct arena *scratch)
{
    size_t count;
    struct arena_mark mark = arena_mark(scratch);
    const double *values = sorted_samples(visits, visit_count, metric, &count, scratch);
    double typical = NAN, worst = NAN;
    if (count >= HIT_SAMPLES_LEAST) {
        bool lower = better == BETTER_LOWER;
        typical = values[lower ? 3 * count / 10 : count - 1 - 3 * count / 10];
        worst = values[lower ? 6 * count / 10 : count - 1 - 6 * count / 10];
    }
    arena_rewind(scratch, mark);
    return better_ratio(better, typical, worst) <= 1 + hit_agreement ? typical : NAN;
}

size_t rounds_flag_hits(const struct rounds *rounds, struct measure_visit *const *visits,
                        size_t visit_count)
{
    const struct round_metric *primary = rounds_primary(rounds);
    if (!primary || rounds->info->distribution)
        return 0;
    size_t metric = (size_t)(primary - rounds->metrics), hits = 0;
    enum better better = rounds->info->metrics[metric].better;
    double typical = typical_sample(visits, visit_count, metric, better, rounds->arena);
    for (size_t v = 0; v < visit_count; v++)
        hits +=
            visits[v]->retake_count == 0 && is_hit(&visits[v]->metrics[metric], typical, better);
    if (2 * hits > rounds->count)
        return 0;
    for (size_t v = 0; v < visit_count && hits; v++)
        if (visits[v]->retake_count == 0 && is_hit(&visits[v]->metrics[metric], typical, better))
            visit_retake(visits[v], REASON_SHARED_DEVICE,
                         "samples took far longer than the others");
    return hits;
}

// ---------------------------------------------------------------- flagged visits

// Returns the code of the first reason to repeat a visit; "" if there is none.
static const char *flag_of(const struct measure_visit *visit)
{
    return visit->retake_count ? visit->retakes[0].code : "";
}

void rounds_describe_flags(struct measure_visit *const *visits, size_t visit_count,
                           struct measure_visit *kept)
{
    const char *text = "";
    for (size_t i = 0; i < visit_count; i++) {
        const char *code = flag_of(visits[i]);
        size_t count = 0;
        for (size_t k = 0; k < visit_count; k++)
            count += strcmp(flag_of(visits[k]), code) == 0;
        // Visits without a reason add nothing: strstr finds an empty code in every text.
        if (!strstr(text, code))
            text = text_join(kept->arena, text, ", ",
                             arena_printf(kept->arena, "%zu %s", count, code));
    }
    visit_detail(kept, "doubtful", "of %zu visits: %s", visit_count, text);
}
