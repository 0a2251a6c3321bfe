// SPDX-License-Identifier: MIT
// Judges how many cores share a level, by chains that run on several cores at the same time.
#include "map/caches.h"

#include "bench/map.h"

#include <math.h>

// Maximum uncertainty of the time that address translation adds to chains on several cores, as a
// share of the latency step to the next level. If the uncertainty is larger, the probe shows
// nothing.
static const double translated_most = 0.1;

struct map_level map_caches_level(const struct map_caches *caches, size_t k)
{
    const struct map_steps *steps = &caches->steps;
    const struct plateaus *fit = &steps->curve.fit;
    struct map_level level = {
        .before = k ? fit->levels[k - 1].height : 0,
        .within = fit->levels[k].height,
        .beyond = fit->levels[k + 1].height,
        .next_end = k + 2 < fit->count ? exp2(fit->steps[k + 1].end_low) : (double)INFINITY,
        .slowest = fit->levels[fit->count - 1].height,
        .end = exp2(fit->steps[k].end),
        .before_end = k ? exp2(fit->steps[k - 1].end) : 0,
        .end_low = exp2(fit->steps[k].end_low),
        .end_high = exp2(fit->steps[k].end_high),
        .shapes = steps->shapes,
        .shape = steps->all.steps[steps->step[k]].shape,
    };
    if (map_steps_translation(steps, 4 * level.end) < 0.03 * level.within)
        level.alone = &steps->curve;
    if (caches->sized[k] && caches->lines[k].line > MAP_NODE_BYTES) {
        level.end_low = fmin(level.end_low, exp2(caches->sizes[k].end_low));
        level.end_high = fmax(level.end_high, exp2(caches->sizes[k].end_high));
    }
    return level;
}

// True if a level nearer to the core than level k may hold a part of the probe's regions. inner[i]
// is the number of cores that share a cache of level i.
static bool hits_before(const struct map_level *level, const struct map_steps *steps, size_t k,
                        unsigned cores, const unsigned *inner,
                        const struct map_sharers_probe *probe)
{
    const struct plateaus *fit = &steps->curve.fit;
    for (size_t i = 0; i < k; i++) {
        double bytes = map_sharers_together(probe, cores, inner[i], 0.5) * probe->region;
        double hit = fit->levels[i].height, miss = fit->levels[i + 1].height;
        if (level->alone ? map_curve_ns(level->alone, bytes) < hit + 0.8 * (miss - hit)
                         : bytes < 1.3 * exp2(fit->steps[i].end_high))
            return true;
    }
    return false;
}

// Returns the result of a probe for the sharers of level k; NULL if the run has none.
static const struct result *neighbours_result(const struct map_steps *steps, const struct run *run,
                                              size_t k, unsigned cores,
                                              const struct map_sharers_probe *probe)
{
    for (size_t i = 0; i < run->result_count; i++) {
        const struct result *result = run->results[i];
        if (!result_is_of(result, "map", steps->curve.results[0]->device) ||
            !case_says(&result->bench_case, "what", MAP_NEIGHBOURS) ||
            case_uint(&result->bench_case, "level") != k + 1)
            continue;
        const struct case_value *chains = case_find(&result->bench_case, "chains");
        double bytes = (double)case_uint(&result->bench_case, "bytes");
        if ((chains ? chains->uint : cores) == probe->chains &&
            fabs(log(bytes / probe->region)) < 0.02)
            return result;
    }
    return NULL;
}

// Returns the median latency in ns of a probe, less the time that address translation adds. Returns
// NaN if the probe was not measured, and 0 if it shows nothing.
static double neighbours_ns(const struct map_level *level, const struct map_steps *steps,
                            const struct run *run, size_t k, unsigned cores, const unsigned *inner,
                            const struct map_sharers_probe *probe)
{
    const struct result *result = neighbours_result(steps, run, k, cores, probe);
    if (!result)
        return NAN;
    double ns = map_steps_ns(steps, result);
    if (!isfinite(ns) || map_steps_noisy(steps, result))
        return 0;
    // If address translation adds to the latency curve of one core, level->alone is NULL. The end
    // of a level whose lines hold several nodes is then unknown, so the probe shows nothing.
    if ((!level->alone && step_shape_is_gradual(level->shape)) ||
        hits_before(level, steps, k, cores, inner, probe))
        return 0;
    if (map_steps_may_be_translated(steps, probe->region, false))
        return 0;
    // Cores may share a TLB that the chain exceeds. Translation then adds at least the time that it
    // adds to this chain alone, and at most the time that it adds to one chain over all regions.
    double least = map_steps_translation(steps, probe->region);
    double most = map_steps_translation(steps, probe->region * probe->chains);
    bool exceeds = map_steps_may_be_translated(steps, probe->region, true);
    return exceeds && most - least > translated_most * (level->beyond - level->within) ? 0
                                                                                       : ns - least;
}

// Returns how many cores share level k, and the probes that show it. inner[i] is the number of
// cores that share level i, for each level i before k. With `again`, also uses the second series of
// probes.
static struct map_sharers sharers_of(const struct map_caches *caches, const struct run *run,
                                     size_t k, unsigned cores, const unsigned *inner, bool again,
                                     struct map_sharers_probe probes[2 * MAP_SHARERS_MAX],
                                     size_t *count)
{
    const struct map_level level = map_caches_level(caches, k);
    double ns[2 * MAP_SHARERS_MAX];
    *count = map_sharers_plan(&level, cores, probes);
    for (size_t i = 0; i < *count; i++)
        ns[i] = neighbours_ns(&level, &caches->steps, run, k, cores, inner, &probes[i]);
    struct map_sharers found = map_sharers_judge(&level, probes, ns, *count, cores);
    if (!again)
        return found;
    size_t first = *count;
    *count += map_sharers_plan_again(&level, &found, cores, probes + first);
    for (size_t i = first; i < *count; i++) {
        ns[i] = neighbours_ns(&level, &caches->steps, run, k, cores, inner, &probes[i]);
        if (!isfinite(ns[i]))
            return found; // not all probes of the second series are measured yet
    }
    return map_sharers_judge(&level, probes, ns, *count, cores);
}

struct map_sharers map_caches_sharers(const struct map_caches *caches, const struct run *run,
                                      size_t k, unsigned cores, bool again,
                                      struct map_sharers_probe probes[2 * MAP_SHARERS_MAX],
                                      size_t *count)
{
    unsigned inner[PLATEAUS_MAX];
    for (size_t i = 0; i < k; i++) {
        const struct map_sharers before =
            sharers_of(caches, run, i, cores, inner, again, probes, count);
        inner[i] = before.sharers ? before.sharers : before.low;
    }
    return sharers_of(caches, run, k, cores, inner, again, probes, count);
}
