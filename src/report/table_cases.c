// SPDX-License-Identifier: MIT
// Prints tables with one row per case. Their columns are the parameters that vary, then metrics and
// sensors, or hardware counters.
#include "analysis/audit.h"
#include "report/tables.h"

#include <math.h>
#include <string.h>

enum {
    ROWS_MAX = 256,
    TEXT_COLUMNS = 36,
    // If a table is too wide, texts are cut to fewer columns, in these steps, down to this minimum.
    TEXT_COLUMNS_MIN = 6,
    TEXT_STEP = 5,
    NUMBER_COLUMNS = 16, // room for a column of numbers with intervals
    GAP = 2
};

struct cases {
    struct screen *screen;
    const struct notes *notes; // NULL if no column has metrics
    const struct benchmark_info *info;
    const struct result *const *results;
    size_t count;
};

// Returns the column of a parameter, whose texts are cut to `most` columns.
static struct column axis_column_of(const struct cases *cases, const struct param_info *axis,
                                    size_t most)
{
    struct arena *arena = cases->screen->arena;
    struct column column = {.name = axis->key,
                            .unit = "",
                            .cells = ARENA_ARRAY(arena, cases->count, struct cell),
                            .gap = GAP,
                            .words = axis->type == PARAM_TEXT};
    for (size_t i = 0; i < cases->count; i++) {
        const struct case_value *value = case_find(&cases->results[i]->bench_case, axis->key);
        const char *text = value ? view_value_text(arena, value, axis) : "";
        column.cells[i] =
            (struct cell){.number = screen_quote(arena, text, most), .margin = "", .mark = ""};
        cell_measure(&column.widths, &column.cells[i]);
    }
    column.columns = cell_columns(&column.widths, column.name);
    return column;
}

// Fills `column` with one value per case; metrics[i], unless `metrics` is NULL, has the median
// values[i]. Without `margins`, cells have no intervals and notes. Returns false if no value is
// finite.
static bool column_of(const struct cases *cases, const char *name, enum unit unit,
                      const double *values, const struct metric *const *metrics, bool margins,
                      struct column *column)
{
    struct arena *arena = cases->screen->arena;
    struct screen_scale scale = screen_scale_of(values, cases->count, unit);
    bool any = false;
    *column = (struct column){.name = screen_quote(arena, name, TEXT_COLUMNS),
                              .unit = scale.unit,
                              .cells = ARENA_ARRAY(arena, cases->count, struct cell),
                              .gap = GAP};
    for (size_t i = 0; i < cases->count; i++) {
        struct cell *cell = &column->cells[i];
        *cell = metrics ? cell_of(cases->notes, cases->results[i], metrics[i], &scale)
                        : (struct cell){.number = screen_number(arena, values[i], &scale)};
        if (!margins)
            cell->margin = cell->mark = "";
        cell_measure(&column->widths, cell);
        any = any || isfinite(values[i]);
    }
    cell_columns(&column->widths, column->name);
    column->columns = cell_columns(&column->widths, column->unit);
    return any;
}

static bool metric_column_of(const struct cases *cases, const struct metric_info *info,
                             bool margins, struct column *column)
{
    struct arena *arena = cases->screen->arena;
    double *values = ARENA_ARRAY(arena, cases->count, double);
    const struct metric **metrics = ARENA_ARRAY(arena, cases->count, const struct metric *);
    bool floating = true;
    for (size_t i = 0; i < cases->count; i++) {
        metrics[i] = result_metric(cases->results[i], info->name);
        values[i] = metrics[i] ? metrics[i]->median : NAN;
        floating = floating && (!metrics[i] || metrics[i]->floating);
    }
    enum unit unit = floating && info->unit == UNIT_OP_PER_S ? UNIT_FLOP_PER_S : info->unit;
    return column_of(cases, info->name, unit, values, metrics, margins, column);
}

static bool sensor_column_of(const struct cases *cases, const char *name, struct column *column)
{
    double *values = ARENA_ARRAY(cases->screen->arena, cases->count, double);
    enum unit unit = UNIT_NONE;
    for (size_t i = 0; i < cases->count; i++) {
        const struct named_number *sensor = result_sensor(cases->results[i], name);
        values[i] = sensor ? sensor->value : NAN;
        unit = sensor ? sensor->unit : unit;
    }
    return column_of(cases, name, unit, values, NULL, false, column);
}

// The columns of a table: one for each parameter that varies, then the other columns.
struct choice {
    struct column *columns;
    size_t capacity;
    // Number of columns of parameters (`axes`), of other columns (`count`), and of those that do
    // not fit (`left`).
    size_t axes, count, left;
    size_t used; // width of all columns chosen so far, in columns of the screen
};

// Chooses the columns of all parameters that vary. If they leave no room for a column of numbers,
// the longest texts are cut.
static struct choice choice_begin(const struct cases *cases)
{
    struct arena *arena = cases->screen->arena;
    struct choice choice = {.used = 0};
    const struct param_info **axes =
        view_varying(arena, cases->info, cases->results, cases->count, &choice.axes);
    choice.columns = ARENA_ARRAY(arena, choice.axes, struct column);
    choice.capacity = choice.axes;
    for (size_t most = TEXT_COLUMNS; most >= TEXT_COLUMNS_MIN; most -= TEXT_STEP) {
        choice.used = 0;
        for (size_t i = 0; i < choice.axes; i++) {
            choice.columns[i] = axis_column_of(cases, axes[i], most);
            choice.used += GAP + choice.columns[i].columns;
        }
        if (choice.used + NUMBER_COLUMNS <= cases->screen->columns)
            break;
    }
    return choice;
}

static void column_add(const struct cases *cases, struct choice *choice,
                       const struct column *column)
{
    if (choice->count && choice->used + GAP + column->columns > cases->screen->columns) {
        choice->left++;
        return;
    }
    choice->used += GAP + column->columns;
    choice->columns = arena_grow(cases->screen->arena, choice->columns,
                                 choice->axes + choice->count, &choice->capacity, sizeof *column);
    choice->columns[choice->axes + choice->count++] = *column;
}

// Adds the column of the view's metric if `wanted` is true, else the columns of the other metrics.
// Always adds the first column, and the other columns if they fit.
static void metrics_add(const struct cases *cases, const struct view_info *view, bool wanted,
                        bool all_margins, struct choice *choice)
{
    for (size_t i = 0; i < cases->info->metric_count; i++) {
        const struct metric_info *metric = &cases->info->metrics[i];
        bool is_wanted = view->metric && strcmp(view->metric, metric->name) == 0;
        struct column column;
        if (is_wanted == wanted &&
            metric_column_of(cases, metric, all_margins || choice->count == 0, &column))
            column_add(cases, choice, &column);
    }
}

static void sensors_add(const struct cases *cases, const struct view_info *view,
                        struct choice *choice)
{
    for (const char *names = view->sensors; names && *names;) {
        size_t length = strcspn(names, ",");
        struct column column;
        if (sensor_column_of(cases, arena_printf(cases->screen->arena, "%.*s", (int)length, names),
                             &column))
            column_add(cases, choice, &column);
        names += length + (names[length] == ',');
    }
}

// Chooses as many columns as fit, in this order: the view's metric, its sensors, other metrics.
// Without `all_margins`, only the first column may have intervals.
static struct choice columns_choose(const struct cases *cases, const struct view_info *view,
                                    bool all_margins)
{
    struct choice choice = choice_begin(cases);
    metrics_add(cases, view, true, all_margins, &choice);
    sensors_add(cases, view, &choice);
    metrics_add(cases, view, false, all_margins, &choice);
    return choice;
}

// Prints at most ROWS_MAX cases with the chosen columns.
static void table_print(const struct cases *cases, const struct choice *choice)
{
    struct screen *screen = cases->screen;
    const struct column *columns = choice->columns;
    size_t rows = cases->count < ROWS_MAX ? cases->count : ROWS_MAX;
    size_t column_count = choice->axes + choice->count;
    for (size_t i = 0; i < column_count; i++)
        column_head_print(screen, &columns[i], columns[i].name);
    fputc('\n', screen->stream);
    for (size_t i = 0; i < column_count; i++)
        column_head_print(screen, &columns[i], columns[i].unit);
    fputc('\n', screen->stream);
    for (size_t row = 0; row < rows; row++) {
        for (size_t i = 0; i < column_count; i++)
            column_cell_print(screen, &columns[i], row);
        fputc('\n', screen->stream);
    }
    if (rows < cases->count || choice->left)
        fprintf(screen->stream,
                "  (%zu of %zu cases, %zu of %zu columns; all are in the run file)\n", rows,
                cases->count, choice->count, choice->count + choice->left);
}

void cases_print(struct screen *screen, const struct notes *notes,
                 const struct benchmark_info *info, const struct view_info *view,
                 const struct result *const *results, size_t count)
{
    const struct cases cases = {
        .screen = screen, .notes = notes, .info = info, .results = results, .count = count};
    struct choice choice = columns_choose(&cases, view, true);
    if (choice.left)
        choice = columns_choose(&cases, view, false);
    table_print(&cases, &choice);
}

// ---------------------------------------------------------------- hardware counters

static const double percent = 100;

// Fills `names` with the hardware counters that have a claim above 0, and returns their number.
static size_t claimed_names(struct arena *arena, const struct result *const *results, size_t count,
                            const char ***names)
{
    size_t found = 0, capacity = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t c = 0; c < results[i]->counter_count; c++) {
            const struct counter *counter = &results[i]->counters[c];
            size_t at = 0;
            while (at < found && strcmp((*names)[at], counter->name) != 0)
                at++;
            if (at < found || !isfinite(audit_ratio(counter)))
                continue;
            *names = arena_grow(arena, *names, found, &capacity, sizeof **names);
            (*names)[found++] = counter->name;
        }
    return found;
}

static double claimed_percent(const struct result *result, const char *name)
{
    for (size_t i = 0; i < result->counter_count; i++)
        if (strcmp(result->counters[i].name, name) == 0)
            return percent * audit_ratio(&result->counters[i]);
    return NAN;
}

// Adds a column of percentages, unless no value is finite. `unit` is the lower line of its head.
static void percent_add(const struct cases *cases, const char *name, const char *unit,
                        const double *values, struct choice *choice)
{
    struct column column;
    if (!column_of(cases, name, UNIT_NONE, values, NULL, false, &column))
        return;
    column.unit = unit;
    column.columns = cell_columns(&column.widths, unit);
    column_add(cases, choice, &column);
}

static struct choice counter_columns(const struct cases *cases)
{
    struct arena *arena = cases->screen->arena;
    const char **names = NULL;
    size_t count = claimed_names(arena, cases->results, cases->count, &names);
    double *values = ARENA_ARRAY(arena, cases->count, double);
    struct choice choice = choice_begin(cases);
    for (size_t n = 0; n < count; n++) {
        for (size_t i = 0; i < cases->count; i++)
            values[i] = claimed_percent(cases->results[i], names[n]);
        percent_add(cases, names[n], "% claimed", values, &choice);
    }
    for (unsigned level = 1; level <= 2; level++) {
        for (size_t i = 0; i < cases->count; i++)
            values[i] = percent * audit_hit_rate(cases->results[i], level);
        percent_add(cases, level == 1 ? "L1" : "L2", "% hits", values, &choice);
    }
    return choice;
}

void counters_print(struct screen *screen, const struct benchmark_info *info,
                    const struct result *const *results, size_t count)
{
    struct cases cases = {.screen = screen, .info = info};
    const struct result **counted = ARENA_ARRAY(screen->arena, count, const struct result *);
    for (size_t i = 0; i < count; i++)
        if (results[i]->counter_count)
            counted[cases.count++] = results[i];
    if (cases.count == 0)
        return;
    cases.results = counted;
    const struct choice choice = counter_columns(&cases);
    fputs("\nhardware counters\n", screen->stream);
    table_print(&cases, &choice);
}
