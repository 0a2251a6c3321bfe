// SPDX-License-Identifier: MIT
#include "map/caches.h"

#include "bench/map.h"

#include <math.h>

enum {
    // Line in bytes that is assumed if a line is unknown. No known GPU has a shorter line.
    LINE_LEAST = 16
};

// Limits of the regions that lie in one level alone, as multiples of a bound of a level's size:
// - Smallest region: `beyond` times the geometric mean of the previous level's bounds, and at least
//   `beyond_most` times the upper bound of the previous level. In the first level: `in_first` times
//   the largest region.
// - Largest region: `within` times the lower bound, because some sets may be full early.
// - In memory: `memory_least` to `memory_most` times the upper bound of the last cache's size.
static const double beyond = 1.25, beyond_most = 1.05, within = 0.7, in_first = 0.125;
static const double memory_least = 3, memory_most = 4;
// Maximum region of the chains over few pages that show memory, in sizes of the last cache. If the
// fit took the end of a further cache for a TLB's, and this cache ends below the maximum, the
// latencies of these chains differ.
static const double memory_far = 64;
// Factor by which a region may lie outside its limits, which later probes may move a little.
static const double rounding = 1.05;
// Minimum ratio of the largest to the smallest region that lie in a level alone, for chains over
// few pages at a time, also in memory. Chains over almost the same region would have the same
// latency in any case.
static const double room = 1.8;
// Address translation slows a random chain if a chain over few pages, with the same region, is
// faster by more than this share. The share is larger for caches, because a chain over few pages
// may hit the level before.
static const double translation_part = 0.02, translation_part_of_memory = 0.01;
// A level is slower than the level before if its latency is at least this many times as long.
static const double next_level = 1.1;
// At the end of a cache, random chains and chains over few pages become slower by about the same
// time, so the ratio (few pages to random) is between these limits. At the end of a TLB the ratio
// is smaller, because chains over few pages miss a TLB at most an eighth as often.
static const double alike_least = 0.7, alike_most = 1.4;
// Regions for alike_least and alike_most cover at most this share of the level. In larger regions,
// some sets of the level's own cache may overflow, if a hash or scattered pages fill them unevenly.
static const double uncrowded = 0.4;

struct map_scale map_level_scale(const struct map_caches *caches, size_t k)
{
    const struct level_curve *curve = &caches->steps.curve;
    const struct lines_answer *line = &caches->lines[k];
    double stride = (double)case_uint(&curve->results[0]->bench_case, "pitch");
    double known = line->capacity / exp2(curve->fit.steps[k].end);
    double shortest = line->line > 0 ? line->line : LINE_LEAST;
    if (line->capacity > 0)
        return (struct map_scale){known, known};
    return (struct map_scale){1, fmin(shortest / stride, 1)};
}

void map_level_sizes(const struct map_caches *caches, struct map_size *sizes)
{
    const struct level_curve *curve = &caches->steps.curve;
    for (size_t k = 0; k + 1 < curve->fit.flat; k++) {
        const struct map_scale scale = map_level_scale(caches, k);
        sizes[k] = (struct map_size){scale.least * exp2(curve->fit.steps[k].end_low),
                                     scale.size * exp2(curve->fit.steps[k].end_high)};
        if (caches->sized[k])
            sizes[k] =
                (struct map_size){exp2(caches->sizes[k].end_low), exp2(caches->sizes[k].end_high)};
    }
}

struct map_size map_level_alone(const struct level_curve *curve, const struct map_size *sizes,
                                size_t k)
{
    if (k == 0)
        return (struct map_size){in_first * within * sizes[0].low, within * sizes[0].low};
    const struct map_size *before = &sizes[k - 1];
    if (k + 1 == curve->fit.count)
        return (struct map_size){memory_least * before->high, memory_most * before->high};
    double least = beyond * sqrt(before->low * before->high);
    return (struct map_size){fmax(least, beyond_most * before->high), within * sizes[k].low};
}

// ---------------------------------------------------------------- chains over few pages at a time

// Returns the range of regions at which chains over few pages show level k alone; `low` > `high` if
// there is no such region.
static struct map_size local_span(const struct map_caches *caches, size_t k)
{
    static const struct map_size none = {1, 0};
    const struct level_curve *curve = &caches->steps.curve;
    const struct plateaus *fit = &curve->fit;
    bool is_memory = fit->decided && k > 0 && k + 1 == fit->count;
    struct map_size sizes[PLATEAUS_MAX];
    if (k + 1 >= fit->flat && !is_memory)
        return none;
    map_level_sizes(caches, sizes);
    struct map_size alone = map_level_alone(curve, sizes, k);
    if (is_memory)
        alone.high = fmin(memory_far * sizes[k - 1].high, exp2(curve->octaves[curve->count - 1]));
    return alone.high >= room * alone.low ? alone : none;
}

size_t map_level_local_regions(const struct map_caches *caches, size_t k,
                               double regions[MAP_LOCAL_POINTS])
{
    const struct map_size span = local_span(caches, k);
    if (span.low > span.high)
        return 0;
    for (int i = 0; i < MAP_LOCAL_POINTS; i++)
        regions[i] = span.low * pow(span.high / span.low, (i + 1.0) / MAP_LOCAL_POINTS);
    return MAP_LOCAL_POINTS;
}

// Returns the run's MAP_LOCAL chains (few pages at a time) whose region shows level k alone.
static struct level_curve chains_of(struct arena *arena, const struct map_caches *caches,
                                    const struct run *run, size_t k)
{
    const struct map_steps *steps = &caches->steps;
    const struct map_size span = local_span(caches, k);
    struct level_curve chains = level_curve_empty(arena, run->result_count);
    for (size_t i = 0; i < run->result_count; i++) {
        const struct result *result = run->results[i];
        if (!result_is_of(result, "map", steps->curve.results[0]->device) ||
            !case_says(&result->bench_case, "what", MAP_LOCAL))
            continue;
        double bytes = (double)case_uint(&result->bench_case, "bytes");
        double ns = map_steps_ns(steps, result);
        if (isfinite(ns) && !map_steps_noisy(steps, result) && bytes > span.low / rounding &&
            bytes < span.high * rounding)
            level_curve_insert(&chains, result, log2(bytes), ns);
    }
    return chains;
}

struct map_local map_level_local(struct arena *arena, const struct map_caches *caches,
                                 const struct run *run, size_t k)
{
    const struct level_curve chains = chains_of(arena, caches, run, k);
    size_t fastest = 0, slowest = 0;
    if (chains.count < MAP_LOCAL_POINTS)
        return (struct map_local){0};
    for (size_t i = 1; i < chains.count; i++) {
        fastest = chains.ns[i] < chains.ns[fastest] ? i : fastest;
        slowest = chains.ns[i] > chains.ns[slowest] ? i : slowest;
    }
    double uneven = 1 + MAP_STEPS_UNEVEN + map_steps_noise(arena, &caches->steps);
    bool is_memory = k + 1 == caches->steps.curve.fit.count, translated = false;
    double part = is_memory ? translation_part_of_memory : translation_part;
    for (size_t i = 0; i < chains.count; i++) {
        double random = map_curve_ns(&caches->steps.curve, exp2(chains.octaves[i]));
        translated |= chains.ns[i] < random * (1 - part);
    }
    // A chain over few pages uses each page of 4 KiB for eight loads. If each page causes a TLB
    // miss, the chain may be slower than the level is by the fit. It then does not show the level.
    bool slower = chains.ns[fastest] > caches->steps.curve.fit.levels[k].height * uneven;
    return (struct map_local){
        chains.results[fastest],
        chains.ns[slowest] < chains.ns[fastest] * uneven && (is_memory || !slower), translated};
}

// True if a cache seems to end within level k, or within what seems to be memory: random chains and
// chains over few pages are both slower in a part of the level or memory, by about the same time.
static bool is_cache_within(struct arena *arena, const struct map_caches *caches,
                            const struct run *run, size_t k)
{
    const struct map_steps *steps = &caches->steps;
    const struct plateaus *fit = &steps->curve.fit;
    const struct level_curve chains = chains_of(arena, caches, run, k);
    double least = (double)INFINITY, most = (double)INFINITY;
    if (chains.count < MAP_LOCAL_POINTS)
        return false;
    for (size_t i = 0; i < chains.count; i++)
        least = fmin(least, chains.ns[i]);
    if (k + 1 < fit->count)
        most = log2(uncrowded) + (caches->sized[k]
                                      ? caches->sizes[k].end
                                      : fit->steps[k].end + log2(map_level_scale(caches, k).size));
    else
        least = fmin(least, fit->levels[k].height);
    for (size_t i = 0; i < chains.count; i++) {
        double slower = chains.ns[i] - least;
        double random = map_curve_ns(&steps->curve, exp2(chains.octaves[i])) - least;
        if (chains.octaves[i] < most && chains.ns[i] > next_level * least &&
            slower > alike_least * random && slower < alike_most * random)
            return true;
    }
    return false;
}

void map_level_judge(struct arena *arena, const struct run *run, struct map_caches *caches)
{
    static const char another[] = "chains that visit few pages at a time show that a further cache "
                                  "may end near there";
    const struct map_steps *steps = &caches->steps;
    for (size_t k = 0; k + 1 < steps->curve.fit.flat; k++) {
        const struct map_local here = map_level_local(arena, caches, run, k);
        const struct map_local next = map_level_local(arena, caches, run, k + 1);
        if (here.agrees && next.agrees &&
            map_steps_ns(steps, next.fastest) < next_level * map_steps_ns(steps, here.fastest))
            caches->unsure[k] = "chains that visit few pages at a time are no slower beyond: it "
                                "may be address translation";
        else if (is_cache_within(arena, caches, run, k))
            caches->unsure[k] = another;
    }
    size_t last = steps->curve.fit.count - 1;
    if (steps->curve.fit.decided && last > 0 && is_cache_within(arena, caches, run, last))
        caches->unsure[last - 1] = another;
}
