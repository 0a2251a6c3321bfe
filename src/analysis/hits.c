// SPDX-License-Identifier: MIT
#include "analysis/audit.h"

#include "analysis/levels.h"
#include "base/text.h"
#include "math/stats.h"
#include "results/units.h"

#include <math.h>
#include <string.h>

// A cache holds all data of a chain (of dependent loads) if at least this share of reads hit it.
static const double held_rate = 0.95;
// A chain misses all caches if less than this share of its reads hit the L2.
static const double missed_rate = 0.05;
static const double factor_max = 1.25;
static const double sum_bound = 0.01;

// ---------------------------------------------------------------- hit rates

// Returns true if hits and misses of the L1 add up to its reads, so that passes do not matter.
static bool adds_up(const struct result *result)
{
    const double *read = audit_counted(result, "l1_read"),
                 *hit = audit_counted(result, "l1_read_hit"),
                 *miss = audit_counted(result, "l1_read_miss");
    return read && hit && miss && fabs(*hit + *miss - *read) <= sum_bound * *read;
}

static bool is_one_pass(const struct result *result, unsigned level)
{
    const char *prefix = level == 1 ? "l1_read" : "l2_";
    for (size_t i = 0; i < result->counter_count; i++) {
        const struct counter *counter = &result->counters[i];
        // Old versions wrote no `passes`, so it is 0. They always counted the L1 in one pass. For
        // the L2 this is not sure.
        if (text_begins(counter->name, prefix) &&
            (counter->passes > 1 || (counter->passes == 0 && level != 1)))
            return false;
    }
    return true;
}

double hits_rate(const struct result *result, unsigned level)
{
    bool is_sure = is_one_pass(result, level) || (level == 1 && adds_up(result));
    return is_sure ? audit_hit_rate(result, level) : NAN;
}

// ---------------------------------------------------------------- sizes at which hits end

// Indices of two points of a latency curve; between them, the hits of a cache end. At `held`,
// almost all reads hit the cache. At `next`, the next point with a known hit rate, fewer reads do.
struct end {
    size_t held, next;
};

// Finds the two points between which the hits of cache `level` (1: L1, 2: L2) end. Returns false if
// no hit rate reaches held_rate, or if the last one does.
static bool find_end(const struct level_curve *curve, unsigned level, struct end *end)
{
    bool found = false;
    for (size_t i = 0; i < curve->count; i++) {
        double rate = hits_rate(curve->results[i], level);
        if (rate >= held_rate)
            *end = (struct end){.held = i};
        else if (found && isfinite(rate)) {
            end->next = i;
            return true;
        }
        found = found || rate >= held_rate;
    }
    return false;
}

// Returns the step of the latency curve at which cache `level` ends. For the L2 this is the step of
// "L2", or of "far L2" if the L2 has two halves. Returns NULL if the curve does not show the end.
static const struct plateaus_step *step_of(struct arena *arena, const struct level_curve *curve,
                                           unsigned level)
{
    const struct plateaus_step *step = NULL;
    const char *name = arena_printf(arena, "L%u", level);
    for (size_t k = 0; k + 1 < levels_count(curve); k++)
        if (text_ends(levels_name(arena, curve, k), name))
            step = &curve->fit.steps[k];
    return step;
}

// Returns the factor between the intervals of two sizes of a cache: the size where its hits end,
// and the size where the latency rises. Returns 1 if the intervals touch.
static double factor_of(const struct level_curve *curve, const struct end *end,
                        const struct plateaus_step *step)
{
    double below = curve->octaves[end->held] - step->end_high;
    double above = step->end_low - curve->octaves[end->next];
    return exp2(fmax(0, fmax(below, above)));
}

static const char *size_text(struct arena *arena, double octaves)
{
    return unit_text(arena, round(exp2(octaves)), UNIT_BYTE);
}

// Returns a text with the size at which cache `level` ends by latency. The text says whether the
// hits end there, too: `factor` is at most factor_max.
static const char *verdict_text(struct arena *arena, const struct plateaus_step *step,
                                unsigned level, double factor)
{
    if (!step)
        return arena_printf(arena, "the latency does not show where the L%u ends", level);
    const char *ends =
        arena_printf(arena, "by latency the L%u ends at %s", level, size_text(arena, step->end));
    return factor <= factor_max
               ? arena_printf(arena, "%s; both agree within a factor of %.3g", ends, factor_max)
               : arena_printf(arena, "%s; they differ by a factor of %.3g", ends, factor);
}

static void report_end(struct run *run, struct arena *arena, const struct level_curve *curve,
                       unsigned level)
{
    struct end end = {0};
    if (!find_end(curve, level, &end))
        return;
    const struct plateaus_step *step = step_of(arena, curve, level);
    double factor = step ? factor_of(curve, &end, step) : NAN;
    run_add_conclusion(run, "hits-end", factor, curve->results[end.held], curve->results[end.next],
                       "hits of the L%u end between %s and %s; %s", level,
                       size_text(arena, curve->octaves[end.held]),
                       size_text(arena, curve->octaves[end.next]),
                       verdict_text(arena, step, level, factor));
}

// Stores the counter `name` of the chains that miss all caches in `values`, and returns their
// number. Stores the first and the last of these chains in `range`.
static size_t find_missing(const struct level_curve *curve, const char *name, double *values,
                           struct end *range)
{
    size_t found = 0;
    for (size_t i = 0; i < curve->count; i++) {
        const struct result *result = curve->results[i];
        const double *counted = audit_counted(result, name);
        if (!counted || !(audit_hit_rate(result, 2) < missed_rate))
            continue;
        range->held = found ? range->held : i;
        range->next = i;
        values[found++] = *counted;
    }
    return found;
}

static void report_fetch(struct run *run, struct arena *arena, const struct level_curve *curve)
{
    struct end range = {0};
    double *memory = ARENA_ARRAY(arena, curve->count, double);
    double *cache = ARENA_ARRAY(arena, curve->count, double);
    size_t count = find_missing(curve, "dram_read", memory, &range);
    if (count == 0 || find_missing(curve, "l2_read", cache, &range) != count)
        return;
    double bytes = stats_median(memory, count);
    run_add_conclusion(
        run, "over-fetch", bytes, curve->results[range.held], curve->results[range.next],
        "a load that misses all caches reads %.3g B through the L2 and %.3g B of "
        "memory, however few it needs (median of %zu chains from %s on)",
        stats_median(cache, count), bytes, count, size_text(arena, curve->octaves[range.held]));
}

// Returns true if the device's results have hit rates, and the run has no finding about them yet.
static bool is_due(const struct run *run, const char *device)
{
    bool has_rates = false;
    for (size_t i = 0; i < run->finding_count; i++)
        if (run->findings[i].device && strcmp(run->findings[i].device, device) == 0 &&
            (strcmp(run->findings[i].code, "hits-end") == 0 ||
             strcmp(run->findings[i].code, "over-fetch") == 0))
            return false;
    for (size_t i = 0; i < run->result_count && !has_rates; i++)
        has_rates =
            strcmp(run->results[i]->device, device) == 0 &&
            (isfinite(hits_rate(run->results[i], 1)) || isfinite(hits_rate(run->results[i], 2)));
    return has_rates;
}

void hits_add_findings(struct run *run, const char *device)
{
    if (!is_due(run, device)) // is_due is checked first, because fitting a curve takes time
        return;
    struct arena *arena = arena_create();
    const struct level_curve curve = levels_longest(arena, run, device);
    for (unsigned level = 1; level <= HITS_LEVELS; level++)
        report_end(run, arena, &curve, level);
    report_fetch(run, arena, &curve);
    arena_destroy(arena);
}
