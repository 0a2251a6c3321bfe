// SPDX-License-Identifier: MIT
// Turns the levels that a run shows into findings.
#include "analysis/levels.h"

#include "base/text.h"
#include "math/stats.h"
#include "results/units.h"

#include <math.h>
#include <string.h>

// Two sizes count as equal if they differ by less than this number of octaves.
static const double same_octaves = 0.02;

// Returns the latency of level k as a text: "16.33 ns (32.3 cycles)".
static const char *height_text(struct arena *arena, const struct run *run,
                               const struct level_curve *curve, size_t k)
{
    const char *ns = unit_text(arena, curve->fit.levels[k].height, UNIT_NS);
    double cycles = levels_cycles(arena, run, curve, k);
    return isfinite(cycles) ? arena_printf(arena, "%s (%.4g cycles)", ns, cycles) : ns;
}

static double step_bytes(double octave)
{
    return round(exp2(octave));
}

static const char *step_text(struct arena *arena, double octave)
{
    return unit_text(arena, step_bytes(octave), UNIT_BYTE);
}

// Returns the size of level k as a text: "32 KiB (95 %: 31.9 KiB to 32.8 KiB)". The size by `map`
// is better: a chain with a stride longer than a cache line stays flat beyond the level's real
// size.
static const char *end_text(struct arena *arena, const struct level_curve *curve, size_t k,
                            const struct metric *mapped)
{
    const struct plateaus_step *step = &curve->fit.steps[k];
    const double found[] = {exp2(step->end), exp2(step->end_low), exp2(step->end_high)};
    const double size[] = {mapped ? mapped->median : found[0], mapped ? mapped->ci95[0] : found[1],
                           mapped ? mapped->ci95[1] : found[2]};
    const char *texts[3];
    for (int i = 0; i < 3; i++)
        texts[i] = unit_text(arena, round(size[i]), UNIT_BYTE);
    const char *text = arena_printf(arena, "%s (95 %%: %s to %s", texts[0], texts[1], texts[2]);
    if (fabs(log2(size[0] / found[0])) < same_octaves)
        return arena_printf(arena, "%s)", text);
    return arena_printf(arena, "%s; found with a chain over %s)", text,
                        unit_text(arena, round(found[0]), UNIT_BYTE));
}

// A step of the curve that is reported as the end of a level.
struct reported {
    size_t level; // number of the level, counted from 1
    size_t step;  // index of the step in the curve's fit
    // the level's size as the benchmark `map` found it; NULL if the run has no such result
    const struct metric *mapped;
};

// Returns the index of the step, from `first` on, whose end is nearest to `bytes`.
static size_t step_near(const struct level_curve *curve, size_t first, double bytes)
{
    size_t best = first;
    for (size_t k = first + 1; k + 1 < curve->fit.flat; k++)
        if (fabs(curve->fit.steps[k].end - log2(bytes)) <
            fabs(curve->fit.steps[best].end - log2(bytes)))
            best = k;
    return best;
}

// Stores the steps that are reported as ends of levels, and returns their number: for each cache
// size by `map` the nearest step, or without `map` all steps.
static size_t steps_reported(const struct run *run, const char *device,
                             const struct level_curve *curve, struct reported steps[PLATEAUS_MAX])
{
    const struct metric *sizes[PLATEAUS_MAX];
    size_t mapped = levels_mapped(run, device, sizes, PLATEAUS_MAX), count = 0;
    for (size_t k = 0; mapped == 0 && k + 1 < curve->fit.flat; k++)
        steps[count++] = (struct reported){.level = k + 1, .step = k};
    for (size_t k = 0, next = 0; k < mapped && next + 1 < curve->fit.flat; k++)
        if (sizes[k]) {
            steps[count].level = k + 1;
            steps[count].step = step_near(curve, next, sizes[k]->median);
            steps[count].mapped = sizes[k];
            next = steps[count++].step + 1;
        }
    return count;
}

// Adds a finding about steps[i]. The text also has the level after it, up to the next of `steps`.
static void report_step(struct run *run, struct arena *arena, const struct level_curve *curve,
                        const struct reported *steps, size_t count, size_t i)
{
    size_t k = steps[i].step, after = i + 1 < count ? steps[i + 1].step : k + 1;
    run_add_conclusion(
        run, "level", step_bytes(curve->fit.steps[k].end),
        curve->results[curve->fit.levels[k].last], curve->results[curve->fit.levels[after].first],
        "level %zu: %s up to %s, then %s", steps[i].level, height_text(arena, run, curve, k),
        end_text(arena, curve, k, steps[i].mapped), height_text(arena, run, curve, after));
}

// Returns all levels as a text: "15.2 ns up to 184 KiB, 139 ns up to 27.5 MiB, then 269 ns".
static const char *staircase_text(struct arena *arena, const struct run *run,
                                  const struct level_curve *curve)
{
    const char *text = "";
    size_t last = curve->fit.count - 1;
    for (size_t k = 0; k < last; k++)
        text = arena_printf(arena, "%s%s up to %s, ", text, height_text(arena, run, curve, k),
                            step_text(arena, curve->fit.steps[k].end));
    return arena_printf(arena, "%sthen %s", text, height_text(arena, run, curve, last));
}

static void report_other(struct run *run, struct arena *arena, const struct level_curve *curve)
{
    if (curve->fit.decided && curve->fit.count >= 2)
        run_add_conclusion(run, "path-levels", (double)(curve->fit.count - 1), curve->results[0],
                           NULL, "%s: %s", curve->label, staircase_text(arena, run, curve));
}

// Returns the largest size that is known as the end of a level, as " beyond 48 KiB"; "" if unknown.
static const char *beyond_text(struct arena *arena, const struct plateaus *fit)
{
    return fit->flat < 2
               ? ""
               : arena_printf(arena, " beyond %s", step_text(arena, fit->steps[fit->flat - 2].end));
}

static void report_main(struct run *run, struct arena *arena, const char *device,
                        const struct level_curve *curve)
{
    struct reported steps[PLATEAUS_MAX];
    size_t count = steps_reported(run, device, curve, steps);
    for (size_t i = 0; i < count; i++)
        report_step(run, arena, curve, steps, count, i);
    if (!curve->fit.decided)
        run_add_note(run, "levels-unknown", device,
                     arena_printf(run->arena, "%s: could not separate the cache levels%s: %s",
                                  device, beyond_text(arena, &curve->fit), curve->fit.reason));
}

// Returns true if the run has a finding of levels_add_findings for this device or for none.
static bool is_reported(const struct run *run, const char *device)
{
    for (size_t i = 0; i < run->finding_count; i++) {
        const struct finding *finding = &run->findings[i];
        bool about_levels = strcmp(finding->code, "level") == 0 ||
                            strcmp(finding->code, "levels-unknown") == 0 ||
                            strcmp(finding->code, "path-levels") == 0;
        if (about_levels && (!finding->device || strcmp(finding->device, device) == 0))
            return true;
    }
    return false;
}

static bool is_step(const struct finding *finding, const char *device)
{
    return strcmp(finding->code, "level") == 0 && isfinite(finding->value) &&
           (!finding->device || strcmp(finding->device, device) == 0);
}

// Names the device's findings "level" that have no name. (Earlier versions wrote no names.)
static void name_findings(struct run *run, const char *device)
{
    double *ends = ARENA_ARRAY(run->arena, run->finding_count, double);
    size_t count = 0, k;
    for (size_t i = 0; i < run->finding_count; i++)
        if (is_step(&run->findings[i], device))
            ends[count++] = run->findings[i].value;
    stats_sort(ends, count);
    for (size_t i = 0; i < run->finding_count; i++) {
        struct finding *finding = &run->findings[i];
        if (finding->name || !is_step(finding, device))
            continue;
        for (k = 0; ends[k] < finding->value;)
            k++;
        finding->name = levels_cache_name(run->arena, ends, count, k);
    }
}

static void report_levels(struct run *run, const char *device)
{
    struct arena *arena = arena_create();
    struct level_curves all = levels_of(arena, run, device);
    for (size_t k = 0; k < all.count; k++)
        if (k == all.longest && all.curves[k].count >= LEVELS_POINTS_MIN)
            report_main(run, arena, device, &all.curves[k]);
    for (size_t k = 0; k < all.count; k++)
        if (k != all.longest)
            report_other(run, arena, &all.curves[k]);
    arena_destroy(arena);
}

void levels_add_findings(struct run *run, const char *device)
{
    if (!is_reported(run, device))
        report_levels(run, device);
    name_findings(run, device);
}
