// SPDX-License-Identifier: MIT
// Prints what a check found: as text for people, and as metrics for Prometheus.
#include "analysis/check_cases.h"
#include "base/text.h"
#include "report/console.h"
#include "report/export.h"
#include "report/screen.h"
#include "results/names.h"

#include <math.h>
#include <string.h>

static const char *name_of(const struct run *run, const struct check *check)
{
    const struct run_device *device = run_find_device(run, check->device);
    return device && device->name ? device->name : "";
}

// ---------------------------------------------------------------- text for people

static void print_figures(const struct check *check, struct screen *screen)
{
    struct arena *arena = screen->arena;
    const char *line = "";
    for (size_t i = 0; i < check->figure_count; i++) {
        const struct check_figure *figure = &check->figures[i];
        const char *text = arena_printf(arena, "%s %s", check_title(arena, figure),
                                        unit_text(arena, figure->value, check_unit(figure->unit)));
        line = text_join(arena, line, " · ", text);
    }
    if (*line)
        fprintf(screen->stream, "    %s\n", line);
}

static const char *shown(struct screen *screen, const char *text)
{
    return text_printable(screen->arena, text, SIZE_MAX);
}

static const char *id_of(const struct check *check)
{
    return check->device ? check->device : "-";
}

void check_console(const struct run *run, FILE *stream)
{
    struct screen screen;
    size_t id_columns = 0, name_columns = 0;
    screen_init(&screen, false, SCREEN_COLUMNS);
    for (size_t i = 0; i < run->check_count; i++) {
        screen_widen(&id_columns, shown(&screen, id_of(&run->checks[i])));
        screen_widen(&name_columns, shown(&screen, name_of(run, &run->checks[i])));
    }
    for (size_t i = 0; i < run->check_count; i++) {
        const struct check *check = &run->checks[i];
        const char *text = check->cause ? check->cause : "";
        for (size_t r = 0; r < check->remark_count; r++)
            text = text_join(screen.arena, text, "; ", check->remarks[r]);
        screen_left(&screen, shown(&screen, id_of(check)), id_columns + 2);
        screen_left(&screen, shown(&screen, name_of(run, check)), name_columns + 2);
        fputs(words_name(&check_verdict_words, check->verdict), screen.stream);
        fprintf(screen.stream, *text ? ": %s\n" : "%s\n", shown(&screen, text));
        if (check->code == CHECK_NO_EXPECTATION)
            print_figures(check, &screen);
    }
    screen_finish(&screen, stream);
}

// ---------------------------------------------------------------- metrics for Prometheus

static void put_label(const char *text, FILE *stream)
{
    for (; text && *text; text++)
        if (*text == '\n')
            fputs("\\n", stream);
        else
            fprintf(stream, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
}

// Begins the line of a metric, up to its labels `uuid` and `index`.
static void put_name(const char *name, const struct check *check, FILE *stream)
{
    fprintf(stream, "%s{uuid=\"", name);
    put_label(check->uuid, stream);
    fprintf(stream, "\",index=\"%zu\"", check->index);
}

static void put_head(const char *name, const char *help, FILE *stream)
{
    fprintf(stream, "# HELP %s %s\n# TYPE %s gauge\n", name, help, name);
}

static void put_status(const struct run *run, FILE *stream)
{
    put_head("fathom_check_status", "1 for the verdict of the device, 0 for the others.", stream);
    for (size_t i = 0; i < run->check_count; i++)
        for (unsigned v = 0; v < CHECK_VERDICT_COUNT; v++) {
            put_name("fathom_check_status", &run->checks[i], stream);
            fprintf(stream, ",status=\"%s\"} %d\n", words_name(&check_verdict_words, v),
                    v == run->checks[i].verdict);
        }
    put_head("fathom_check_info", "Always 1; its labels have the cause of the verdict.", stream);
    for (size_t i = 0; i < run->check_count; i++) {
        put_name("fathom_check_info", &run->checks[i], stream);
        fprintf(stream, ",code=\"%s\",name=\"", words_name(&check_code_words, run->checks[i].code));
        put_label(name_of(run, &run->checks[i]), stream);
        fputs("\"} 1\n", stream);
    }
}

// The Prometheus metrics of a check, by the unit of a figure. A metric is a figure times `scale`.
static const struct {
    enum unit unit;
    const char *name, *help;
    double scale;
} figure_metrics[] = {
    {UNIT_BYTE_PER_S, "fathom_check_bytes_per_second", "A bandwidth.", 1},
    {UNIT_OP_PER_S, "fathom_check_operations_per_second", "A rate of operations.", 1},
    {UNIT_NS, "fathom_check_latency_seconds", "A latency.", 1e-9},
};

static void put_figures(const struct run *run, bool expected, size_t at, FILE *stream)
{
    for (size_t i = 0; i < run->check_count; i++)
        for (size_t f = 0; f < run->checks[i].figure_count; f++) {
            const struct check_figure *figure = &run->checks[i].figures[f];
            double value = expected ? figure->expected : figure->value;
            if (figure->unit != figure_metrics[at].unit || !isfinite(value))
                continue;
            fputs(figure_metrics[at].name, stream);
            put_name(expected ? "_expected" : "", &run->checks[i], stream);
            fprintf(stream, ",metric=\"%s\"", words_name(&check_metric_words, figure->metric));
            if (isfinite(figure->peer))
                fprintf(stream, ",peer=\"%.0f\"", figure->peer);
            fprintf(stream, "} %.9g\n", value * figure_metrics[at].scale);
        }
}

static void put_states(const struct run *run, const char *name, const char *help, size_t offset,
                       FILE *stream)
{
    put_head(name, help, stream);
    for (size_t i = 0; i < run->check_count; i++) {
        double value;
        memcpy(&value, (const char *)&run->checks[i].state + offset, sizeof value);
        if (!isfinite(value))
            continue;
        put_name(name, &run->checks[i], stream);
        fprintf(stream, "} %.9g\n", value);
    }
}

void check_prometheus(const struct run *run, double now_s, double success_s, FILE *stream)
{
    static const struct {
        const char *name, *help;
        size_t offset;
    } states[] = {
#define STATE(member, name, help) {name, help, offsetof(struct check_state, member)}
        STATE(core_clock_hz, "fathom_check_core_clock_hertz", "Core clock under load."),
        STATE(memory_clock_hz, "fathom_check_memory_clock_hertz", "Memory clock under load."),
        STATE(power_w, "fathom_check_power_watts", "Highest power seen."),
        STATE(power_limit_w, "fathom_check_power_limit_watts", "Power limit."),
        STATE(temperature_c, "fathom_check_temperature_celsius", "Highest temperature seen."),
        STATE(link_width, "fathom_check_link_lanes", "Lanes of the link under load."),
        STATE(link_generation, "fathom_check_link_generation", "Generation of the link."),
        STATE(nvlinks_active, "fathom_check_nvlinks", "Links to other cards that work."),
        STATE(remapped_rows, "fathom_check_remapped_rows", "Rows of memory that were replaced."),
        STATE(retired_pages, "fathom_check_retired_pages", "Pages of memory out of use."),
#undef STATE
    };
    put_status(run, stream);
    for (size_t at = 0; at < sizeof figure_metrics / sizeof *figure_metrics; at++) {
        put_head(figure_metrics[at].name, figure_metrics[at].help, stream);
        put_figures(run, false, at, stream);
        fprintf(stream, "# HELP %s_expected What is expected.\n# TYPE %s_expected gauge\n",
                figure_metrics[at].name, figure_metrics[at].name);
        put_figures(run, true, at, stream);
    }
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        put_states(run, states[i].name, states[i].help, states[i].offset, stream);
    put_head("fathom_check_time_seconds", "When the check ended, since 1970.", stream);
    fprintf(stream, "fathom_check_time_seconds %.0f\n", now_s);
    put_head("fathom_check_last_success_seconds",
             "When a check last found every device healthy, since 1970; 0: never.", stream);
    fprintf(stream, "fathom_check_last_success_seconds %.0f\n", success_s);
}
