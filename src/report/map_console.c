// SPDX-License-Identifier: MIT
// Prints what `fathom map` found: a picture of the levels, a table, and a list of unknown values.
// The printed results have a case parameter "what" whose value is "hierarchy", "level", "memory",
// "tlb" or "shared".
#include "base/text.h"
#include "report/console.h"
#include "report/screen.h"
#include "results/reasons.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum {
    BOX_COLUMNS = 26, // inner width of the first level's box in the picture, in columns
    BOX_STEP = 5,     // each box in the picture is this many columns wider than the box above it
    NAME_COLUMNS = 24,
    SIZE_COLUMNS = 36,
    CLAIM_COLUMNS = 12
};

// Beginning of a detail whose value is not known. The reason follows.
static const char unknown[] = "unknown: ";

enum kind {
    KIND_HIERARCHY, // result about a whole path, such as the number of its levels
    KIND_LEVEL,
    KIND_MEMORY, // a result about the memory behind the last level of cache
    KIND_TLB,
    KIND_SHARED,
    KIND_COUNT // any other kind of result, which is not printed
};

static const char *const kinds[KIND_COUNT] = {"hierarchy", "level", "memory", "tlb", "shared"};
static const char code_path[] = "instruction"; // name of the path by which instructions are fetched

// The results of `fathom map` for one device, as far as they are printed.
struct map {
    struct screen *screen;
    // the device's results that are printed
    const struct result **results;
    size_t count;
};

static enum kind kind_of(const struct result *result)
{
    unsigned kind = 0;
    while (kind < KIND_COUNT && !case_says(&result->bench_case, "what", kinds[kind]))
        kind++;
    return (enum kind)kind;
}

static bool is_unknown(const char *text)
{
    return strncmp(text, unknown, strlen(unknown)) == 0;
}

static bool on_path(const struct result *result, const char *path)
{
    return case_says(&result->bench_case, "path", path);
}

// Returns the median of a metric as text, such as "194.2 KiB"; "" if it is not known.
static const char *value(struct arena *arena, const struct result *result, const char *name)
{
    return screen_median(arena, result_metric(result, name), "");
}

// Returns the name of what the result describes, such as "vector level 2" or "shared memory".
static const char *name_of(struct arena *arena, const struct result *result)
{
    const struct case_value *level = case_find(&result->bench_case, "level");
    const struct case_value *along = case_find(&result->bench_case, "path");
    const char *path = along && along->type == PARAM_TEXT ? along->text : "";
    const char *caches = arena_printf(arena, "%s level", path), *beyond = path;
    enum kind kind = kind_of(result);
    if (kind == KIND_SHARED)
        return "shared memory";
    if (kind == KIND_HIERARCHY)
        return path;
    if (kind == KIND_TLB)
        caches = "translation level", beyond = "translation";
    else if (strcmp(path, code_path) == 0)
        caches = "instruction cache", beyond = "instructions";
    return level ? arena_printf(arena, "%s %" PRIu64, caches, level->uint)
                 : arena_printf(arena, "%s, beyond", beyond);
}

// ---------------------------------------------------------------- the picture of the levels

// Returns the time to fetch an instruction: "0.5050 ns · 1.000 cycles an instruction", or "".
static const char *fetch_text(struct arena *arena, const struct result *result)
{
    const char *text =
        screen_also(arena, value(arena, result, "fetch"), "", value(arena, result, "fetch_cycles"));
    return *text ? arena_printf(arena, "%s an instruction", text) : "";
}

static const char *latency_text(struct arena *arena, const struct result *result)
{
    if (on_path(result, code_path))
        return fetch_text(arena, result);
    const char *page = value(arena, result, "page"), *banks = value(arena, result, "banks");
    if (*page)
        page = arena_printf(arena, "pages of %s", page);
    else if (*banks)
        page = arena_printf(arena, "%s banks", banks);
    const char *text = value(arena, result, "latency");
    text = screen_also(arena, text, "", value(arena, result, "latency_cycles"));
    return screen_also(arena, text, "", page);
}

static const char *bandwidth_text(struct arena *arena, const struct result *result)
{
    const char *all = value(arena, result, "bandwidth");
    const char *one = value(arena, result, "group_bandwidth");
    const char *line = value(arena, result, "line"), *sector = value(arena, result, "sector");
    const struct metric *instances = result_metric(result, "instances");
    if (*all && instances && instances->median > 1)
        all = arena_printf(arena, "%s of %.0f caches", all, instances->median);
    if (*one)
        one = arena_printf(arena, "%s one workgroup", one);
    if (*line)
        line = arena_printf(arena, "line %s%s%s", line, *sector ? ", sector " : "", sector);
    return screen_also(arena, screen_also(arena, all, "", one), "", line);
}

// Returns which clocks determine a level's latency: "by the core's clock and another (60.10 cycles
// + 80.20 ns)"; "" if unknown.
static const char *clock_text(struct arena *arena, const struct result *result)
{
    const char *domain = result_detail(result, "clock domain");
    const struct metric *fixed = result_metric(result, "fixed");
    if (!domain || is_unknown(domain))
        return "";
    if (!fixed || !(fixed->ci95[0] > 0))
        return arena_printf(arena, "by %s", domain);
    return arena_printf(arena, "by %s (%s + %s)", domain, value(arena, result, "clocked"),
                        value(arena, result, "fixed"));
}

// Returns what is known of ways, sharers and clock: "4 ways · each core its own · by the core's
// clock".
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
    return screen_also(arena, screen_also(arena, ways, "", shared), "", clock);
}

// Returns the size of a level, such as "128 KiB", else its instructions, such as "8192 instr.".
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
    fprintf(screen->stream, "  %s%s%s  %s\n", left, inside, right, beside);
}

static void draw_box(struct screen *screen, const struct result *result, unsigned step)
{
    struct arena *arena = screen->arena;
    size_t columns = BOX_COLUMNS + BOX_STEP * (size_t)step;
    const struct case_value *level = case_find(&result->bench_case, "level");
    const char *name = level ? arena_printf(arena, "level %" PRIu64, level->uint) : "beyond";
    const char *size = end_text(arena, result);
    size_t used = 2 + screen_width(name) + screen_width(size);
    size_t gap = used < columns ? columns - used : 1;
    const char *line = screen_repeat(arena, "─", columns);
    draw_row(screen, "┌", line, "┐", latency_text(arena, result));
    const char *text = arena_printf(arena, " %s%s%s ", name, screen_repeat(arena, " ", gap), size);
    draw_row(screen, "│", text, "│", bandwidth_text(arena, result));
    draw_row(screen, "└", line, "┘", sharing_text(arena, result));
}

static void draw_picture(const struct map *map, const char *path)
{
    unsigned step = 0;
    for (size_t i = 0; i < map->count; i++) {
        enum kind kind = kind_of(map->results[i]);
        if ((kind == KIND_LEVEL || kind == KIND_MEMORY) && on_path(map->results[i], path))
            draw_box(map->screen, map->results[i], step++);
    }
}

// ---------------------------------------------------------------- the table of the levels

// Returns the size of a level with its interval: "194.2 KiB (182 KiB to 216 KiB)". Without an
// interval it is a lower bound: "at least 194.2 KiB". Without a size in bytes it is in
// instructions.
static const char *size_text(struct arena *arena, const struct result *result)
{
    const struct metric *size = result_metric(result, "size");
    if (size && !isfinite(size->ci95[0]))
        return arena_printf(arena, "at least %s", value(arena, result, "size"));
    const struct metric *code = result_metric(result, "instructions");
    if (!size && code && isfinite(code->ci95[0]))
        return arena_printf(arena, "%.0f instr. (%.0f to %.0f)", code->median, code->ci95[0],
                            code->ci95[1]);
    if (!size)
        return end_text(arena, result);
    return arena_printf(arena, "%s (%s to %s)", value(arena, result, "size"),
                        unit_text(arena, size->ci95[0], UNIT_BYTE),
                        unit_text(arena, size->ci95[1], UNIT_BYTE));
}

static bool has_levels(const struct map *map, const char *path)
{
    for (size_t i = 0; i < map->count; i++)
        if (kind_of(map->results[i]) == KIND_LEVEL && on_path(map->results[i], path))
            return true;
    return false;
}

static void print_table(const struct map *map)
{
    struct screen *screen = map->screen;
    struct arena *arena = screen->arena;
    fputc('\n', screen->stream);
    screen_left(screen, "  found", NAME_COLUMNS);
    screen_left(screen, "size (95 % interval)", SIZE_COLUMNS);
    screen_left(screen, "stated", CLAIM_COLUMNS);
    fputs("latency\n", screen->stream);
    for (size_t i = 0; i < map->count; i++) {
        const struct result *result = map->results[i];
        if (kind_of(result) == KIND_HIERARCHY || result->metric_count == 0)
            continue;
        screen_left(screen, arena_printf(arena, "  %s", name_of(arena, result)), NAME_COLUMNS);
        screen_left(screen, size_text(arena, result), SIZE_COLUMNS);
        screen_left(screen, value(arena, result, "claim"), CLAIM_COLUMNS);
        fprintf(screen->stream, "%s\n", latency_text(arena, result));
    }
}

// ---------------------------------------------------------------- notes and unknown values

static bool has_detail(const struct result *result, const void *detail)
{
    const struct named_text *wanted = detail;
    const char *text = result_detail(result, wanted->name);
    return text && strcmp(text, wanted->text) == 0;
}

static bool has_reason(const struct result *result, const void *reason)
{
    const struct reason *wanted = reason;
    return result_has_reason(result, wanted->code, wanted->text);
}

// Returns the names of all results for which has(result, what) is true: "vector level 1 and vector
// level 2". Returns "" if has() is true for a result before index `first`, because the names were
// printed there.
static const char *names_with(const struct map *map, size_t first,
                              bool (*has)(const struct result *, const void *), const void *what)
{
    struct arena *arena = map->screen->arena;
    const char *names = "";
    for (size_t i = 0; i < map->count; i++) {
        if (!has(map->results[i], what))
            continue;
        if (i < first)
            return "";
        names = text_join(arena, names, " and ", name_of(arena, map->results[i]));
    }
    return names;
}

static void print_note(const struct map *map, const char *names, const char *text)
{
    fputs("\n  ", map->screen->stream);
    screen_wrap(map->screen, arena_printf(map->screen->arena, "%s: %s", names, text), 2, 2);
}

// Prints why results are suspect, and their remarks. Results with the same reason share a line.
static void print_reasons(const struct map *map)
{
    for (size_t i = 0; i < map->count; i++) {
        const struct result *result = map->results[i];
        for (size_t k = 0; result_measured(result) && k < result->reason_count; k++) {
            const char *names = names_with(map, i, has_reason, &result->reasons[k]);
            if (*names)
                print_note(map, names, result->reasons[k].text);
        }
    }
}

// Prints the details "partition" and "size" of each level of cache, except unknown ones.
static void print_notes(const struct map *map)
{
    static const char *const notes[] = {"partition", "size"};
    for (size_t i = 0; i < map->count; i++)
        for (size_t k = 0; k < COUNT(notes); k++) {
            const char *text = result_detail(map->results[i], notes[k]);
            if (kind_of(map->results[i]) == KIND_LEVEL && text && !is_unknown(text))
                print_note(map, name_of(map->screen->arena, map->results[i]), text);
        }
}

// Writes a line of the list, and its heading before the first line.
static void print_unknown_line(struct screen *screen, const char *text, bool *has_heading)
{
    if (!*has_heading)
        fputs("\nUnknown\n", screen->stream);
    *has_heading = true;
    screen_point(screen, text);
}

static void print_unknown(const struct map *map)
{
    struct screen *screen = map->screen;
    bool has_heading = false;
    for (size_t i = 0; i < map->count; i++) {
        const struct result *result = map->results[i];
        if (result->verdict == VERDICT_SKIPPED && result->reason_count > 0)
            print_unknown_line(screen, result->reasons[0].text, &has_heading);
        for (size_t k = 0; k < result->detail_count; k++) {
            const struct named_text *detail = &result->details[k];
            const char *names =
                is_unknown(detail->text) ? names_with(map, i, has_detail, detail) : "";
            if (*names)
                print_unknown_line(screen,
                                   arena_printf(screen->arena, "%s, %s: %s", names, detail->name,
                                                detail->text + strlen(unknown)),
                                   &has_heading);
        }
    }
}

static void draw_device(const struct run *run, const char *device, struct screen *screen)
{
    struct map map = {.screen = screen};
    map.results = ARENA_ARRAY(screen->arena, run->result_count, const struct result *);
    for (size_t i = 0; i < run->result_count; i++)
        if (strcmp(run->results[i]->device, device) == 0 && kind_of(run->results[i]) < KIND_COUNT)
            map.results[map.count++] = run->results[i];
    fprintf(screen->stream, "\n%s: memory as vector loads see it%s\n", device,
            has_levels(&map, "vector") ? "" : ": no level was found");
    draw_picture(&map, "vector");
    if (has_levels(&map, code_path)) {
        fputs("\n  instruction cache, as straight-line code of one subgroup sees it\n",
              screen->stream);
        draw_picture(&map, code_path);
    }
    print_table(&map);
    print_reasons(&map);
    print_notes(&map);
    print_unknown(&map);
}

void console_map(const struct run *run, FILE *stream)
{
    for (size_t i = 0; i < run->device_count; i++) {
        struct screen screen;
        screen_init(&screen, false, SCREEN_COLUMNS);
        draw_device(run, run->devices[i].id, &screen);
        screen_finish(&screen, stream);
    }
}
