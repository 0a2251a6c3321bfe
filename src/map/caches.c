// SPDX-License-Identifier: MIT
#include "map/caches.h"

#include "bench/map.h"
#include "math/stats.h"

#include <math.h>

// Two steps of the latency curve may belong to one cache whose sets fill unevenly if they are at
// most this many octaves apart:
// - near_octaves if the line of the first step's cache is unknown
// - part_octaves if the line of the second step's cache is unknown
// - low_octaves if the first step rises less than half as much as the second one
static const double near_octaves = 1.9, low_octaves = 1.4, part_octaves = 1.2;

// A step of the latency curve is certainly the end of a separate cache if all of this is true:
// - Its `lead` is at least sure_lead.
// - The misfit of all probes is at most sure_misfit.
// - The next step is at least sure_octaves after it.
// - The previous step is more than sure_octaves before it, or more than sure_after octaves if the
//   previous step rises more.
static const double sure_lead = 100, sure_octaves = 2.2, sure_after = 1.5, sure_misfit = 2;

// A rise of no known shape may contain the ends of two caches if it is longer than this many
// octaves.
static const double rise_most = 1.25;

// Minimum and maximum region of chains that show a cache's sector, in sizes of the cache. In
// smaller regions, a load may hit whatever the sector is. In larger regions, hardly any load hits.
static const double sector_least = 1.4, sector_most = 4;
enum {
    // clip() needs at least this many chains with about the latency of the next level.
    CLIP_LEAST = 3
};

// ---------------------------------------------------------------- lines and sizes

const double map_caches_regions[] = {0.5,  0.65, 0.77, 0.86, 0.93, 0.98, 1.03,
                                     1.09, 1.17, 1.28, 1.45, 1.7,  2.1};
const size_t map_caches_region_count = sizeof map_caches_regions / sizeof *map_caches_regions;

const struct map_step_probe *map_caches_probe_near(const struct map_steps *steps,
                                                   const struct lines_chain *chain)
{
    const struct map_step_probe *best = NULL;
    double off = log(1.15);
    for (size_t i = 0; i < steps->probe_count; i++) {
        const struct map_step_probe *probe = &steps->probes[i];
        if (probe->chain.stride == chain->stride &&
            fabs(log(probe->chain.region / chain->region)) < off) {
            off = fabs(log(probe->chain.region / chain->region));
            best = probe;
        }
    }
    return best;
}

// Returns the input of lines_judge for level k, still without the probes.
static struct lines_question question_of(const struct map_steps *steps, size_t k,
                                         const struct lines_cache *inner)
{
    const struct plateaus *fit = &steps->curve.fit;
    unsigned shape = steps->all.steps[steps->step[k]].shape;
    return (struct lines_question){
        .caches = inner,
        .level = k,
        .latency = fit->levels[k].height,
        .beyond = fit->levels[k + 1].height,
        .beyond_end = k + 2 < fit->count ? exp2(fit->steps[k + 1].end) : 0,
        .end = exp2(fit->steps[k].end),
        .stride = MAP_NODE_BYTES,
        .noise = fit->noise,
        .spread = step_shape_spread(shape),
        .shapes = steps->shapes,
        .shape = shape,
    };
}

// Returns the latency of a probe in ns, without the part that TLBs certainly add.
static double untranslated_ns(const struct map_steps *steps, const struct map_step_probe *probe)
{
    return probe->ns - map_steps_translation(steps, probe->chain.region);
}

// Returns the line, sector and capacity of level k by its probes; stores its cache in inner[k].
static struct lines_answer line_of(struct arena *arena, const struct map_steps *steps, size_t k,
                                   struct lines_cache *inner)
{
    struct lines_probe *probes = ARENA_ARRAY(arena, lines_plan_count, struct lines_probe);
    struct lines_question question = question_of(steps, k, inner);
    question.probes = probes;
    for (size_t i = 0; i < lines_plan_count; i++) {
        const struct lines_chain chain = {lines_plan[i].region * question.end,
                                          lines_plan[i].stride};
        const struct map_step_probe *probe = map_caches_probe_near(steps, &chain);
        if (probe && !map_steps_may_be_translated(steps, probe->chain.region, false))
            probes[question.probe_count++] =
                (struct lines_probe){probe->chain, untranslated_ns(steps, probe)};
    }
    struct lines_answer answer = lines_judge(&question);
    answer.sector = answer.line > 0 ? answer.sector : 0;
    inner[k] = lines_cache_of(&question, &answer);
    return answer;
}

// Adds a probe with the latency `ns` less the time that TLBs add. Leaves out a chain whose region
// is not between `least` and `most` bytes, or to which a rise of unknown cause may add latency.
static void add_sector_probe(const struct map_steps *steps, const struct lines_chain *chain,
                             double ns, double least, double most, struct lines_probe *probes,
                             struct lines_question *question)
{
    ns -= map_steps_translation(steps, chain->region);
    if (chain->region > least && chain->region < most && isfinite(ns) &&
        !map_steps_may_be_translated(steps, chain->region, false))
        probes[question->probe_count++] = (struct lines_probe){*chain, ns};
}

// Returns the sector in bytes of level k, whose line is known; 0 if the sector is unknown. Uses all
// chains with several nodes in each line.
static double sector_of(struct arena *arena, const struct map_caches *caches, size_t k,
                        const struct lines_cache *inner)
{
    const struct map_steps *steps = &caches->steps;
    const struct level_curve *curve = &steps->curve;
    double line = caches->lines[k].line, judged = caches->lines[k].sector;
    double size = map_caches_size_about(caches, k), most = sector_most * size;
    struct lines_probe *probes =
        ARENA_ARRAY(arena, steps->probe_count + curve->count, struct lines_probe);
    struct lines_question question = question_of(steps, k, inner);
    question.probes = probes;
    // Chains with one node in each line show best how the cache replaces lines.
    question.shape = caches->sized[k] ? caches->sizes[k].shape : question.shape;
    // The chains must fit in the next level, so that a load that misses level k hits there.
    if (question.beyond_end > 0)
        most = fmin(most,
                    0.6 * exp2(curve->fit.steps[k + 1].end_low) * fmin(line / MAP_NODE_BYTES, 1));
    for (size_t i = 0; i < steps->probe_count; i++)
        if (steps->probes[i].chain.stride < line)
            add_sector_probe(steps, &steps->probes[i].chain, steps->probes[i].ns,
                             sector_least * size, most, probes, &question);
    for (size_t i = 0; i < curve->count && line > MAP_NODE_BYTES; i++) {
        const struct lines_chain chain = {exp2(curve->octaves[i]), MAP_NODE_BYTES};
        add_sector_probe(steps, &chain, curve->ns[i], sector_least * size, most, probes, &question);
    }
    if (question.probe_count >= 2)
        return lines_sector(&question, line, size, judged);
    // With so few chains, only the sector by lines_judge is left. This sector is right only if the
    // cache is about as large as the level's end on the curve, because in a smaller cache few loads
    // of the probes hit.
    return size > 0.9 * question.end ? judged : 0;
}

double map_caches_size_about(const struct map_caches *caches, size_t k)
{
    const struct lines_answer *line = &caches->lines[k];
    double end = exp2(caches->steps.curve.fit.steps[k].end);
    return line->capacity > 0 ? line->capacity : end * fmin(sqrt(line->line / MAP_NODE_BYTES), 1);
}

// Limits all latencies to `beyond`, the latency of the next level, if at least CLIP_LEAST points
// have about this latency. (The largest chains may miss the next level, too.)
static void clip(const struct level_curve *points, double beyond)
{
    size_t at = 0;
    for (size_t i = 0; i < points->count; i++)
        at += fabs(points->ns[i] / beyond - 1) < MAP_STEPS_UNEVEN;
    for (size_t i = 0; at >= CLIP_LEAST && i < points->count; i++)
        points->ns[i] = fmin(points->ns[i], beyond);
}

// True if the points show the end of level k: some have nearly the height of level k, and some lie
// more than half way up the rise. False if another end is so near that it may cause the same rise.
static bool has_end(const struct plateaus *fit, size_t k, const struct level_curve *points)
{
    double low = fit->levels[k].height, rise = fit->levels[k + 1].height - low;
    bool within = false, beyond = false;
    for (size_t i = 0; i < points->count; i++) {
        within |= points->ns[i] < low + rise / 4;
        beyond |= points->ns[i] > low + rise / 2;
    }
    if ((k > 0 && fit->steps[k].end - fit->steps[k - 1].end < STAIRCASE_NEAR) ||
        (k + 2 < fit->count && fit->steps[k + 1].end - fit->steps[k].end < STAIRCASE_NEAR))
        return false;
    return within && beyond;
}

// Finds the rise at the end of level k. If the rise fits no known shape, the end may lie anywhere
// in the rise. Returns false if there is no rise, or if the rise is so long that two caches may end
// there.
static bool find_step(const struct map_steps *steps, size_t k, const struct level_curve *points,
                      struct staircase_step *size)
{
    const struct plateaus *fit = &steps->curve.fit;
    double low = fit->levels[k].height, high = fit->levels[k + 1].height;
    const struct staircase_points chosen = {points->octaves, points->ns, points->count, fit->noise};
    struct staircase_step whole;
    bool bounded = staircase_bound_step(&chosen, low, high, &whole);
    clip(points, high);
    if (staircase_fit_step(steps->shapes, &chosen, low, high, size))
        return true;
    if (!bounded || whole.end_high - whole.end_low >= rise_most)
        return false;
    whole.shape = size->shape;
    *size = whole;
    return true;
}

// Finds the capacity of level k by chains with one node in each line (sizes[k], sized[k]). Also
// sets ends[k] if these chains show that the level ends, and endless[k] if they show no end.
static void find_size(struct arena *arena, struct map_caches *caches,
                      const struct lines_cache *inner, size_t k)
{
    const struct map_steps *steps = &caches->steps;
    const struct plateaus *fit = &steps->curve.fit;
    double line = caches->lines[k].line, size_about = map_caches_size_about(caches, k);
    struct level_curve points = level_curve_empty(arena, steps->probe_count);
    for (size_t i = 0; i < steps->probe_count; i++) {
        const struct map_step_probe *probe = &steps->probes[i];
        double bytes = probe->chain.region;
        bool in_level_before = k > 0 && bytes < 1.2 * inner[k - 1].capacity;
        if (probe->chain.stride == line &&
            case_uint(&probe->result->bench_case, "level") == steps->step[k] + 1 &&
            bytes > 0.3 * size_about && bytes < 2.2 * size_about && !in_level_before)
            level_curve_insert(&points, probe->result, log2(bytes), untranslated_ns(steps, probe));
    }
    bool measured = points.count >= map_caches_region_count - 3;
    caches->sized[k] = measured && find_step(steps, k, &points, &caches->sizes[k]);
    caches->ends[k] = caches->sized[k] || (measured && has_end(fit, k, &points));
    // If the core clock had two states, the chains may miss an end, so endless[k] stays false.
    caches->endless[k] = measured && !caches->ends[k] && !(steps->clocks.usual_ghz > 0);
}

// Returns false if `size` is too large, because a chain with a node every 32 bytes misses in a
// region that level k should hold. The chains that showed `size` then touched only a part of the
// lines.
static bool holds_all(const struct map_steps *steps, size_t k, double size)
{
    const struct plateaus *fit = &steps->curve.fit;
    double low = fit->levels[k].height, high = fit->levels[k + 1].height;
    // the chain with stride 32 and the largest region that is at most 0.82 times `size`
    const struct map_step_probe *best = NULL;
    for (size_t i = 0; i < steps->probe_count; i++) {
        const struct map_step_probe *probe = &steps->probes[i];
        if (probe->chain.stride == LINES_MIN_BYTES && probe->chain.region <= 0.82 * size &&
            (!best || probe->chain.region >= best->chain.region))
            best = probe;
    }
    return !best || best->chain.region < 0.3 * size ||
           untranslated_ns(steps, best) < low + 0.4 * (high - low);
}

bool map_caches_near_translation(const struct map_caches *caches, size_t k)
{
    const struct map_steps *steps = &caches->steps;
    const struct staircase_step *end = &steps->all.steps[steps->step[k]];
    double at = caches->sized[k] ? caches->sizes[k].end : end->end;
    for (size_t i = 0; i < steps->all.count; i++)
        if (steps->kinds[i] != STEP_CACHE && fabs(steps->all.steps[i].end - at) < 1 &&
            steps->all.steps[i].rise > 0.25 * end->rise)
            return true;
    return false;
}

bool map_caches_may_go_on(const struct map_caches *caches, size_t k)
{
    const struct plateaus *fit = &caches->steps.curve.fit;
    return k + 2 < fit->count && caches->unsure[k + 1] &&
           fit->steps[k + 1].end - fit->steps[k].end < near_octaves;
}

// Finds the lines and capacities of all levels, and stores the cache of each level in `inner`.
static void find_lines(struct arena *arena, struct map_caches *caches, struct lines_cache *inner)
{
    const struct map_steps *steps = &caches->steps;
    for (size_t k = 0; k + 1 < steps->curve.fit.count; k++) {
        caches->lines[k] = line_of(arena, steps, k, inner);
        double line = caches->lines[k].line;
        if (line == 0 || line == MAP_NODE_BYTES)
            continue;
        find_size(arena, caches, inner, k);
        if (!caches->sized[k])
            continue;
        double size = exp2(caches->sizes[k].end);
        inner[k].capacity = caches->lines[k].capacity = size;
        if (!holds_all(steps, k, size)) {
            caches->lines[k] =
                (struct lines_answer){.why = "chains with a node in each line and "
                                             "in each 32 bytes contradict each other"};
            caches->sized[k] = false;
        }
    }
}

static void find_sectors(struct arena *arena, struct map_caches *caches, struct lines_cache *inner)
{
    for (size_t k = 0; k + 1 < caches->steps.curve.fit.count; k++) {
        struct lines_answer *answer = &caches->lines[k];
        if (answer->line <= LINES_MIN_BYTES)
            continue;
        answer->sector = sector_of(arena, caches, k, inner);
        if (answer->sector > 0)
            inner[k].sector = answer->sector;
    }
}

// True if the rise at the end of level k and a near rise may belong to one cache whose sets fill
// unevenly. One of these must be true:
// - Level k is not the first level, and its line is unknown.
// - The next rise is more than twice as high, and either its line is shorter or one of both lines
//   is unknown.
static bool may_be_part(const struct map_caches *caches, size_t k)
{
    const struct map_steps *steps = &caches->steps;
    const struct plateaus *fit = &steps->curve.fit;
    const struct staircase_step *step = &steps->all.steps[steps->step[k]];
    double line = caches->lines[k].line;
    if (k > 0 && line == 0 && step->end - fit->steps[k - 1].end < part_octaves)
        return true;
    if (k + 2 >= fit->count)
        return false;
    double after = fit->steps[k + 1].end - step->end, next_line = caches->lines[k + 1].line;
    if (k > 0 && line == 0 && after < near_octaves)
        return true;
    bool is_low = step->rise < 0.5 * steps->all.steps[steps->step[k + 1]].rise;
    return is_low && (line == 0 || next_line == 0 || line > next_line) && after < low_octaves;
}

// True if a separate cache certainly ends at level k (limits: sure_lead). This end stays valid even
// if no cache explains the probes of level k.
static bool is_sure(const struct map_caches *caches, size_t k)
{
    const struct map_steps *steps = &caches->steps;
    const struct plateaus *fit = &steps->curve.fit;
    const struct staircase_step *step = &steps->all.steps[steps->step[k]];
    double after = k + 2 < fit->count ? fit->steps[k + 1].end - step->end : (double)INFINITY;
    if (steps->all.others_misfit > sure_misfit || step->lead < sure_lead || after < sure_octaves)
        return false;
    // This step and a near step before it may belong to the same cache, if its sets fill unevenly.
    double before = k > 0 ? step->end - fit->steps[k - 1].end : (double)INFINITY;
    return before > sure_octaves ||
           (before > sure_after && step->rise < steps->all.steps[steps->step[k - 1]].rise);
}

// If the latencies of a short level spread by more than this share of its height plus the noise,
// the level may be only a part of a cache's rise. (The far half of an H200's L2 is a real level;
// its latencies spread by at most 0.020.)
static const double bent_least = 0.035;

// True if level k is short and not flat. The rises at both its ends may then belong to one cache.
static bool is_bent(struct arena *arena, const struct map_caches *caches, size_t k)
{
    const struct plateaus *fit = &caches->steps.curve.fit;
    return k > 0 && fit->steps[k].end - fit->steps[k - 1].end < near_octaves &&
           !map_steps_is_even(arena, &caches->steps, k, bent_least);
}

// Sets caches->unsure[k] to the reason why level k may not be a separate cache. If no cache
// explains the probes of level k, and is_sure() is false, the end of level k and all later levels
// are not valid.
static void judge_lines(struct arena *arena, struct map_caches *caches)
{
    struct plateaus *fit = &caches->steps.curve.fit;
    for (size_t k = 0; k + 1 < fit->flat; k++) {
        caches->unsure[k] =
            caches->endless[k]       ? "chains with a node in each line do not end there"
            : may_be_part(caches, k) ? "chains with other strides do not show that it is a cache "
                                       "of its own, and not the beginning of the next rise"
            : is_bent(arena, caches, k)
                ? "the curve is not flat before: both rises may be those of one cache"
                : NULL;
        if (caches->lines[k].misfit && !is_sure(caches, k)) {
            fit->flat = k + 1;
            fit->decided = false;
            fit->reason = "chains with other strides fit no cache there";
        }
    }
}

void map_caches_of(struct arena *arena, const struct run *run, const struct level_curve *curve,
                   double cache_most, struct map_caches *caches)
{
    *caches = (struct map_caches){.steps.all = caches->steps.all};
    map_steps_of(arena, run, curve, cache_most, &caches->steps);
    struct lines_cache inner[PLATEAUS_MAX];
    find_lines(arena, caches, inner);
    find_sectors(arena, caches, inner);
    judge_lines(arena, caches);
}
