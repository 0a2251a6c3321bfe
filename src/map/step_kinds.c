// SPDX-License-Identifier: MIT
// Decides for each step of the latency curve whether its cause is a cache or address translation (a
// TLB). Fits the steps to the curve and the probes together.
#include "map/steps.h"

#include "bench/map.h"
#include "map/lines.h"
#include "math/stats.h"

#include <math.h>

enum {
    PAGE_MIN_BYTES = 4096,
    // maximum cost of one probe, so that it does not decide alone which steps are caches
    COST_MOST = 36
};

// Log2 of the smallest reach in bytes that a TLB may have: a little below 16 pages of 4 KiB.
static const double reach_min = 15.9;
// A step is known to be a TLB's only if its `lead` is at least this: 2 ln 90, as in map/lines.c.
// For a cache, the limit is higher (COST_MOST), so that one probe does not decide alone: a cache
// adds a level to the result, but a TLB only leaves one out.
static const double margin = 9;
// Limits of the probes' misfit (staircase.others_misfit). From explained_misfit on, a level counts
// only if it is flat. Above kinds_misfit, the kind of every step (cache or TLB) is unknown.
static const double explained_misfit = 4.5, kinds_misfit = 10;
// Assumed noise of a probe's latency, with the deviations of real caches from math/step_shapes.h.
static const double probe_noise = 0.04;

// A step has one of 13 kinds. Kind 0 is a TLB. The others are caches with 4 line lengths and 3 ways
// to fill the sets: as the curve's chain fills them, or unevenly by a hash, with 6 or 16 ways. (A
// hash of aligned blocks fills sets evenly for the curve's chain only.)
enum {
    LINES = 4
};
static const double kind_line[LINES] = {32, 64, MAP_NODE_BYTES, LINES_MAX_BYTES};
static const unsigned kind_ways[] = {0, 6, 16};

// Returns the line in bytes of a kind of cache. At such a cache, a probe of n nodes is as slow as
// the curve at n lines. If a hash chooses the set, a true line of less than 128 bytes counts as
// 128, because the curve's nodes are 128 bytes apart and use one line each.
static double line_of(unsigned kind)
{
    return kind_line[(kind - 1) % LINES];
}

// Returns the shape that probes, with one node in each line, see at a step of this kind that has
// `shape` on the curve, where nodes share lines or pages. Returns STEP_SHAPES if the kind cannot
// have this shape.
static unsigned seen_as(unsigned kind, unsigned shape)
{
    bool is_double = step_shape_is_double(shape), is_random = step_shape_is_random(shape);
    if (kind == 0)
        return step_shape_is_gradual(shape) && !is_double ? shape : STEP_SHAPES;
    unsigned ways = kind_ways[(kind - 1) / LINES];
    bool fits =
        line_of(kind) > MAP_NODE_BYTES ? is_double || is_random : !step_shape_is_gradual(shape);
    if (!fits || (ways && is_random))
        return STEP_SHAPES;
    return ways ? step_shape_hashed(ways) : step_shape_single(shape);
}

// Returns the time in ns that step `i` adds to a probe if it is of this kind; NaN if it cannot be.
static double part_of_step(const struct map_steps *steps, size_t i,
                           const struct map_step_probe *probe, unsigned kind)
{
    const struct staircase_step *step = &steps->all.steps[i];
    unsigned shape = seen_as(kind, step->shape);
    double shift = kind ? log2(line_of(kind) / probe->chain.stride) : 0;
    if (shape == STEP_SHAPES)
        return NAN;
    return step->rise *
           step_shapes_share(steps->shapes, shape, log2(probe->chain.region) + shift - step->end);
}

// parts[step][kind] is the time in ns that this step adds to one probe if it is of that kind.
typedef double parts[STAIRCASE_STEPS_MAX][STAIRCASE_KINDS];

// Returns how badly a choice of kinds explains the probes, each with a cost up to COST_MOST.
static double cost_of(const struct map_steps *steps, const struct map_step_probe *probes,
                      size_t count, parts *parts_of, const unsigned *choice)
{
    double cost = 0, sigma = root_of_squares(probe_noise, steps->all.noise);
    for (size_t i = 0; i < count; i++) {
        double ns = steps->all.base;
        for (size_t k = 0; k < steps->all.count; k++)
            ns += parts_of[i][k][choice[k]];
        // COST_MOST keeps one probe from deciding alone. Some probes are far from the fit: if
        // address bits choose the set, the stride of a probe may fill the sets unevenly.
        double off = fabs(probes[i].ns - ns) / (sigma * ns);
        cost += fmin(off * off, COST_MOST);
    }
    return cost;
}

// Sets `choice`, one kind per step, to the next combination; returns false after the last one.
// Leaves out caches whose sets the probes fill in another way than the curve's chain.
static bool next_choice(unsigned *choice, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (++choice[i] <= LINES)
            return true;
        choice[i] = 0;
    }
    return false;
}

static bool is_allowed(const struct staircase *all, const unsigned *choice)
{
    for (size_t i = 0; i < all->count; i++)
        if (seen_as(choice[i], all->steps[i].shape) == STEP_SHAPES)
            return false;
    return true;
}

// True if the probe has one node in each line, and several nodes in a page.
static bool is_sparse(const struct map_step_probe *probe)
{
    return probe->chain.stride > LINES_MAX_BYTES && probe->chain.stride < PAGE_MIN_BYTES;
}

// Returns the probes for the fit: one node in each line, over a region that the curve reaches.
static struct map_step_probe *fitted_probes(struct arena *arena, const struct map_steps *steps,
                                            size_t *count)
{
    struct map_step_probe *probes = ARENA_ARRAY(arena, steps->probe_count, struct map_step_probe);
    double most = exp2(steps->curve.octaves[steps->curve.count - 1]);
    *count = 0;
    for (size_t i = 0; i < steps->probe_count; i++)
        if (is_sparse(&steps->probes[i]) && steps->probes[i].chain.region <= most)
            probes[(*count)++] = steps->probes[i];
    return probes;
}

// Chooses the kinds of the steps (a TLB, or one of 12 kinds of cache) that explain the probes best.
static void choose_kinds(struct arena *arena, struct map_steps *steps,
                         const struct map_step_probe *probes, size_t count)
{
    unsigned choice[STAIRCASE_STEPS_MAX] = {0};
    parts *parts_of = ARENA_ARRAY(arena, count, parts);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < steps->all.count; k++)
            for (unsigned kind = 0; kind < STAIRCASE_KINDS; kind++)
                parts_of[i][k][kind] = part_of_step(steps, k, &probes[i], kind);
    double best = (double)INFINITY;
    do {
        double cost = is_allowed(&steps->all, choice)
                          ? cost_of(steps, probes, count, parts_of, choice)
                          : (double)INFINITY;
        for (size_t i = 0; i < steps->all.count && cost < best; i++)
            steps->all.steps[i].kind = choice[i];
        best = fmin(best, cost);
    } while (next_choice(choice, steps->all.count));
}

void map_steps_refine(struct arena *arena, struct map_steps *steps)
{
    size_t count;
    const struct map_step_probe *probes = fitted_probes(arena, steps, &count);
    choose_kinds(arena, steps, probes, count);
    double *x = ARENA_ARRAY(arena, count, double), *y = ARENA_ARRAY(arena, count, double);
    struct staircase_others others = {.noise = root_of_squares(probe_noise, steps->all.noise),
                                      .seen_as = seen_as,
                                      .x = x,
                                      .y = y,
                                      .count = count};
    for (size_t i = 0; i < count; i++) {
        x[i] = log2(probes[i].chain.region);
        y[i] = probes[i].ns;
    }
    for (unsigned kind = 0; kind < STAIRCASE_KINDS; kind++) {
        double *shift = ARENA_ARRAY(arena, count, double);
        for (size_t i = 0; kind > 0 && i < count; i++)
            shift[i] = log2(line_of(kind) / probes[i].chain.stride);
        others.shift[kind] = shift;
    }
    const struct plateaus_desc points = {
        .x = steps->curve.octaves, .y = steps->curve.ns, .count = steps->curve.count};
    if (count)
        staircase_refine(arena, steps->shapes, &points, &others, &steps->all);
}

void map_steps_judge_kinds(struct map_steps *steps)
{
    double misfit = steps->all.others_misfit;
    steps->explained = misfit < explained_misfit;
    for (size_t i = 0; i < steps->all.count; i++) {
        const struct staircase_step *step = &steps->all.steps[i];
        double least = step->kind ? COST_MOST : margin;
        steps->kinds[i] = misfit > kinds_misfit || step->lead < least ? STEP_UNKNOWN
                          : step->kind                                ? STEP_CACHE
                          : step->end > reach_min                     ? STEP_TRANSLATION
                                                                      : STEP_UNKNOWN;
    }
}

double map_steps_ns(const struct map_steps *steps, const struct result *result)
{
    return result_disturbed(result) ? NAN : clock_states_ns(&steps->clocks, &steps->all, result);
}

// Returns the time in ns by which other levels and address translation change a probe's latency of
// level k.
static double probe_changed_by_others(const struct map_steps *steps, size_t k,
                                      const struct map_step_probe *probe)
{
    double ns = 0;
    for (size_t i = 0; i < steps->all.count; i++) {
        const struct staircase_step *step = &steps->all.steps[i];
        double part = part_of_step(steps, i, probe, step->kind);
        bool before = k > 0 && i <= steps->step[k - 1] && steps->kinds[i] != STEP_TRANSLATION;
        ns += before ? step->rise - part : part;
    }
    return ns;
}

struct level_curve map_steps_single(struct arena *arena, const struct map_steps *steps, size_t k)
{
    struct level_curve points = level_curve_empty(arena, steps->probe_count);
    unsigned kind = steps->all.steps[steps->step[k]].kind;
    if (kind == 0 || line_of(kind) < LINES_MAX_BYTES)
        return points;
    for (size_t i = 0; i < steps->probe_count; i++) {
        const struct map_step_probe *probe = &steps->probes[i];
        if (probe->chain.stride >= LINES_MAX_BYTES && probe->chain.stride < PAGE_MIN_BYTES &&
            probe_changed_by_others(steps, k, probe) <
                MAP_STEPS_OTHERS * steps->curve.fit.levels[k].height)
            level_curve_insert(&points, probe->result, log2(probe->chain.region), probe->ns);
    }
    points.fit.levels[0].last = points.count - 1;
    return points;
}

size_t map_steps_find_probes(struct arena *arena, struct map_steps *steps, const struct run *run)
{
    size_t sparse = 0;
    steps->probes = ARENA_ARRAY(arena, run->result_count, struct map_step_probe);
    steps->probe_count = 0;
    for (size_t i = 0; i < run->result_count; i++) {
        const struct result *result = run->results[i];
        if (!result_is_of(result, "map", steps->curve.results[0]->device) ||
            !case_says(&result->bench_case, "what", MAP_PROBE) ||
            !isfinite(map_steps_ns(steps, result)))
            continue;
        struct map_step_probe *probe = &steps->probes[steps->probe_count++];
        *probe = (struct map_step_probe){result,
                                         {(double)case_uint(&result->bench_case, "bytes"),
                                          (double)case_uint(&result->bench_case, "pitch")},
                                         map_steps_ns(steps, result)};
        sparse += is_sparse(probe);
    }
    return sparse;
}
