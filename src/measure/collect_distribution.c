// SPDX-License-Identifier: MIT
#include "measure/collect_state.h"

#include "math/distribution.h"

#include <math.h>

enum {
    FEW = 20,        // the band is ±30 % then
    ROUND_FEWEST = 4 // answers of a round that is held against the others
};
static const double confidence = 0.95, distance_that_matters = 0.25;

void collect_keep(struct collect *collect, const double *values, size_t count)
{
    struct collect_kept *kept = &collect->kept;
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(values[i]))
            continue;
        kept->values = arena_grow(collect->arena, kept->values, kept->count, &kept->room,
                                  sizeof *kept->values);
        kept->values[kept->count++] =
            (struct collect_answer){.value = values[i], .round = collect->rounds};
    }
}

// The answers of one round, or all others, ascending.
static double *pick(const struct collect *collect, unsigned round, bool others, size_t *count,
                    struct arena *scratch)
{
    const struct collect_kept *kept = &collect->kept;
    double *values = ARENA_ARRAY(scratch, kept->count, double);
    *count = 0;
    for (size_t i = 0; i < kept->count; i++)
        if ((kept->values[i].round != round) == others)
            values[(*count)++] = kept->values[i].value;
    stats_sort(values, *count);
    return values;
}

static void judge_round(const struct collect *collect, unsigned round, struct arena *arena,
                        struct result *result)
{
    size_t own_count, other_count;
    const double *own = pick(collect, round, false, &own_count, arena);
    const double *other = pick(collect, round, true, &other_count, arena);
    if (own_count < ROUND_FEWEST || other_count < ROUND_FEWEST)
        return;
    double median = stats_quantile(own, own_count, 0.5);
    double rest = stats_quantile(other, other_count, 0.5);
    double allowed =
        distribution_distance_allowed(own_count, other_count, (1 - confidence) / collect->rounds);
    if (distribution_distance(own, own_count, other, other_count) > allowed &&
        fabs(median - rest) > distance_that_matters * rest)
        result_flag(arena, result, VERDICT_SUSPECT, "unsteady",
                    "round %u is of another distribution than the others: its median is %.2f "
                    "times theirs",
                    round + 1, median / rest);
}

void collect_judge_distribution(const struct collect *collect, struct arena *arena,
                                struct result *result)
{
    size_t count = collect->kept.count;
    if (count < FEW)
        result_flag(arena, result, VERDICT_SUSPECT, "few",
                    "of the distribution of %zu samples each share is known to ±%.0f %% only",
                    count, 100 * distribution_band(count, confidence));
    size_t reasons = result->reason_count;
    for (unsigned round = 0; round < collect->rounds && result->reason_count == reasons; round++)
        judge_round(collect, round, arena, result);
}
