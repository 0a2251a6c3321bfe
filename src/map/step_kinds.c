// SPDX-License-Identifier: MIT
// Which steps of the curve are caches and which are translation: the curve and the probes are
// fitted together.
#include "map/steps.h"

#include "bench/map.h"
#include "map/lines.h"
#include "math/stats.h"

#include <math.h>

enum {
    PAGE_MIN_BYTES = 4096,
    COST_MOST = 36 // most that one probe adds to the cost
};

static const double reach_min = 15.9; // octaves: a TLB reaches at least 16 pages of 4 KiB
static const double margin = 9;       // 2 ln 90, as in map/lines.c
// With a larger misfit of the probes, levels have to be flat; with a still larger one, no step has
// a kind.
static const double explained_misfit = 4.5, kinds_misfit = 10;
static const double probe_noise = 0.04; // relative; includes what the shapes leave unexplained

// The kinds of steps: 0 is translation. Then caches with four lines, each with sets that the probes
// fill as the curve does, and as a hash does with 6 and with 16 ways: a hash of aligned blocks
// fills sets evenly for the curve only.
enum {
    LINES = 4
};
static const double kind_line[LINES] = {32, 64, MAP_NODE_BYTES, LINES_MAX_BYTES};
static const unsigned kind_ways[] = {0, 6, 16};

// Returns the line of a cache of the kind. A probe of n nodes takes as long as the curve at a
// region of n × line bytes. If address bits choose the set, this is the cache's line. If a hash
// does, it is 128 for lines of up to 128 bytes, because the curve's nodes, 128 bytes apart, use one
// line each.
static double line_of(unsigned kind)
{
    return kind_line[(kind - 1) % LINES];
}

// Returns the shape in which probes see a step. Many nodes of the curve share a page, and two share
// a line of 256 bytes; of the probes there is one in each line.
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

// Returns what step `i` adds to the latency of a probe if it is of the kind, in ns.
static double part_of_step(const struct map_steps *steps, size_t i,
                           const struct map_step_probe *probe, unsigned kind)
{
    const struct staircase_step *step = &steps->all.steps[i];
    unsigned shape = seen_as(kind, step->shape);
    double shift = kind ? log2(line_of(kind) / probe->stride) : 0;
    if (shape == STEP_SHAPES)
        return NAN;
    return step->rise *
           step_shapes_share(steps->shapes, shape, log2(probe->bytes) + shift - step->end);
}

// parts[step][kind]: what part_of_step returns for one probe.
typedef double parts[STAIRCASE_STEPS_MAX][STAIRCASE_KINDS];

static double cost_of(const struct map_steps *steps, const struct map_step_probe *probes,
                      size_t count, parts *parts_of, const unsigned *choice)
{
    double cost = 0, most = exp2(steps->curve.octaves[steps->curve.count - 1]);
    double sigma = root_of_squares(probe_noise, steps->all.noise);
    for (size_t i = 0; i < count; i++) {
        double ns = steps->all.base;
        if (probes[i].bytes > most)
            continue;
        for (size_t k = 0; k < steps->all.count; k++)
            ns += parts_of[i][k][choice[k]];
        // The bound keeps one probe from deciding alone: sets without a hash fill unevenly at these
        // strides.
        double off = fabs(probes[i].ns - ns) / (sigma * ns);
        cost += fmin(off * off, COST_MOST);
    }
    return cost;
}

// Moves to the next combination of translation and caches with evenly filled sets. Returns false
// after the last one.
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

// Gives the steps of the curve the kinds that explain the probes best.
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

void map_steps_refine(struct arena *arena, struct map_steps *steps,
                      const struct map_step_probe *probes, size_t count)
{
    choose_kinds(arena, steps, probes, count);
    struct staircase_others others = {.noise = root_of_squares(probe_noise, steps->all.noise),
                                      .seen_as = seen_as};
    double *x = ARENA_ARRAY(arena, count, double), *y = ARENA_ARRAY(arena, count, double);
    double most = exp2(steps->curve.octaves[steps->curve.count - 1]);
    double *shift[STAIRCASE_KINDS];
    for (unsigned kind = 0; kind < STAIRCASE_KINDS; kind++)
        others.shift[kind] = shift[kind] = ARENA_ARRAY(arena, count, double);
    for (size_t i = 0; i < count; i++) {
        if (probes[i].bytes > most)
            continue;
        x[others.count] = log2(probes[i].bytes);
        y[others.count] = probes[i].ns;
        for (unsigned kind = 1; kind < STAIRCASE_KINDS; kind++)
            shift[kind][others.count] = log2(line_of(kind) / probes[i].stride);
        others.count++;
    }
    others.x = x;
    others.y = y;
    const struct plateaus_desc points = {
        .x = steps->curve.octaves, .y = steps->curve.ns, .count = steps->curve.count};
    if (others.count)
        staircase_refine(arena, steps->shapes, &points, &others, &steps->all);
    steps->all.points = steps->curve.count + count;
}

void map_steps_judge_kinds(struct map_steps *steps)
{
    double misfit = steps->all.others_misfit;
    steps->explained = misfit < explained_misfit;
    for (size_t i = 0; i < steps->all.count; i++) {
        const struct staircase_step *step = &steps->all.steps[i];
        steps->kinds[i] = misfit > kinds_misfit || step->lead < margin ? STEP_UNKNOWN
                          : step->kind                                 ? STEP_CACHE
                          : step->end > reach_min                      ? STEP_TRANSLATION
                                                                       : STEP_UNKNOWN;
    }
}

double map_steps_ns(const struct map_steps *steps, const struct result *result)
{
    return clock_states_ns(&steps->clocks, &steps->all, result);
}

bool map_steps_is_probe(const struct map_steps *steps, const struct result *result)
{
    return result_is_of(result, "map", steps->curve.results[0]->device) &&
           case_says(&result->bench_case, "what", MAP_PROBE) &&
           isfinite(map_steps_ns(steps, result));
}

size_t map_steps_probes(struct arena *arena, const struct map_steps *steps, const struct run *run,
                        struct map_step_probe **probes)
{
    size_t count = 0;
    *probes = ARENA_ARRAY(arena, run->result_count, struct map_step_probe);
    for (size_t i = 0; i < run->result_count; i++) {
        const struct result *result = run->results[i];
        if (!map_steps_is_probe(steps, result))
            continue;
        double stride = (double)case_uint(&result->bench_case, "pitch");
        if (stride > LINES_MAX_BYTES && stride < PAGE_MIN_BYTES)
            (*probes)[count++] =
                (struct map_step_probe){(double)case_uint(&result->bench_case, "bytes"), stride,
                                        map_steps_ns(steps, result)};
    }
    return count;
}
