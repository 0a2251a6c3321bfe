// SPDX-License-Identifier: MIT
// Chooses what the chart of a benchmark shows: its first view with numbers, the lines or bars of it
// that fit, and the sentence that says what came out.
#include "base/text.h"
#include "report/chart.h"
#include "report/tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    NUMBERS_MIN = 16, // a heat map over more numbers than this is drawn as lines
    SPARSE_POINTS = 4,
    SPARSE_STEP = 8 // few points with so much between each two are bars, not a line
};

// A number that the view shows.
struct point {
    const struct result *result;
    const struct metric *metric;
    const char *name; // what tells it from the others
};

struct source {
    struct arena *arena;
    const struct run *run;
    const struct run_device *device;
    const struct level_curve *curve; // NULL: none is known
    const struct benchmark_info *info;
    struct view_info view;
    struct view_grid grid;
    const struct param_info **keys; // the axes that vary
    size_t key_count;
    struct point *points;
    size_t count;
};

// ---------------------------------------------------------------- the view

static bool has_rows(const struct view_info *view)
{
    return view->kind == VIEW_CURVE || view->kind == VIEW_BARS || view->kind == VIEW_HEATMAP;
}

static void points_of(struct source *s)
{
    size_t count;
    const struct result **results =
        view_select(s->arena, s->run, s->device->id, &s->view, s->info, &count);
    s->keys = view_varying(s->arena, s->info, results, count, &s->key_count);
    s->points = ARENA_ARRAY(s->arena, count, struct point);
    s->count = 0;
    for (size_t i = 0; i < count; i++) {
        const struct metric *metric = view_metric(&s->grid, results[i]);
        if (metric && result_measured(results[i]))
            s->points[s->count++] = (struct point){
                .result = results[i],
                .metric = metric,
                .name = view_words(s->arena, &results[i]->bench_case, s->keys, s->key_count)};
    }
}

// Finds the benchmark's first view that has numbers: a chart before a table.
static bool find_view(struct source *s)
{
    for (int pass = 0; pass < 2; pass++)
        for (size_t v = 0; v < s->info->view_count; v++) {
            const struct view_info *view = &s->info->views[v];
            if (has_rows(view) != (pass == 0) || view->kind == VIEW_LINES ||
                !view_shown(s->arena, s->run, s->device->id, s->info, view, &s->view) ||
                !view_grid_build(s->arena, s->run, s->device->id, s->info, &s->view, &s->grid))
                continue;
            points_of(s);
            if (s->count > 0)
                return true;
        }
    return false;
}

// ---------------------------------------------------------------- what came out

// The name as words.
static const char *plain(struct arena *arena, const char *name)
{
    char *words = arena_strdup(arena, name);
    for (char *at = words; (at = strchr(at, '_')) != NULL;)
        *at = ' ';
    return words;
}

// Counts say what they count: "48 subgroups".
static const char *value_text(struct arena *arena, const struct metric *metric)
{
    const char *text = screen_short(arena, metric->median, metric_unit_shown(metric));
    if (metric->unit == UNIT_NONE)
        text = text_join(arena, arena_printf(arena, "%.3g", metric->median), " ",
                         text_ends(metric->name, "s") ? plain(arena, metric->name) : "");
    return metric->at_least ? arena_printf(arena, "≥ %s", text) : text;
}

static bool is_doubted(const struct point *point)
{
    return point->result->verdict != VERDICT_OK;
}

// The best points first; those that are not trusted last.
static int compare_points(const void *a, const void *b)
{
    const struct point *one = a, *other = b;
    if (is_doubted(one) != is_doubted(other))
        return is_doubted(one) - is_doubted(other);
    double difference = one->metric->median - other->metric->median;
    int order = (difference > 0) - (difference < 0);
    return one->metric->better == BETTER_LOWER ? order : -order;
}

static struct point *sorted_points(const struct source *s)
{
    struct point *sorted = ARENA_ARRAY(s->arena, s->count, struct point);
    memcpy(sorted, s->points, s->count * sizeof *sorted);
    qsort(sorted, s->count, sizeof *sorted, compare_points);
    return sorted;
}

// "L1 16.2 ns · near L2 142 ns · far L2 263 ns · DRAM 338 ns"; "" if the view does not draw the
// curve that shows the levels.
static const char *levels_text(const struct source *s)
{
    const struct level_curve *curve = s->curve;
    const char *text = "";
    if (!curve || levels_count(curve) < 2 || strcmp(curve->metric, s->grid.metric->name) != 0 ||
        strcmp(curve->results[0]->benchmark, s->info->name) != 0)
        return text;
    for (size_t k = 0; k < levels_count(curve); k++) {
        double ns = levels_height(s->arena, curve, k, curve->metric).median;
        text = text_join(s->arena, text, " · ",
                         arena_printf(s->arena, "%s %s", levels_name(s->arena, curve, k),
                                      screen_short(s->arena, ns, UNIT_NS)));
    }
    return text;
}

// "4.71 TB/s (dot; 98 % of its limit)".
static const char *point_text(const struct source *s, const struct point *point)
{
    double share = metric_share(point->metric, point->metric->median);
    const char *about = point->name;
    if (share <= 1)
        about = text_join(s->arena, about, "; ",
                          arena_printf(s->arena, "%.0f %% of its limit", 100 * share));
    const char *value = value_text(s->arena, point->metric);
    return *about ? arena_printf(s->arena, "%s (%s)", value, about) : value;
}

// The best and the worst of what is trusted.
static const char *range_text(const struct source *s)
{
    const struct point *sorted = sorted_points(s);
    size_t trusted = 0;
    while (trusted < s->count && !is_doubted(&sorted[trusted]))
        trusted++;
    const struct point *best = &sorted[0], *worst = &sorted[(trusted ? trusted : s->count) - 1];
    const char *text = point_text(s, best);
    if (worst->metric->median != best->metric->median)
        text = arena_printf(s->arena, "From %s to %s", text, point_text(s, worst));
    return trusted ? text : text_join(s->arena, text, "; ", "doubted");
}

// ---------------------------------------------------------------- lines

static double number_of(const struct case_value *value)
{
    return value->type == PARAM_REAL ? value->real : (double)value->uint;
}

// A line, as far as it has numbers.
struct candidate {
    const struct view_series *series;
    double *values;
    size_t count; // of numbers
    bool sparse;
};

static struct candidate candidate_of(const struct source *s, const struct view_series *series)
{
    struct candidate line = {.series = series,
                             .values = series_values(s->arena, &s->grid, series),
                             .sparse = s->view.scale && text_begins(s->view.scale, "log")};
    double last = NAN;
    for (size_t i = 0; i < s->grid.x_count; i++) {
        if (!isfinite(line.values[i]) || !result_measured(series->results[i]))
            line.values[i] = NAN;
        else {
            double x = number_of(&s->grid.xs[i]);
            line.sparse &= !(line.count > 0 && x < SPARSE_STEP * last);
            line.count++;
            last = x;
        }
    }
    line.sparse = line.count < 2 || (line.sparse && line.count <= SPARSE_POINTS);
    return line;
}

static int compare_candidates(const void *a, const void *b)
{
    const struct candidate *one = a, *other = b;
    return (one->count < other->count) - (one->count > other->count);
}

// All lines, those with most numbers first.
static struct candidate *candidates_of(const struct source *s, size_t *count)
{
    size_t most = 0;
    for (size_t p = 0; p < s->grid.panel_count; p++)
        most += s->grid.panels[p].series_count;
    struct candidate *lines = ARENA_ARRAY(s->arena, most, struct candidate);
    *count = 0;
    for (size_t p = 0; p < s->grid.panel_count; p++)
        for (size_t i = 0; i < s->grid.panels[p].series_count; i++)
            lines[(*count)++] = candidate_of(s, &s->grid.panels[p].series[i]);
    qsort(lines, *count, sizeof *lines, compare_candidates);
    return lines;
}

// Any result of the line: each line has one.
static const struct result *any_of(const struct candidate *line)
{
    size_t i = 0;
    while (!line->series->results[i])
        i++;
    return line->series->results[i];
}

// The words that tell the line from the others that are drawn.
static const char *label_of(const struct source *s, const struct candidate *lines, size_t count,
                            size_t at)
{
    const struct result **drawn = ARENA_ARRAY(s->arena, count, const struct result *);
    const struct param_info **keys;
    size_t key_count, used = 0;
    for (size_t i = 0; i < count; i++)
        drawn[i] = any_of(&lines[i]);
    keys = view_varying(s->arena, s->info, drawn, count, &key_count);
    for (size_t i = 0; i < key_count; i++)
        if (keys[i] != s->grid.x)
            keys[used++] = keys[i];
    return view_words(s->arena, &drawn[at]->bench_case, keys, used);
}

static struct chart_line line_of(const struct source *s, const struct candidate *line)
{
    bool *doubted = ARENA_ARRAY(s->arena, s->grid.x_count, bool);
    for (size_t i = 0; i < s->grid.x_count; i++)
        doubted[i] = line->series->results[i] && line->series->results[i]->verdict != VERDICT_OK;
    return (struct chart_line){.values = line->values, .doubted = doubted};
}

// True if the view may be drawn as lines: over numbers, in a map over many of them.
static bool is_curve(const struct source *s)
{
    return s->grid.x->type != PARAM_TEXT && s->grid.x_count > 1 &&
           (s->view.kind == VIEW_CURVE ||
            (s->view.kind == VIEW_HEATMAP && s->grid.x_count > NUMBERS_MIN));
}

// Takes the lines with most numbers, and says if there are more, and if some are not trusted.
static void take_lines(const struct source *s, struct chart *chart)
{
    size_t count, drawn = 0;
    struct candidate *lines = candidates_of(s, &count);
    bool doubted = false;
    for (size_t i = 0; i < count && drawn < CHART_LINES_MAX; i++)
        if (!lines[i].sparse && 6 * lines[i].count >= lines[0].count)
            lines[drawn++] = lines[i];
    for (size_t i = 0; i < drawn; i++) {
        chart->lines[i] = line_of(s, &lines[i]);
        chart->lines[i].label = label_of(s, lines, drawn, i);
        for (size_t k = 0; k < s->grid.x_count; k++)
            doubted |= chart->lines[i].doubted[k];
    }
    chart->line_count = drawn;
    if (drawn > 0 && drawn < count)
        chart->about = arena_printf(s->arena, "%s · %zu of %zu lines", chart->about, drawn, count);
    if (doubted)
        chart->about = text_join(s->arena, chart->about, " · ", "dots: not trusted");
}

static void add_lines(const struct source *s, struct chart *chart)
{
    const struct view_grid *grid = &s->grid;
    double *xs = ARENA_ARRAY(s->arena, grid->x_count, double);
    for (size_t i = 0; i < grid->x_count; i++)
        xs[i] = number_of(&grid->xs[i]);
    chart->xs = xs;
    chart->x_count = grid->x_count;
    chart->x_name = plain(s->arena, grid->x->key);
    chart->x_unit = grid->x->type == PARAM_BYTES ? UNIT_BYTE : grid->x->unit;
    chart->log_x = s->view.scale && text_begins(s->view.scale, "log");
    chart->log_y = view_log_y(&s->view);
    chart->lines = ARENA_ARRAY(s->arena, CHART_LINES_MAX, struct chart_line);
    take_lines(s, chart);
}

// ---------------------------------------------------------------- bars

static struct chart_bar bar_of(const struct source *s, const struct point *point)
{
    const char *text = value_text(s->arena, point->metric);
    return (struct chart_bar){.label = *point->name ? point->name : point->metric->name,
                              .text =
                                  is_doubted(point) ? arena_printf(s->arena, "(%s)", text) : text,
                              .value = point->metric->median,
                              .doubted = is_doubted(point)};
}

// All bars in the order of the run; if they are too many, the best, and the worst as the last.
static void add_bars(const struct source *s, struct chart *chart)
{
    bool all = s->count <= CHART_BARS_MAX;
    const struct point *points = all ? s->points : sorted_points(s);
    chart->bars = ARENA_ARRAY(s->arena, CHART_BARS_MAX, struct chart_bar);
    chart->bar_count = all ? s->count : CHART_BARS_MAX;
    for (size_t i = 0; i < chart->bar_count; i++)
        chart->bars[i] = bar_of(s, &points[i]);
    if (all)
        return;
    size_t worst = s->count - 1;
    while (worst >= CHART_BARS_MAX && is_doubted(&points[worst]))
        worst--;
    chart->bars[CHART_BARS_MAX - 1] = bar_of(s, &points[worst]);
    chart->about = arena_printf(s->arena, "%s · the %d best and the worst of %zu", chart->about,
                                CHART_BARS_MAX - 1, s->count);
}

// ---------------------------------------------------------------- charts

static const char *origin_text(const struct source *s)
{
    const char *text = s->device->name ? s->device->name : "";
    text = text_join(s->arena, text, " · ", s->device->id);
    if (s->device->driver)
        text = arena_printf(s->arena, "%s · driver %s", text, s->device->driver);
    if (s->run->tool_version)
        text = arena_printf(s->arena, "%s · fathom %s", text, s->run->tool_version);
    if (s->run->started)
        text = arena_printf(s->arena, "%s · %.10s", text, s->run->started);
    return text;
}

static struct chart chart_of(const struct source *s)
{
    bool mixed;
    const char *message = levels_text(s), *title = s->view.title;
    struct chart chart = {.title = *message ? message : range_text(s),
                          .about = title            ? title
                                   : s->info->title ? s->info->title
                                                    : s->info->name,
                          .origin = origin_text(s),
                          .metric = plain(s->arena, s->grid.metric->name),
                          .unit = grid_unit(&s->grid, &mixed)};
    if (is_curve(s))
        add_lines(s, &chart);
    if (chart.line_count == 0)
        add_bars(s, &chart);
    return chart;
}

const struct chart *charts_of(struct arena *arena, const struct run *run, const char *device,
                              const struct level_curve *curve, size_t *count)
{
    struct chart *charts = ARENA_ARRAY(arena, run->benchmark_count, struct chart);
    struct source source = {.arena = arena, .run = run, .curve = curve};
    for (size_t d = 0; d < run->device_count && !source.device; d++)
        source.device = strcmp(run->devices[d].id, device) == 0 ? &run->devices[d] : NULL;
    *count = 0;
    for (size_t b = 0; source.device && b < run->benchmark_count; b++) {
        source.info = run->benchmarks[b];
        if (find_view(&source))
            charts[(*count)++] = chart_of(&source);
    }
    return charts;
}
