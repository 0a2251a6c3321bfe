// SPDX-License-Identifier: MIT
#include "measure/rounds.h"

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
    double median = stats_median(values, count); // sorts them
    arena_rewind(arena, mark);
    if (rounds->info->distribution && metric == rounds->metrics)
        add_answers(rounds, samples);
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
        rounds->reasons[at].rounds++;
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
