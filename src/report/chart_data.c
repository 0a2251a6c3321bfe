// SPDX-License-Identifier: MIT
// Chooses what the chart of a benchmark shows: the view of the benchmark, as many lines or bars as
// fit, and the sentence in the title.
#include "base/text.h"
#include "math/stats.h"
#include "report/chart.h"
#include "report/tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    // a heat map with more than this many different x values is drawn as lines
    NUMBERS_MIN = 16,
    SPARSE_POINTS = 4,
    // Sparse lines are not drawn. If all lines are sparse, the chart has bars. A line is sparse if
    // it has one point. On a logarithmic x axis, a line is also sparse if it has at most
    // SPARSE_POINTS points, and each x is at least SPARSE_STEP times the x before it.
    SPARSE_STEP = 8
};

// One value that the chart can show: the median of the view's metric in one result.
struct point {
    const struct result *result;
    const struct metric *metric;
    double x;         // value on the x axis, if the chart has lines
    const char *line; // name of the line that the point belongs to; all lines have different names
    size_t place;     // index of the point's result in the list of the view's results
};

struct source {
    struct arena *arena;
    const struct run *run;
    const struct run_device *device;
    const struct level_curve *curve; // the device's longest latency curve; may be NULL or empty
    const struct benchmark_info *info;
    struct view_info view;
    const struct metric_info *metric; // the metric that the view draws
    const struct param_info *x;
    // the parameters of role AXIS that vary among the results of the view
    const struct param_info **keys;
    size_t key_count;
    struct point *points;
    size_t count;
};

// ---------------------------------------------------------------- choosing the view

static bool has_rows(const struct view_info *view)
{
    return view->kind == VIEW_CURVE || view->kind == VIEW_BARS || view->kind == VIEW_HEATMAP;
}

// Fills s->points with the results that have a median of s->metric; returns false if none has.
static bool find_points(struct source *s)
{
    size_t count;
    const struct result **results =
        view_select(s->arena, s->run, s->device->id, &s->view, s->info, &count);
    s->keys = view_varying(s->arena, s->info, results, count, &s->key_count);
    s->points = ARENA_ARRAY(s->arena, count, struct point);
    s->count = 0;
    for (size_t i = 0; i < count; i++) {
        const struct metric *metric = result_metric(results[i], s->metric->name);
        if (metric && isfinite(metric->median) && result_measured(results[i]))
            s->points[s->count++] =
                (struct point){.result = results[i], .metric = metric, .place = i};
    }
    return s->count > 0;
}

// Chooses the view to draw: the first curve, bars or heat map with an x parameter and numbers, else
// the first other such view, except VIEW_LINES. Returns false if there is none.
static bool find_view(struct source *s)
{
    for (int pass = 0; pass < 2; pass++)
        for (size_t v = 0; v < s->info->view_count; v++) {
            const struct view_info *view = &s->info->views[v];
            if (has_rows(view) != (pass == 0) || view->kind == VIEW_LINES ||
                !view_shown(s->arena, s->run, s->device->id, s->info, view, &s->view))
                continue;
            s->x = benchmark_param(s->info, view->x);
            s->metric = s->view.metric || !s->info->metric_count
                            ? benchmark_metric(s->info, s->view.metric)
                            : s->info->metrics;
            if (s->x && s->metric && find_points(s))
                return true;
        }
    return false;
}

// Returns the unit in which screens show the points; if it differs, the metric's unit in the file.
static enum unit unit_of(const struct source *s)
{
    enum unit unit = metric_unit_shown(s->points[0].metric);
    for (size_t i = 1; i < s->count; i++)
        if (metric_unit_shown(s->points[i].metric) != unit)
            return s->metric->unit;
    return unit;
}

// Returns the name of a point: the values of the parameters that vary among the view's results.
static const char *name_of(const struct source *s, const struct point *point)
{
    return view_words(s->arena, &point->result->bench_case, s->keys, s->key_count, "");
}

// ---------------------------------------------------------------- title of the chart

// Returns the name with blanks in place of underscores.
static const char *plain(struct arena *arena, const char *name)
{
    char *words = arena_strdup(arena, name);
    for (char *at = words; (at = strchr(at, '_')) != NULL;)
        *at = ' ';
    return words;
}

// Returns the median with its unit. For a unitless metric whose name ends with "s", the name is the
// unit: "48 subgroups".
static const char *value_text(struct arena *arena, const struct metric *metric)
{
    const char *text = screen_short(arena, metric->median, metric_unit_shown(metric));
    if (metric->unit == UNIT_NONE)
        text = text_join(arena, arena_printf(arena, "%.3g", metric->median), " ",
                         text_ends(metric->name, "s") ? plain(arena, metric->name) : "");
    return metric->at_least ? arena_printf(arena, "≥ %s", text) : text;
}

static bool is_flagged(const struct point *point)
{
    return point->result->verdict != VERDICT_OK;
}

// For qsort: the better value comes first, or the higher one if neither is better.
static int compare_points(const void *a, const void *b)
{
    const struct point *one = a, *other = b;
    double difference = one->metric->median - other->metric->median;
    int order = (difference > 0) - (difference < 0);
    if (order == 0)
        return (one->place > other->place) - (one->place < other->place);
    return one->metric->better == BETTER_LOWER ? order : -order;
}

// Returns the points, the best point first. If at least half are trusted, leaves out the points
// that are not.
static const struct point *sorted_points(const struct source *s, size_t *count)
{
    struct point *sorted = ARENA_ARRAY(s->arena, s->count, struct point);
    *count = 0;
    for (size_t i = 0; i < s->count; i++)
        if (!is_flagged(&s->points[i]))
            sorted[(*count)++] = s->points[i];
    if (2 * *count < s->count) {
        memcpy(sorted, s->points, s->count * sizeof *sorted);
        *count = s->count;
    }
    qsort(sorted, *count, sizeof *sorted, compare_points);
    return sorted;
}

// Returns a title with the levels of memory in the latency curve s->curve, such as "L1 16.2 ns · L2
// 142 ns · DRAM 338 ns"; "" if the view shows another curve, or if there are fewer than two levels.
// If most points are not trusted, "flagged" follows.
static const char *levels_text(const struct source *s)
{
    const struct level_curve *curve = s->curve;
    const char *text = "";
    size_t flagged = 0;
    if (!curve || levels_count(curve) < 2 || strcmp(curve->metric, s->metric->name) != 0 ||
        strcmp(curve->results[0]->benchmark, s->info->name) != 0)
        return text;
    for (size_t i = 0; i < curve->count; i++)
        flagged += curve->results[i]->verdict != VERDICT_OK;
    for (size_t k = 0; k < levels_count(curve); k++) {
        double ns = levels_height(s->arena, curve, k, curve->metric).median;
        text = text_join(s->arena, text, " · ",
                         arena_printf(s->arena, "%s %s", levels_name(s->arena, curve, k),
                                      screen_short(s->arena, ns, UNIT_NS)));
    }
    return 2 * flagged > curve->count ? text_join(s->arena, text, "; ", "flagged") : text;
}

// Returns the value of a point with its name and its share of the limit, if known: "4.71 TB/s (dot;
// 98 % of its limit)".
static const char *point_text(const struct source *s, const struct point *point)
{
    double share = metric_share(point->metric, point->metric->median);
    const char *about = name_of(s, point);
    if (share <= 1)
        about = text_join(s->arena, about, "; ",
                          arena_printf(s->arena, "%.0f %% of its limit", 100 * share));
    const char *value = value_text(s->arena, point->metric);
    return *about ? arena_printf(s->arena, "%s (%s)", value, about) : value;
}

// Returns a title with the best and the worst value of sorted_points. If one of these points is not
// trusted, "flagged" follows.
static const char *range_text(const struct source *s)
{
    size_t count;
    const struct point *sorted = sorted_points(s, &count);
    const struct point *best = &sorted[0], *worst = &sorted[count - 1];
    const char *text = point_text(s, best);
    bool flag = false;
    for (size_t i = 0; i < count; i++)
        flag |= is_flagged(&sorted[i]);
    if (worst->metric->median != best->metric->median)
        text = arena_printf(s->arena, "From %s to %s", text, point_text(s, worst));
    return flag ? text_join(s->arena, text, "; ", "flagged") : text;
}

// ---------------------------------------------------------------- choosing the lines

static bool is_log(const struct source *s)
{
    return s->view.scale && text_begins(s->view.scale, "log");
}

// Returns the view's x in the point's case; all cases of the view have this parameter.
static double number_of(const struct source *s, const struct point *point)
{
    const struct case_value *x = case_find(&point->result->bench_case, s->x->key);
    return x->type == PARAM_REAL ? x->real : (double)x->uint;
}

// A line that the chart may draw. Its points are neighbours in the sorted array of points.
struct candidate {
    const struct point *points;
    size_t count;
    bool sparse; // true: the line has one point, or few points that are far apart
};

static int compare_lines(const void *a, const void *b)
{
    const struct point *one = a, *other = b;
    int order = strcmp(one->line, other->line);
    if (order == 0)
        order = (one->x > other->x) - (one->x < other->x);
    return order ? order : (one->place > other->place) - (one->place < other->place);
}

// For qsort: the line with more points comes first, then the line that is first in the run.
static int compare_candidates(const void *a, const void *b)
{
    const struct candidate *one = a, *other = b;
    if (one->count != other->count)
        return one->count < other->count ? 1 : -1;
    return (one->points->place > other->points->place) -
           (one->points->place < other->points->place);
}

// Sets x and line of each point, then sorts the points by line, then by x.
static void sort_points(const struct source *s)
{
    const struct param_info **keys = ARENA_ARRAY(s->arena, s->key_count, const struct param_info *);
    size_t count = 0;
    for (size_t i = 0; i < s->key_count; i++)
        if (s->keys[i] != s->x)
            keys[count++] = s->keys[i];
    for (size_t i = 0; i < s->count; i++) {
        const struct bench_case *c = &s->points[i].result->bench_case;
        s->points[i].x = number_of(s, &s->points[i]);
        s->points[i].line = view_words(s->arena, c, keys, count, "");
    }
    qsort(s->points, s->count, sizeof *s->points, compare_lines);
}

static bool is_sparse(const struct source *s, const struct candidate *line)
{
    if (line->count < 2)
        return true;
    for (size_t i = 1; i < line->count; i++)
        if (line->points[i].x < SPARSE_STEP * line->points[i - 1].x)
            return false;
    return is_log(s) && line->count <= SPARSE_POINTS;
}

static struct candidate *candidates_of(const struct source *s, size_t *count)
{
    struct candidate *lines = ARENA_ARRAY(s->arena, s->count, struct candidate);
    *count = 0;
    sort_points(s);
    for (size_t i = 0; i < s->count; i++) {
        if (i == 0 || strcmp(s->points[i - 1].line, s->points[i].line) != 0)
            lines[(*count)++] = (struct candidate){.points = &s->points[i]};
        lines[*count - 1].count++;
    }
    for (size_t i = 0; i < *count; i++)
        lines[i].sparse = is_sparse(s, &lines[i]);
    qsort(lines, *count, sizeof *lines, compare_candidates);
    return lines;
}

// Returns the parameter values by which the line differs from the other drawn lines.
static const char *label_of(const struct source *s, const struct candidate *lines, size_t count,
                            size_t at)
{
    const struct result *drawn[CHART_LINES_MAX];
    size_t key_count, used = 0;
    for (size_t i = 0; i < count; i++)
        drawn[i] = lines[i].points->result;
    const struct param_info **keys = view_varying(s->arena, s->info, drawn, count, &key_count);
    for (size_t i = 0; i < key_count; i++)
        if (keys[i] != s->x)
            keys[used++] = keys[i];
    return view_words(s->arena, &drawn[at]->bench_case, keys, used, "");
}

// Sets chart->xs to all x at which a drawn line has a point, in ascending order.
static void set_numbers(const struct source *s, const struct candidate *lines, struct chart *chart)
{
    size_t most = 0, count = 0;
    for (size_t i = 0; i < chart->line_count; i++)
        most += lines[i].count;
    double *xs = ARENA_ARRAY(s->arena, most, double);
    for (size_t i = 0; i < chart->line_count; i++)
        for (size_t k = 0; k < lines[i].count; k++)
            xs[count++] = lines[i].points[k].x;
    stats_sort(xs, count);
    for (size_t i = 0; i < count; i++)
        if (chart->x_count == 0 || xs[i] > xs[chart->x_count - 1])
            xs[chart->x_count++] = xs[i];
    chart->xs = xs;
}

// Returns a line, without its label. Sets *flag to true if a value is not trusted.
static struct chart_line line_of(const struct source *s, const struct chart *chart,
                                 const struct candidate *line, bool *flag)
{
    double *values = ARENA_ARRAY(s->arena, chart->x_count, double);
    bool *flagged = ARENA_ARRAY(s->arena, chart->x_count, bool);
    for (size_t i = 0, k = 0; i < chart->x_count; i++) {
        values[i] = NAN;
        for (; k < line->count && line->points[k].x <= chart->xs[i]; k++) {
            values[i] = line->points[k].metric->median;
            flagged[i] = is_flagged(&line->points[k]);
            *flag |= flagged[i];
        }
    }
    return (struct chart_line){.values = values, .flagged = flagged};
}

// Adds the lines with the most points. Leaves out sparse lines, and lines with less than a sixth of
// the points of the longest one. The subtitle (chart->about) tells what is left out or not trusted.
static void add_lines(const struct source *s, struct chart *chart)
{
    size_t count, drawn = 0;
    struct candidate *lines = candidates_of(s, &count);
    bool flag = false;
    for (size_t i = 0; i < count && drawn < CHART_LINES_MAX; i++)
        if (!lines[i].sparse && 6 * lines[i].count >= lines[0].count)
            lines[drawn++] = lines[i];
    chart->line_count = drawn;
    chart->lines = ARENA_ARRAY(s->arena, drawn, struct chart_line);
    set_numbers(s, lines, chart);
    for (size_t i = 0; i < drawn; i++) {
        chart->lines[i] = line_of(s, chart, &lines[i], &flag);
        chart->lines[i].label = label_of(s, lines, drawn, i);
    }
    if (drawn > 0 && drawn < count)
        chart->about = arena_printf(s->arena, "%s · %zu of %zu lines", chart->about, drawn, count);
    if (flag)
        chart->about = text_join(s->arena, chart->about, " · ", "grey dots: not trusted");
}

// True if x is a number, and the view a curve or a heat map with more than NUMBERS_MIN values of x.
static bool is_curve(const struct source *s)
{
    if (s->x->type == PARAM_TEXT || !has_rows(&s->view) || s->view.kind == VIEW_BARS)
        return false;
    if (s->view.kind == VIEW_CURVE)
        return true;
    double *xs = ARENA_ARRAY(s->arena, s->count, double);
    size_t count = 1;
    for (size_t i = 0; i < s->count; i++)
        xs[i] = number_of(s, &s->points[i]);
    stats_sort(xs, s->count);
    for (size_t i = 1; i < s->count; i++)
        count += xs[i] > xs[i - 1];
    return count > NUMBERS_MIN;
}

// ---------------------------------------------------------------- choosing the bars

static struct chart_bar bar_of(const struct source *s, const struct point *point)
{
    const char *text = value_text(s->arena, point->metric), *name = name_of(s, point);
    return (struct chart_bar){.label = *name ? name : plain(s->arena, point->metric->name),
                              .text =
                                  is_flagged(point) ? arena_printf(s->arena, "(%s)", text) : text,
                              .value = point->metric->median,
                              .flagged = is_flagged(point)};
}

// Adds one bar for each point. If there are too many points, leaves out untrusted ones
// (sorted_points), then all but the best ones and the worst one.
static void add_bars(const struct source *s, struct chart *chart)
{
    size_t count = s->count;
    const struct point *points = s->points;
    if (count > CHART_BARS_MAX)
        points = sorted_points(s, &count);
    size_t drawn = count < CHART_BARS_MAX ? count : CHART_BARS_MAX;
    chart->bars = ARENA_ARRAY(s->arena, drawn, struct chart_bar);
    chart->bar_count = drawn;
    for (size_t i = 0; i < drawn; i++)
        chart->bars[i] = bar_of(s, &points[i + 1 < drawn ? i : count - 1]);
    if (drawn < count)
        chart->about = arena_printf(s->arena, "%s · the %zu best and the worst of %zu",
                                    chart->about, drawn - 1, count);
    else if (count < s->count)
        chart->about = text_join(s->arena, chart->about, " · ", "the trusted cases");
}

// ---------------------------------------------------------------- the whole chart

static const char *origin_text(const struct source *s)
{
    const char *date = arena_printf(s->arena, "%.10s", s->run->started ? s->run->started : "");
    const char *text = s->device->name ? s->device->name : "";
    text = screen_also(s->arena, text, "", s->device->id);
    text = screen_also(s->arena, text, "driver ", s->device->driver);
    text = screen_also(s->arena, text, "fathom ", s->run->tool_version);
    return screen_also(s->arena, text, "", date);
}

static struct chart chart_of(const struct source *s)
{
    const char *message = levels_text(s), *title = s->view.title;
    struct chart chart = {.title = *message ? message : range_text(s),
                          .about = title            ? title
                                   : s->info->title ? s->info->title
                                                    : s->info->name,
                          .origin = origin_text(s),
                          .metric = plain(s->arena, s->metric->name),
                          .unit = unit_of(s),
                          .x_name = plain(s->arena, s->x->key),
                          .x_unit = s->x->type == PARAM_BYTES ? UNIT_BYTE : s->x->unit,
                          .log_x = is_log(s),
                          .log_y = view_log_y(&s->view)};
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
    struct source source = {
        .arena = arena, .run = run, .curve = curve, .device = run_find_device(run, device)};
    *count = 0;
    for (size_t b = 0; source.device && b < run->benchmark_count; b++) {
        source.info = run->benchmarks[b];
        if (find_view(&source))
            charts[(*count)++] = chart_of(&source);
    }
    return charts;
}
