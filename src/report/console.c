// SPDX-License-Identifier: MIT
#include "report/console.h"
#include "analysis/card.h"
#include "base/text.h"
#include "report/tables.h"

#include <math.h>
#include <string.h>

// ---------------------------------------------------------------- head and end of the report

static void device_print(const struct run_device *device, struct screen *screen)
{
    struct arena *arena = screen->arena;
    const char *text = screen_also(arena, device->name ? device->name : "", "", device->kind);
    text = screen_also(arena, text, "driver ", device->driver);
    text = screen_also(arena, text, "API ", device->api_version);
    const char *id = screen_quote(arena, device->id, 24);
    screen_paint(screen, PAINT_BOLD, id);
    fprintf(screen->stream, "  %s\n",
            screen_quote(arena, text, screen->columns - 2 - screen_width(id)));
}

void console_head(const struct run *run, const struct console_desc *desc, FILE *stream)
{
    struct screen screen;
    screen_init(&screen, desc->colour, desc->columns);
    struct arena *arena = screen.arena;
    for (size_t i = 0; i < run->finding_count; i++)
        if (strcmp(run->findings[i].code, CARD_NO_GPU) == 0) {
            screen_paint(&screen, PAINT_YELLOW, run->findings[i].text);
            fputc('\n', screen.stream);
        }
    const char *line = arena_printf(arena, "fathom %s", run->tool_version ? run->tool_version : "");
    line = screen_also(arena, line, "preset ", run->preset);
    line = screen_also(arena, line, "", screen_time(arena, run->started));
    line = screen_also(arena, line, "", "medians ± half the 95 % interval");
    screen_paint(&screen, PAINT_DIM, screen_quote(arena, line, screen.columns));
    fputc('\n', screen.stream);
    for (size_t i = 0; i < run->device_count; i++)
        device_print(&run->devices[i], &screen);
    screen_finish(&screen, stream);
}

// True if a benchmark is to be printed. `key` is its name, or the key of one of its cases.
static bool is_wanted(const struct console_desc *desc, const char *key)
{
    size_t bytes = strcspn(key, "/");
    for (size_t i = 0; i < desc->benchmark_count; i++)
        if (strlen(desc->benchmarks[i]) == bytes && memcmp(desc->benchmarks[i], key, bytes) == 0)
            return true;
    return desc->benchmark_count == 0;
}

// Returns a copy of the run with only the results of benchmarks to print (is_wanted).
static struct run wanted_run(struct arena *arena, const struct run *run,
                             const struct console_desc *desc)
{
    struct run wanted = *run;
    wanted.results = ARENA_ARRAY(arena, run->result_count, struct result *);
    wanted.result_count = 0;
    for (size_t i = 0; i < run->result_count; i++)
        if (is_wanted(desc, run->results[i]->benchmark))
            wanted.results[wanted.result_count++] = run->results[i];
    return wanted;
}

// True if the finding has no keys, or a key of a benchmark to print (is_wanted).
static bool finding_is_wanted(const struct console_desc *desc, const struct finding *finding)
{
    for (size_t i = 0; i < finding->key_count; i++)
        if (is_wanted(desc, finding->keys[i]))
            return true;
    return finding->key_count == 0;
}

static void findings_print(const struct run *run, const struct console_desc *desc,
                           struct screen *screen)
{
    size_t printed = 0;
    for (size_t i = 0; i < run->finding_count; i++) {
        if (!finding_is_wanted(desc, &run->findings[i]))
            continue;
        if (!printed++)
            screen_title(screen, "Findings");
        screen_point(screen, run->findings[i].text);
    }
}

static void counts_print(const struct run *run, const struct console_desc *desc,
                         struct screen *screen)
{
    size_t counts[VERDICT_FAILED + 1] = {0};
    for (size_t i = 0; i < run->result_count; i++)
        counts[run->results[i]->verdict] += is_wanted(desc, run->results[i]->benchmark);
    for (enum verdict v = VERDICT_OK; v <= VERDICT_FAILED; v++) {
        const char *text = arena_printf(screen->arena, "%zu %s", counts[v], verdict_name(v));
        fputs(v ? " · " : "", screen->stream);
        screen_paint(screen, counts[v] ? verdict_paint(v) : PAINT_DIM, text);
    }
}

static void summary_print(const struct run *run, const struct console_desc *desc,
                          struct screen *screen)
{
    counts_print(run, desc, screen);
    if (desc->elapsed_s > 0)
        fprintf(screen->stream, " · %.1f s", desc->elapsed_s);
    if (run->status == RUN_INTERRUPTED)
        fputs(" · interrupted: some cases were not measured", screen->stream);
    if (run->status == RUN_RUNNING)
        fputs(" · still running: some cases are not measured yet", screen->stream);
    fputc('\n', screen->stream);
}

void console_end(const struct run *run, const struct console_desc *desc, FILE *stream)
{
    struct screen screen;
    screen_init(&screen, desc->colour, desc->columns);
    struct run wanted = wanted_run(screen.arena, run, desc);
    cross_print(&screen, &wanted);
    findings_print(run, desc, &screen);
    fputc('\n', screen.stream);
    summary_print(run, desc, &screen);
    screen_finish(&screen, stream);
}

void console_summary(const struct run *run, const struct console_desc *desc, FILE *stream)
{
    struct screen screen;
    screen_init(&screen, desc->colour, desc->columns);
    summary_print(run, desc, &screen);
    screen_finish(&screen, stream);
}

// ---------------------------------------------------------------- tables of a benchmark

// True if any result has a value of one of these sensors, a list with commas.
static bool any_sensor(const struct result *const *results, size_t count, const char *sensors)
{
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < results[i]->sensor_count; j++)
            if (text_list_has(sensors, results[i]->sensors[j].name))
                return true;
    return false;
}

// Prints the head of a view: title, unit, shared values ("Latency by size · ns · load=idle").
static void view_head(struct screen *screen, const struct view_info *view, const char *unit,
                      const char *common)
{
    struct arena *arena = screen->arena;
    // In a run file, a view can lack both the title and the metric. The head then has no title.
    const char *title = view->title ? view->title : view->metric ? view->metric : "";
    const char *text = screen_also(arena, unit, "", common);
    title = screen_quote(arena, title, screen_part(screen, 60, 1));
    fputc('\n', screen->stream);
    screen_paint(screen, PAINT_BOLD, title);
    if (*text) {
        size_t left = screen->columns - screen_width(title);
        text = arena_printf(arena, " · %s", text);
        screen_paint(screen, PAINT_DIM, screen_quote(arena, text, left));
    }
    fputc('\n', screen->stream);
}

static void grid_print(struct screen *screen, const struct notes *notes,
                       const struct view_grid *grid)
{
    const struct table table = {
        .screen = screen, .notes = notes, .grid = grid, .scale = grid_scale(screen->arena, grid)};
    // If the bars have different units, each bar's line names its unit, and the head names none.
    view_head(screen, grid->view,
              grid->mixed && grid->view->kind == VIEW_BARS ? "" : table.scale.unit, grid->common);
    if (grid->view->kind == VIEW_HEATMAP)
        heatmap_print(&table);
    else if (grid->view->kind == VIEW_BARS)
        bars_print(&table);
    else
        curve_print(&table);
}

static void view_print(struct screen *screen, const struct run *run, const char *device,
                       const struct notes *notes, const struct benchmark_info *info,
                       const struct view_info *declared)
{
    struct view_info shown;
    const struct view_info *view = &shown;
    if (!view_shown(screen->arena, run, device, info, declared, &shown))
        // if no result has a number for this view, prints nothing, because the notes say why
        return;
    size_t count;
    const struct result **results = view_select(screen->arena, run, device, view, info, &count);
    if (view->kind == VIEW_TABLE && view->sensors && !any_sensor(results, count, view->sensors))
        // Without a value of its sensors, the table is left out: other views show the metrics.
        return;
    struct view_grid grid;
    bool gridded =
        view->kind == VIEW_CURVE || view->kind == VIEW_BARS || view->kind == VIEW_HEATMAP;
    if (gridded && view_grid_build(screen->arena, run, device, info, view, &grid)) {
        grid_print(screen, notes, &grid);
        return;
    }
    view_head(screen, view, "", "");
    cases_print(screen, notes, info, view, results, count);
    if (view->kind == VIEW_TIMELINE)
        timelines_print(screen, info, results, count);
}

static void section_head(const struct run *run, const char *device,
                         const struct benchmark_info *info, const struct console_desc *desc,
                         FILE *stream)
{
    struct screen screen;
    screen_init(&screen, desc->colour, desc->columns);
    const char *title = info->title ? info->title : info->name;
    const char *text =
        arena_printf(screen.arena, "── %s: %s%s%s ", info->name, title,
                     run->device_count > 1 ? " · " : "", run->device_count > 1 ? device : "");
    text = screen_quote(screen.arena, text, screen.columns);
    size_t left = screen.columns - screen_width(text);
    const char *line = screen_repeat(screen.arena, "─", left);
    screen_title(&screen, arena_printf(screen.arena, "%s%s", text, line));
    screen_finish(&screen, stream);
}

void console_benchmark(const struct run *run, const char *device, const char *benchmark,
                       const struct console_desc *desc, FILE *stream)
{
    const struct benchmark_info *info = run_benchmark(run, benchmark);
    if (info)
        section_head(run, device, info, desc, stream);
    struct screen screen;
    screen_init(&screen, desc->colour, desc->columns);
    struct notes notes = notes_of(screen.arena, run, device, benchmark);
    bool lines = info && lines_instead_print(&screen, run, device, info);
    for (size_t i = 0; info && !lines && i < info->view_count; i++)
        if (info->views[i].kind != VIEW_LINES)
            view_print(&screen, run, device, &notes, info, &info->views[i]);
    if (info) {
        const struct view_info all = {.kind = VIEW_TABLE};
        size_t count;
        const struct result **results = view_select(screen.arena, run, device, &all, info, &count);
        counters_print(&screen, info, results, count);
    }
    if (notes.count) {
        fputc('\n', screen.stream);
        notes_print(&notes, &screen);
    }
    screen_finish(&screen, stream);
}

void console_run(const struct run *run, const struct console_desc *desc, FILE *stream)
{
    struct arena *arena = arena_create();
    bool any_card = false;
    for (size_t i = 0; desc->benchmark_count == 0 && i < run->device_count; i++) {
        struct card card;
        card_build(arena, run, run->devices[i].id, known_cards_builtin(arena), &card);
        fputs(any_card ? "\n" : "", stream);
        any_card |= console_card(&card, desc, stream);
    }
    arena_destroy(arena);
    if (!any_card)
        console_head(run, desc, stream);
    for (size_t i = 0; i < run->device_count; i++)
        for (size_t j = 0; j < run->benchmark_count; j++)
            if (is_wanted(desc, run->benchmarks[j]->name) &&
                run_count(run, run->devices[i].id, run->benchmarks[j]->name).all)
                console_benchmark(run, run->devices[i].id, run->benchmarks[j]->name, desc, stream);
    console_end(run, desc, stream);
}
