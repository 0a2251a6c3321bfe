// SPDX-License-Identifier: MIT
// `fathom map`: what `run` does with a plan of its own, and a picture of what came out.
#include "bench/map.h"
#include "cli/cli.h"
#include "map/map.h"
#include "report/screen.h"
#include "results/results.h"

#include <math.h>
#include <string.h>

enum {
    COLUMNS = 100,
    BOX_COLUMNS = 26, // of the first level; each level is wider than the one before it
    BOX_STEP = 5,
    NAME_COLUMNS = 24,
    FOUND_COLUMNS = 44,
    UNIT_TEXT = 32
};

static const char unknown[] = "unknown: "; // how a detail begins that says why

static bool is_of(const struct result *result, const char *device, const char *what)
{
    return strcmp(result->benchmark, "map") == 0 && strcmp(result->device, device) == 0 &&
           strcmp(case_text(&result->bench_case, "what"), what) == 0;
}

// A result, and not one of the chains and stretches of code that it was found by.
static bool is_told(const struct result *result, const char *device)
{
    static const char *const told[] = {MAP_HIERARCHY, MAP_LEVEL, MAP_MEMORY, MAP_TLB, MAP_SHARED};
    for (size_t i = 0; i < sizeof told / sizeof *told; i++)
        if (is_of(result, device, told[i]))
            return true;
    return false;
}

static bool is_unknown(const char *text)
{
    return strncmp(text, unknown, strlen(unknown)) == 0;
}

static bool on_path(const struct result *result, const char *path)
{
    return strcmp(case_text(&result->bench_case, "path"), path) == 0;
}

// "194.2 KiB"; "" where the result has no such metric.
static const char *value(struct arena *arena, const struct result *result, const char *name)
{
    const struct metric *metric = result_metric(result, name);
    char text[UNIT_TEXT];
    if (!metric || !isfinite(metric->median))
        return "";
    return arena_strdup(arena, unit_format(metric->median, metric->unit, text, sizeof text));
}

static const char *joined(struct arena *arena, const char *line, const char *text)
{
    if (!*text)
        return line;
    return *line ? arena_printf(arena, "%s · %s", line, text) : text;
}

// "vector level 2".
static const char *name_of(struct arena *arena, const struct result *result)
{
    const struct case_value *level = case_find(&result->bench_case, "level");
    const char *what = case_text(&result->bench_case, "what"),
               *path = case_text(&result->bench_case, "path");
    if (strcmp(what, MAP_SHARED) == 0)
        return "shared memory";
    if (strcmp(path, MAP_PATH_CODE) == 0 && strcmp(what, MAP_HIERARCHY) != 0)
        return level ? arena_printf(arena, "instruction cache %d", (int)level->uint)
                     : "instructions, beyond";
    if (strcmp(what, MAP_MEMORY) == 0)
        return arena_printf(arena, "%s, beyond", path);
    if (strcmp(what, MAP_TLB) == 0)
        return level ? arena_printf(arena, "translation level %d", (int)level->uint)
                     : "translation, beyond";
    return level ? arena_printf(arena, "%s level %d", path, (int)level->uint) : path;
}

// ---------------------------------------------------------------- the picture

// "0.505 ns · 1 cycle an instruction".
static const char *fetch_text(struct arena *arena, const struct result *result)
{
    const char *text =
        joined(arena, value(arena, result, "fetch"), value(arena, result, "fetch_cycles"));
    return *text ? arena_printf(arena, "%s an instruction", text) : "";
}

static const char *latency_text(struct arena *arena, const struct result *result)
{
    if (on_path(result, MAP_PATH_CODE))
        return fetch_text(arena, result);
    const char *page = value(arena, result, "page"), *banks = value(arena, result, "banks");
    if (*page)
        page = arena_printf(arena, "pages of %s", page);
    else if (*banks)
        page = arena_printf(arena, "%s banks", banks);
    return joined(
        arena,
        joined(arena, value(arena, result, "latency"), value(arena, result, "latency_cycles")),
        page);
}

static const char *bandwidth_text(struct arena *arena, const struct result *result)
{
    const char *all = value(arena, result, "bandwidth");
    const char *one = value(arena, result, "group_bandwidth");
    const char *line = value(arena, result, "line"), *sector = value(arena, result, "sector");
    if (*one)
        one = arena_printf(arena, "%s one workgroup", one);
    if (*line)
        line = arena_printf(arena, "line %s%s%s", line, *sector ? ", sector " : "", sector);
    return joined(arena, joined(arena, all, one), line);
}

static const char *detail(const struct result *result, const char *name)
{
    for (size_t i = 0; i < result->detail_count; i++)
        if (strcmp(result->details[i].name, name) == 0)
            return result->details[i].text;
    return "";
}

// "by the core's clock and another (60.1 cycles + 80.2 ns)"; "" where it is not known.
static const char *clock_text(struct arena *arena, const struct result *result)
{
    const char *domain = detail(result, "clock domain");
    const struct metric *fixed = result_metric(result, "fixed");
    if (!*domain || is_unknown(domain))
        return "";
    if (!fixed || !(fixed->ci95[0] > 0))
        return arena_printf(arena, "by %s", domain);
    return arena_printf(arena, "by %s (%s + %s)", domain, value(arena, result, "clocked"),
                        value(arena, result, "fixed"));
}

// "4 ways · each core its own · by the core's clock".
static const char *sharing_text(struct arena *arena, const struct result *result)
{
    const char *ways = value(arena, result, "ways"), *clock = clock_text(arena, result);
    const struct metric *sharers = result_metric(result, "sharers");
    const char *shared = "";
    if (*ways)
        ways = arena_printf(arena, "%s ways", ways);
    if (sharers && sharers->ci95[1] < 1.5)
        shared = "each core its own";
    else if (sharers)
        shared = arena_printf(arena, "shared by %.0f cores (%.0f to %.0f)", sharers->median,
                              sharers->ci95[0], sharers->ci95[1]);
    return joined(arena, joined(arena, ways, shared), clock);
}

// "128 KiB"; of code whose bytes are not known "8192 instructions".
static const char *end_text(struct arena *arena, const struct result *result)
{
    const char *size = value(arena, result, "size");
    const char *instructions = value(arena, result, "instructions");
    if (*size || !*instructions)
        return size;
    return arena_printf(arena, "%s instr.", instructions);
}

static void draw_row(struct screen *screen, const char *left, const char *inside, const char *right,
                     const char *beside)
{
    fprintf(screen->stream, "  %s%s%s  ", left, inside, right);
    fputs(beside, screen->stream);
    fputc('\n', screen->stream);
}

static void draw_box(struct screen *screen, const struct result *result, unsigned step)
{
    struct arena *arena = screen->arena;
    size_t columns = BOX_COLUMNS + BOX_STEP * (size_t)step;
    const struct case_value *level = case_find(&result->bench_case, "level");
    const char *name = level ? arena_printf(arena, "level %d", (int)level->uint) : "beyond";
    const char *size = end_text(arena, result);
    size_t gap = columns - 2 - screen_width(name) - screen_width(size);
    const char *line = screen_repeat(arena, "─", columns);
    draw_row(screen, "┌", line, "┐", latency_text(arena, result));
    const char *text = arena_printf(arena, " %s%s%s ", name, screen_repeat(arena, " ", gap), size);
    draw_row(screen, "│", text, "│", bandwidth_text(arena, result));
    draw_row(screen, "└", line, "┘", sharing_text(arena, result));
}

static void draw_picture(struct screen *screen, const struct run *run, const char *device,
                         const char *path)
{
    unsigned step = 0;
    for (size_t i = 0; i < run->result_count; i++) {
        const struct result *result = run->results[i];
        bool drawn = is_of(result, device, MAP_LEVEL) || is_of(result, device, MAP_MEMORY);
        if (drawn && on_path(result, path))
            draw_box(screen, result, step++);
    }
}

// ---------------------------------------------------------------- found and stated

// "194.2 KiB (182 KiB to 216 KiB)".
static const char *size_text(struct arena *arena, const struct result *result)
{
    const struct metric *size = result_metric(result, "size");
    if (size && !isfinite(size->ci95[0]))
        return arena_printf(arena, "at least %s", value(arena, result, "size"));
    char low[UNIT_TEXT], high[UNIT_TEXT];
    const struct metric *code = result_metric(result, "instructions");
    if (!size && code && isfinite(code->ci95[0]))
        return arena_printf(arena, "%.0f instr. (%.0f to %.0f)", code->median, code->ci95[0],
                            code->ci95[1]);
    if (!size)
        return end_text(arena, result);
    unit_format(size->ci95[0], UNIT_BYTE, low, sizeof low);
    unit_format(size->ci95[1], UNIT_BYTE, high, sizeof high);
    return arena_printf(arena, "%s (%s to %s)", value(arena, result, "size"), low, high);
}

static bool has_instruction_cache(const struct run *run, const char *device)
{
    for (size_t i = 0; i < run->result_count; i++)
        if (is_of(run->results[i], device, MAP_LEVEL) && on_path(run->results[i], MAP_PATH_CODE))
            return true;
    return false;
}

static bool in_table(const struct result *result, const char *device)
{
    return (is_of(result, device, MAP_LEVEL) || is_of(result, device, MAP_MEMORY) ||
            is_of(result, device, MAP_TLB) || is_of(result, device, MAP_SHARED)) &&
           result->metric_count > 0;
}

static void print_table(struct screen *screen, const struct run *run, const char *device)
{
    struct arena *arena = screen->arena;
    fputc('\n', screen->stream);
    screen_left(screen, "  found", NAME_COLUMNS);
    screen_left(screen, "size (95 % interval)", FOUND_COLUMNS - 8);
    screen_left(screen, "stated", 12);
    fputs("latency\n", screen->stream);
    for (size_t i = 0; i < run->result_count; i++) {
        const struct result *result = run->results[i];
        if (!in_table(result, device))
            continue;
        screen_left(screen, arena_printf(arena, "  %s", name_of(arena, result)), NAME_COLUMNS);
        screen_left(screen, size_text(arena, result), FOUND_COLUMNS - 8);
        const char *claim = value(arena, result, "claim");
        screen_left(screen, claim, 12);
        fprintf(screen->stream, "%s\n", latency_text(arena, result));
    }
}

// ---------------------------------------------------------------- unknown

static bool has_detail(const struct result *result, const struct named_text *detail)
{
    for (size_t i = 0; i < result->detail_count; i++)
        if (strcmp(result->details[i].name, detail->name) == 0 &&
            strcmp(result->details[i].text, detail->text) == 0)
            return true;
    return false;
}

// "vector level 1 and vector level 2": all that a detail is of; "" where the one at `first` is not
// the first of them.
static const char *names_with(struct screen *screen, const struct run *run, const char *device,
                              size_t first, const struct named_text *text)
{
    struct arena *arena = screen->arena;
    const char *names = "";
    for (size_t i = 0; i < run->result_count; i++) {
        const struct result *result = run->results[i];
        if (!is_told(result, device) || !has_detail(result, text))
            continue;
        if (i < first)
            return "";
        names = *names ? arena_printf(arena, "%s and %s", names, name_of(arena, result))
                       : name_of(arena, result);
    }
    return names;
}

static void print_note(struct screen *screen, const struct result *result, const char *text)
{
    if (!*text || is_unknown(text))
        return;
    fputs("\n  ", screen->stream);
    screen_wrap(screen, arena_printf(screen->arena, "%s: %s", name_of(screen->arena, result), text),
                2, 2);
}

// What the results only suppose.
static void print_notes(struct screen *screen, const struct run *run, const char *device)
{
    for (size_t i = 0; i < run->result_count; i++) {
        const struct result *result = run->results[i];
        if (!is_of(result, device, MAP_LEVEL))
            continue;
        static const char *const notes[] = {"partition", "size"};
        for (size_t k = 0; k < sizeof notes / sizeof *notes; k++)
            print_note(screen, result, detail(result, notes[k]));
    }
}

static void print_unknown_line(struct screen *screen, const char *text)
{
    fputs("  • ", screen->stream);
    screen_wrap(screen, text, 4, 4);
}

static void print_unknown(struct screen *screen, const struct run *run, const char *device)
{
    fputs("\nUnknown\n", screen->stream);
    for (size_t i = 0; i < run->result_count; i++) {
        const struct result *result = run->results[i];
        if (!is_told(result, device))
            continue;
        if (result->verdict == VERDICT_SKIPPED && result->reason_count > 0)
            print_unknown_line(screen, result->reasons[0].text);
        for (size_t k = 0; k < result->detail_count; k++) {
            const struct named_text *detail = &result->details[k];
            const char *names =
                is_unknown(detail->text) ? names_with(screen, run, device, i, detail) : "";
            if (*names)
                print_unknown_line(screen,
                                   arena_printf(screen->arena, "%s, %s: %s", names, detail->name,
                                                detail->text + strlen(unknown)));
        }
    }
}

static void tell_map(const struct run *run, FILE *out)
{
    for (size_t i = 0; i < run->device_count; i++) {
        struct screen screen;
        screen_init(&screen, false, COLUMNS);
        const char *device = run->devices[i].id;
        fprintf(screen.stream, "\n%s: memory as vector loads see it\n", device);
        draw_picture(&screen, run, device, "vector");
        if (has_instruction_cache(run, device)) {
            fputs("\n  instruction cache, as straight-line code of one subgroup sees it\n",
                  screen.stream);
            draw_picture(&screen, run, device, MAP_PATH_CODE);
        }
        print_table(&screen, run, device);
        print_notes(&screen, run, device);
        print_unknown(&screen, run, device);
        screen_finish(&screen, out);
    }
}

bool command_map(struct cli *cli, struct error *err)
{
    const struct cli_measuring map = {.benchmarks = map_benchmarks,
                                      .preset = "map",
                                      .check = map_settings_check,
                                      .plan = map_plan_create,
                                      .draw = tell_map};
    return cli_measure(cli, &map, err);
}
