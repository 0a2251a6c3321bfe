// SPDX-License-Identifier: MIT
#include "base/text.h"
#include "report/tables.h"
#include "results/names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *view_value_text(struct arena *arena, const struct case_value *value,
                            const struct param_info *param)
{
    enum unit unit = param ? param->unit : UNIT_NONE;
    if (value->type == PARAM_BYTES)
        return unit_text(arena, (double)value->uint, UNIT_BYTE);
    if (value->type == PARAM_TEXT || unit == UNIT_NONE)
        return case_value_shown(arena, value);
    double number = value->type == PARAM_REAL ? value->real : (double)value->uint;
    return unit_text(arena, number, unit);
}

bool view_log_y(const struct view_info *view)
{
    const char *dash = view->scale ? strchr(view->scale, '-') : NULL;
    const char *scale = dash ? dash + 1 : view->scale;
    return scale && text_begins(scale, "log");
}

const struct result **view_select(struct arena *arena, const struct run *run, const char *device,
                                  const struct view_info *view, const struct benchmark_info *info,
                                  size_t *count)
{
    const struct result **chosen = ARENA_ARRAY(arena, run->result_count, const struct result *);
    *count = 0;
    for (size_t i = 0; i < run->result_count; i++) {
        const struct result *result = run->results[i];
        if (strcmp(result->benchmark, info->name) == 0 && strcmp(result->device, device) == 0 &&
            (!view->x || case_find(&result->bench_case, view->x)) &&
            case_matches(&result->bench_case, view->where))
            chosen[(*count)++] = result;
    }
    return chosen;
}

static bool same_value(const struct case_value *a, const struct case_value *b)
{
    return a && b && a->type == b->type ? case_value_equal(a, b) : a == b;
}

static bool varies(const char *key, const struct result *const *results, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (!same_value(case_find(&results[0]->bench_case, key),
                        case_find(&results[i]->bench_case, key)))
            return true;
    return false;
}

const struct param_info **view_varying(struct arena *arena, const struct benchmark_info *info,
                                       const struct result *const *results, size_t count,
                                       size_t *varying_count)
{
    const struct param_info **varying =
        ARENA_ARRAY(arena, info->param_count, const struct param_info *);
    *varying_count = 0;
    for (size_t i = 0; i < info->param_count; i++)
        if (info->params[i].role == PARAM_AXIS && varies(info->params[i].key, results, count))
            varying[(*varying_count)++] = &info->params[i];
    return varying;
}

const char *view_words(struct arena *arena, const struct bench_case *c,
                       const struct param_info *const *keys, size_t count, const char *absent)
{
    const char *words = "";
    for (size_t i = 0; i < count; i++) {
        // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): `keys` has `count` entries
        const struct case_value *value = case_find(c, keys[i]->key);
        const char *text = value ? view_value_text(arena, value, keys[i]) : absent;
        // A bare number would not show its parameter, so it becomes "width=16" (but not a size).
        if (value && value->type != PARAM_TEXT && value->type != PARAM_BYTES)
            text = arena_printf(arena, "%s=%s", keys[i]->key, text);
        words = text_join(arena, words, " ", text);
    }
    return words;
}

const char *view_case(struct arena *arena, const struct benchmark_info *info,
                      const struct bench_case *c)
{
    const struct param_info **axes =
        ARENA_ARRAY(arena, info->param_count, const struct param_info *);
    size_t count = 0;
    for (size_t i = 0; i < info->param_count; i++)
        if (info->params[i].role == PARAM_AXIS)
            axes[count++] = &info->params[i];
    return text_join(arena, info->name, " ", view_words(arena, c, axes, count, ""));
}

const char *view_common(struct arena *arena, const struct benchmark_info *info,
                        const struct view_info *view, const struct result *const *results,
                        size_t count)
{
    const char *common = "";
    for (size_t i = 0; i < info->param_count; i++) {
        const struct param_info *param = &info->params[i];
        const struct case_value *value = case_find(&results[0]->bench_case, param->key);
        bool drawn = view && (param == benchmark_param(info, view->x) ||
                              param == benchmark_param(info, view->y));
        if (param->role == PARAM_AXIS && value && !drawn && !varies(param->key, results, count))
            common = text_join(
                arena, common, ", ",
                arena_printf(arena, "%s=%s", param->key, view_value_text(arena, value, param)));
    }
    return common;
}

static int value_compare(const void *left, const void *right)
{
    const struct case_value *a = left, *b = right;
    double x = a->type == PARAM_REAL ? a->real : (double)a->uint;
    double y = b->type == PARAM_REAL ? b->real : (double)b->uint;
    return (x > y) - (x < y);
}

static size_t value_index(const struct case_value *values, size_t count,
                          const struct case_value *value)
{
    for (size_t i = 0; i < count; i++)
        if (same_value(&values[i], value))
            return i;
    return count;
}

// Returns the different values of a parameter: numbers ascending, texts by their appearance.
static struct case_value *values_of(struct arena *arena, const char *key,
                                    const struct result *const *results, size_t count,
                                    size_t *value_count)
{
    struct case_value *values = ARENA_ARRAY(arena, count, struct case_value);
    *value_count = 0;
    for (size_t i = 0; i < count; i++) {
        const struct case_value *value = case_find(&results[i]->bench_case, key);
        if (value && value_index(values, *value_count, value) == *value_count)
            values[(*value_count)++] = *value;
    }
    if (*value_count && values[0].type != PARAM_TEXT)
        qsort(values, *value_count, sizeof *values, value_compare);
    return values;
}

static struct view_panel *panel_get(struct view_grid *grid, const char *label)
{
    for (size_t i = 0; i < grid->panel_count; i++)
        if (strcmp(grid->panels[i].label, label) == 0)
            return &grid->panels[i];
    grid->panels[grid->panel_count].label = label;
    return &grid->panels[grid->panel_count++];
}

static struct view_series *series_get(struct arena *arena, const struct view_grid *grid,
                                      struct view_panel *panel, const char *label)
{
    for (size_t i = 0; i < panel->series_count; i++)
        if (strcmp(panel->series[i].label, label) == 0)
            return &panel->series[i];
    // Copying the array each time is cheap enough, because panels have few series.
    struct view_series *series = ARENA_ARRAY(arena, panel->series_count + 1, struct view_series);
    if (panel->series_count)
        memcpy(series, panel->series, panel->series_count * sizeof *series);
    panel->series = series;
    series[panel->series_count] = (struct view_series){
        .label = label, .results = ARENA_ARRAY(arena, grid->x_count, const struct result *)};
    return &series[panel->series_count++];
}

// Returns the parameters by which series (in a heat map: panels) differ: all that vary except x and
// y.
static const struct param_info **group_of(struct arena *arena, const struct view_grid *grid,
                                          const struct result *const *results, size_t count,
                                          size_t *group_count)
{
    const struct benchmark_info *info = grid->info;
    const struct param_info **group =
        ARENA_ARRAY(arena, info->param_count, const struct param_info *);
    *group_count = 0;
    for (size_t i = 0; i < info->param_count; i++) {
        const struct param_info *param = &info->params[i];
        bool named = param->role == PARAM_AXIS || text_list_has(grid->view->group, param->key);
        if (param != grid->x && param != grid->y && named && varies(param->key, results, count))
            group[(*group_count)++] = param;
    }
    return group;
}

// True if any result has a finite median of this metric (or of any if `metric` is NULL).
static bool any_number(const struct result *const *results, size_t count, const char *metric)
{
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < results[i]->metric_count; j++)
            if (isfinite(results[i]->metrics[j].median) &&
                (!metric || strcmp(results[i]->metrics[j].name, metric) == 0))
                return true;
    return false;
}

// True if the benchmark has a view of the same kind and the same cases that draws this metric.
static bool has_view_of(const struct benchmark_info *info, const struct view_info *view,
                        const char *metric)
{
    for (size_t i = 0; i < info->view_count; i++) {
        const struct view_info *other = &info->views[i];
        if (other->kind == view->kind && text_same(other->metric, metric) &&
            text_same(other->where, view->where))
            return true;
    }
    return false;
}

// Returns the view. If no result has cycles, and no other view draws the times, the view has times
// instead of cycles.
static struct view_info view_in_time(const struct benchmark_info *info,
                                     const struct view_info *view,
                                     const struct result *const *results, size_t count)
{
    const struct metric_info *cycles = view->metric ? benchmark_metric(info, view->metric) : NULL;
    struct view_info in_time = *view;
    if (cycles && cycles->unit == UNIT_CYCLE && !any_number(results, count, view->metric) &&
        benchmark_metric(info, cycles->cycles_of) && !has_view_of(info, view, cycles->cycles_of))
        in_time.metric = cycles->cycles_of;
    return in_time;
}

bool view_shown(struct arena *arena, const struct run *run, const char *device,
                const struct benchmark_info *info, const struct view_info *declared,
                struct view_info *shown)
{
    size_t count;
    const struct result **results = view_select(arena, run, device, declared, info, &count);
    *shown = view_in_time(info, declared, results, count);
    return any_number(results, count, shown->metric);
}

// Sets grid->unit and grid->mixed.
static void find_unit(struct view_grid *grid)
{
    bool seen[UNIT_SHOWN_COUNT] = {false};
    enum unit own = grid->metric->unit, shown = own;
    for (size_t i = 0; i < grid->panel_count; i++)
        for (size_t j = 0; j < grid->panels[i].series_count; j++)
            for (size_t k = 0; k < grid->x_count; k++) {
                const struct metric *metric =
                    view_metric(grid, grid->panels[i].series[j].results[k]);
                if (metric)
                    seen[shown = metric_unit_shown(metric)] = true;
            }
    grid->mixed = seen[own] && seen[UNIT_FLOP_PER_S];
    grid->unit = grid->mixed ? own : shown;
}

bool view_grid_build(struct arena *arena, const struct run *run, const char *device,
                     const struct benchmark_info *info, const struct view_info *view,
                     struct view_grid *grid)
{
    *grid = (struct view_grid){.info = info,
                               .view = view,
                               .metric = view->metric || !info->metric_count
                                             ? benchmark_metric(info, view->metric)
                                             : info->metrics,
                               .x = benchmark_param(info, view->x),
                               .y = benchmark_param(info, view->y)};
    size_t count, group_count;
    const struct result **results = view_select(arena, run, device, view, info, &count);
    if (!count || !grid->metric || !grid->x)
        return false;
    const struct param_info **group = group_of(arena, grid, results, count, &group_count);
    grid->xs = values_of(arena, grid->x->key, results, count, &grid->x_count);
    grid->panels = ARENA_ARRAY(arena, count, struct view_panel);
    grid->common = view_common(arena, info, view, results, count);
    // A column needs a head. The label of a bar also has the value of x, and needs nothing else.
    const char *absent = view->kind == VIEW_BARS ? "" : "–";
    for (size_t i = 0; i < count; i++) {
        const struct bench_case *c = &results[i]->bench_case;
        const char *label = view_words(arena, c, group, group_count, absent);
        const struct param_info *rows[] = {grid->y};
        struct view_panel *panel = panel_get(grid, grid->y ? label : "");
        struct view_series *series =
            series_get(arena, grid, panel, grid->y ? view_words(arena, c, rows, 1, "–") : label);
        const struct case_value *x = case_find(c, grid->x->key);
        series->results[value_index(grid->xs, grid->x_count, x)] = results[i];
    }
    find_unit(grid);
    return true;
}

const struct metric *view_metric(const struct view_grid *grid, const struct result *result)
{
    const struct metric *metric = result ? result_metric(result, grid->metric->name) : NULL;
    return metric && isfinite(metric->median) ? metric : NULL;
}
