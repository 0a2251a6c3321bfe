// SPDX-License-Identifier: MIT
#include "map/steps.h"

#include "math/stats.h"

#include <math.h>

// Two core clocks with a smaller relative difference count as equal.
static const double clock_part = 0.02;

// Returns the core clock of a result in GHz: cycles divided by ns; NaN if the result has no cycles.
static double clock_of(const struct result *result)
{
    const struct metric *cycles = result_metric(result, "latency_cycles");
    const struct metric *ns = result_metric(result, "latency");
    return cycles && ns ? cycles->median / ns->median : NAN;
}

static bool is_near_clock(const struct result *result, double ghz)
{
    return fabs(clock_of(result) / ghz - 1) < clock_part;
}

// Converts a latency in ns at the second core clock (states->other_ghz) to the usual clock.
static double as_at_usual_clock(const struct clock_states *states, const struct staircase *all,
                                double ns)
{
    const double *other = states->other_heights;
    double usual = all->base;
    if (ns <= other[0] || all->count == 0)
        return ns * usual / other[0];
    for (size_t k = 0; k < all->count; k++) {
        double rise = all->steps[k].rise;
        if (ns <= other[k + 1])
            return usual + rise * (ns - other[k]) / (other[k + 1] - other[k]);
        usual += rise;
    }
    return ns * usual / other[all->count];
}

double clock_states_ns(const struct clock_states *states, const struct staircase *all,
                       const struct result *result)
{
    double ns = result_median(result, "latency");
    if (states->cycle_ns > 0)
        return result_median(result, "latency_cycles") * states->cycle_ns;
    if (!(states->usual_ghz > 0) || is_near_clock(result, states->usual_ghz))
        return ns;
    return is_near_clock(result, states->other_ghz) ? as_at_usual_clock(states, all, ns) : NAN;
}

// Returns the median relative width of the metric's intervals; infinity if a point has none.
static double width_of(struct arena *arena, const struct level_curve *curve, const char *name)
{
    double *widths = ARENA_ARRAY(arena, curve->count, double);
    for (size_t i = 0; i < curve->count; i++) {
        const struct metric *metric = result_metric(curve->results[i], name);
        if (!metric || !isfinite(metric->ci95[1] - metric->ci95[0]))
            return (double)INFINITY;
        widths[i] = (metric->ci95[1] - metric->ci95[0]) / metric->median;
    }
    return stats_median(widths, curve->count);
}

bool clock_states_choose_cycles(struct arena *arena, struct level_curve *curve,
                                struct clock_states *states)
{
    double *ratios = ARENA_ARRAY(arena, curve->count, double);
    if (!(2 * width_of(arena, curve, "latency_cycles") < width_of(arena, curve, "latency")))
        return false;
    for (size_t i = 0; i < curve->count; i++)
        ratios[i] = 1 / clock_of(curve->results[i]);
    states->cycle_ns = stats_median(ratios, curve->count);
    curve->ns = ARENA_ARRAY(arena, curve->count, double);
    for (size_t i = 0; i < curve->count; i++)
        curve->ns[i] = result_median(curve->results[i], "latency_cycles") * states->cycle_ns;
    return true;
}

// Returns the core clock in GHz at which most points of the curve ran. Counts them in *count.
static double usual_clock(const struct level_curve *curve, size_t *count)
{
    double usual = 0;
    *count = 0;
    for (size_t i = 0; i < curve->count; i++) {
        size_t near = 0;
        for (size_t j = 0; j < curve->count; j++)
            near += is_near_clock(curve->results[j], clock_of(curve->results[i]));
        if (near <= *count)
            continue;
        *count = near;
        usual = clock_of(curve->results[i]);
    }
    return usual;
}

void clock_states_keep_usual(struct arena *arena, struct level_curve *curve,
                             struct clock_states *states, struct level_curve *others)
{
    const struct level_curve all = *curve;
    size_t count;
    double clock = usual_clock(&all, &count);
    if (count == 0 || count > all.count * 9 / 10 || count < all.count * 3 / 10)
        return;
    states->usual_ghz = clock;
    *curve = level_curve_empty(arena, all.count);
    curve->metric = all.metric;
    curve->label = all.label;
    for (size_t i = 0; i < all.count; i++)
        level_curve_insert(is_near_clock(all.results[i], clock) ? curve : others, all.results[i],
                           all.octaves[i], all.ns[i]);
}

void clock_states_find_heights(struct arena *arena, const struct step_shapes *shapes,
                               const struct staircase *all, const struct level_curve *others,
                               struct clock_states *states)
{
    size_t count;
    double clock = usual_clock(others, &count), *ns = ARENA_ARRAY(arena, others->count + 1, double);
    for (size_t k = 0; k <= all->count; k++) {
        const struct staircase_step *step = &all->steps[k];
        double from = k ? step[-1].end_high + step_shapes_width(shapes, step[-1].shape) : -1.0;
        double to = k < all->count ? step->end_low : (double)INFINITY;
        count = 0;
        for (size_t i = 0; i < others->count; i++)
            if (others->octaves[i] > from && others->octaves[i] < to &&
                is_near_clock(others->results[i], clock))
                ns[count++] = others->ns[i];
        if (count == 0)
            return;
        states->other_heights[k] = stats_median(ns, count);
        if (k > 0 && states->other_heights[k] <= states->other_heights[k - 1])
            return;
    }
    states->other_ghz = clock;
}
