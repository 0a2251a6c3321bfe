// SPDX-License-Identifier: MIT
#include "analysis/levels.h"

#include "math/plateaus.h"
#include "results/units.h"

#include <math.h>
#include <string.h>

enum {
    POINTS_MIN = 8, // fewer show no staircase
    UNIT_TEXT = 32
};

// Cases that differ in one parameter only, ascending in it.
struct curve {
    const struct result **results;
    double *x, *y; // log2 of bytes; ns
    size_t count;
};

struct search {
    struct arena *arena; // scratch
    const struct run *run;
    const char *device;
    const struct benchmark_info *benchmark;
    const struct view_info *view;
};

// ---------------------------------------------------------------- the curve

static bool is_bytes(const struct benchmark_info *info, const char *key)
{
    for (size_t i = 0; key && i < info->param_count; i++)
        if (strcmp(info->params[i].key, key) == 0)
            return info->params[i].type == PARAM_BYTES;
    return false;
}

static bool is_time(const struct benchmark_info *info, const char *name)
{
    for (size_t i = 0; name && i < info->metric_count; i++)
        if (strcmp(info->metrics[i].name, name) == 0)
            return info->metrics[i].unit == UNIT_NS && info->metrics[i].better == BETTER_LOWER;
    return false;
}

// The time of an access is told in cycles as well; that of a transfer, say, is not.
static bool has_cycles(const struct benchmark_info *info)
{
    for (size_t i = 0; i < info->metric_count; i++)
        if (info->metrics[i].unit == UNIT_CYCLE)
            return true;
    return false;
}

static const struct view_info *time_by_bytes(const struct benchmark_info *info)
{
    for (size_t i = 0; has_cycles(info) && i < info->view_count; i++) {
        const struct view_info *view = &info->views[i];
        if (view->kind == VIEW_CURVE && is_bytes(info, view->x) && is_time(info, view->metric))
            return view;
    }
    return NULL;
}

// Measured by this search's device, and on its view?
static const struct metric *reading(const struct search *search, const struct result *result)
{
    if (strcmp(result->device, search->device) != 0 ||
        strcmp(result->benchmark, search->benchmark->name) != 0 ||
        result->verdict > VERDICT_SUSPECT || !case_find(&result->point, search->view->x))
        return NULL;
    const struct metric *metric = result_metric(result, search->view->metric);
    return metric && isfinite(metric->median) && metric->median > 0 ? metric : NULL;
}

// Equal in every value of the key but that of x?
static bool same_row(const struct search *search, const struct result *a, const struct result *b)
{
    if (a->point.value_count != b->point.value_count)
        return false;
    for (size_t i = 0; i < a->point.value_count; i++) {
        const struct case_value *one = &a->point.values[i], *other = &b->point.values[i];
        if (strcmp(one->key, other->key) != 0)
            return false;
        if (one->role != PARAM_AXIS || strcmp(one->key, search->view->x) == 0)
            continue;
        bool texts = one->text && other->text;
        if (one->uint != other->uint || one->real != other->real || // exact: the same setting
            (texts ? strcmp(one->text, other->text) != 0 : one->text != other->text))
            return false;
    }
    return true;
}

static void curve_insert(struct curve *curve, const struct result *result, double x, double y)
{
    size_t at = curve->count++;
    for (; at > 0 && curve->x[at - 1] > x; at--) {
        curve->results[at] = curve->results[at - 1];
        curve->x[at] = curve->x[at - 1];
        curve->y[at] = curve->y[at - 1];
    }
    curve->results[at] = result;
    curve->x[at] = x;
    curve->y[at] = y;
}

static struct curve curve_of(const struct search *search, const struct result *first)
{
    size_t most = search->run->result_count;
    struct curve curve = {.results = ARENA_ARRAY(search->arena, most, const struct result *),
                          .x = ARENA_ARRAY(search->arena, most, double),
                          .y = ARENA_ARRAY(search->arena, most, double)};
    for (size_t i = 0; i < most; i++) {
        const struct result *result = search->run->results[i];
        const struct metric *metric = reading(search, result);
        if (!metric || !same_row(search, first, result))
            continue;
        uint64_t bytes = case_uint(&result->point, search->view->x);
        if (bytes > 0)
            curve_insert(&curve, result, log2((double)bytes), metric->median);
    }
    return curve;
}

static bool is_counted(const struct search *search, size_t end, const struct result *result)
{
    for (size_t i = 0; i < end; i++)
        if (reading(search, search->run->results[i]) &&
            same_row(search, search->run->results[i], result))
            return true;
    return false;
}

static struct curve longest_curve(const struct search *search)
{
    struct curve best = {.count = 0};
    for (size_t i = 0; i < search->run->result_count; i++) {
        const struct result *result = search->run->results[i];
        if (!reading(search, result) || is_counted(search, i, result))
            continue;
        struct curve curve = curve_of(search, result);
        if (curve.count > best.count)
            best = curve;
    }
    return best;
}

// ---------------------------------------------------------------- findings

static void tell_step(struct run *run, const char *device, const struct curve *curve,
                      const struct plateaus *fit, size_t k)
{
    const struct plateau *below = &fit->levels[k], *above = &fit->levels[k + 1];
    char end[UNIT_TEXT], low[UNIT_TEXT], high[UNIT_TEXT];
    double bytes = round(exp2(fit->steps[k].end));
    unit_format(bytes, UNIT_BYTE, end, sizeof end);
    unit_format(below->height, UNIT_NS, low, sizeof low);
    unit_format(above->height, UNIT_NS, high, sizeof high);
    const char **keys = ARENA_ARRAY(run->arena, 2, const char *);
    keys[0] = curve->results[below->last]->key;
    keys[1] = curve->results[above->first]->key;
    *run_add_finding(run) = (struct finding){
        .code = "level",
        .text = arena_printf(run->arena, "%s: level %zu ends near %s: %s within it, %s beyond",
                             device, k + 1, end, low, high),
        .device = device,
        .value = bytes,
        .keys = keys,
        .key_count = 2,
    };
}

static bool has_levels(const struct run *run, const char *device)
{
    for (size_t i = 0; i < run->finding_count; i++) {
        const struct finding *finding = &run->findings[i];
        if (strcmp(finding->code, "level") == 0 &&
            (!finding->device || strcmp(finding->device, device) == 0))
            return true;
    }
    return false;
}

static void find_levels(struct run *run, struct search *search)
{
    struct curve curve = longest_curve(search);
    if (curve.count < POINTS_MIN)
        return;
    // As tests/levels has them: judged by 200 hierarchies whose truth is known.
    const struct plateaus_desc desc = {.x = curve.x,
                                       .y = curve.y,
                                       .count = curve.count,
                                       .ratio_min = 1.12,
                                       .ramp_max = 0.75,
                                       .length_min = 0.25,
                                       .noise_min = 0.002};
    struct plateaus fit;
    plateaus_fit(search->arena, &desc, &fit);
    for (size_t k = 0; fit.decided && k + 1 < fit.count; k++)
        tell_step(run, search->device, &curve, &fit, k);
}

void levels_add_findings(struct run *run)
{
    struct arena *arena = arena_create();
    struct search search = {.arena = arena, .run = run};
    for (size_t i = 0; i < run->benchmark_count && !search.view; i++) {
        search.benchmark = run->benchmarks[i];
        search.view = time_by_bytes(search.benchmark);
    }
    for (size_t i = 0; search.view && i < run->device_count; i++) {
        search.device = run->devices[i].id;
        if (!has_levels(run, search.device))
            find_levels(run, &search);
    }
    arena_destroy(arena);
}
