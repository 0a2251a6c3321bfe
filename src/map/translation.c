// SPDX-License-Identifier: MIT
#include "map/translation.h"

#include "map/pages.h"
#include "results/units.h"

#include <math.h>

enum {
    UNIT_TEXT = 32
};

static const char path[] = "vector";

static void add_page(const struct map_finder *f, struct result *result,
                     const struct level_curve *curve, double reach)
{
    struct map_pages_probe probes[MAP_PAGES_PROBES];
    double ns[MAP_PAGES_PROBES];
    const char *why;
    size_t planned = map_pages_plan(reach, map_pages_most(f->device), probes, &why);
    size_t measured = 0;
    for (size_t i = 0; i < planned; i++) {
        ns[i] = map_probe_ns(f, MAP_PAGES, 1, probes[i].region, probes[i].page);
        measured += isfinite(ns[i]) ? 1 : 0;
    }
    uint64_t page = 0;
    if (planned)
        page = map_pages_judge(curve, curve->fit.levels[0].height, probes, ns, measured, &why);
    map_add_told(f, result, MAP_METRIC_PAGE, (double)page, why);
}

// Where level k ends. What follows is a level only where it is flat: else the end lies between the
// last flat point and the next one.
static struct level_height reach_of(const struct level_curve *curve, size_t k)
{
    const struct plateaus_step *step = &curve->fit.steps[k];
    if (k + 1 < curve->fit.flat)
        return (struct level_height){
            exp2(step->end), {exp2(step->end_low), exp2(step->end_high)}, curve->count};
    size_t last = curve->fit.levels[k].last;
    const double *octaves = &curve->octaves[last];
    return (struct level_height){
        exp2((octaves[0] + octaves[1]) / 2), {exp2(octaves[0]), exp2(octaves[1])}, curve->count};
}

static void add_level(const struct map_finder *f, const struct level_curve *curve, size_t k)
{
    struct result *result = map_add_result(f, MAP_TLB, path, k + 1);
    const struct level_height reach = reach_of(curve, k);
    map_add_heights(f, result, curve, k);
    map_add_metric(f, result, MAP_METRIC_SIZE, &reach);
    if (k == 0)
        add_page(f, result, curve, map_translation_end(curve));
}

static void flag_all(const struct map_finder *f, const struct level_curve *curve)
{
    struct result *result = map_add_result(f, MAP_TLB, path, 0);
    char from[UNIT_TEXT], to[UNIT_TEXT];
    unit_format(exp2(curve->octaves[0]), UNIT_BYTE, from, sizeof from);
    unit_format(exp2(curve->octaves[curve->count - 1]), UNIT_BYTE, to, sizeof to);
    if (curve->fit.flat == 0)
        result_flag(f->run->arena, result, VERDICT_SKIPPED, "unknown",
                    "the reach of the TLB is not told from chains over pages: %s",
                    curve->fit.reason);
    else
        result_flag(f->run->arena, result, VERDICT_SKIPPED, "unknown",
                    "the reach of the TLB is not told: chains over pages show no end between %s "
                    "and %s, every page hits or none does",
                    from, to);
}

void map_add_translation(const struct map_finder *f, const struct level_curve *curve)
{
    const struct plateaus *fit = &curve->fit;
    if (fit->flat == 0 || fit->count < 2) {
        flag_all(f, curve);
        return;
    }
    for (size_t k = 0; k < fit->flat && k + 1 < fit->count; k++)
        add_level(f, curve, k);
    if (fit->flat == fit->count)
        map_add_heights(f, map_add_result(f, MAP_TLB, path, 0), curve, fit->count - 1);
}
