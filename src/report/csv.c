// SPDX-License-Identifier: MIT
#include "base/text.h"
#include "report/export.h"
#include "results/codec.h"
#include "results/json.h"
#include "results/names.h"
#include "results/save.h"

#include <math.h>
#include <string.h>

// The names of the CSV columns. docs/DATA.md explains them. web/src/csv.ts writes the same columns.
static const char *const columns[] = {
    "key",     "benchmark",  "metric",  "value",        "low",     "high",
    "unit",    "parameters", "device",  "device_name",  "verdict", "reasons",
    "better",  "at_least",   "n",       "limit",        "share",   "version",
    "sensors", "preset",     "started", "tool_version", "schema",
};

struct csv {
    FILE *stream;
    struct arena *arena;
    const struct run *run;
    bool line_begun;
};

bool export_end(FILE *stream, const char *what, struct error *err)
{
    int failed = file_flush(stream);
    return failed == 0 || error_set(err, ERROR_IO, "cannot write %s: %s", what, strerror(failed));
}

void csv_field(const char *text, FILE *stream)
{
    if (!text[strcspn(text, ",\"\r\n")]) {
        fputs(text, stream);
        return;
    }
    fputc('"', stream);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', stream);
        fputc(*text, stream);
    }
    fputc('"', stream);
}

static void put(struct csv *csv, const char *text)
{
    if (csv->line_begun)
        fputc(',', csv->stream);
    csv->line_begun = true;
    csv_field(text ? text : "", csv->stream);
}

static void put_real(struct csv *csv, double value)
{
    char text[REAL_BYTES] = "";
    if (isfinite(value))
        real_format(value, text);
    put(csv, text);
}

static void line_end(struct csv *csv)
{
    fputc('\n', csv->stream);
    csv->line_begun = false;
}

static const char *reason_codes(struct arena *arena, const struct result *result)
{
    const char *codes = "";
    for (size_t i = 0; i < result->reason_count; i++)
        codes = text_join(arena, codes, " ", result->reasons[i].code);
    return codes;
}

// Returns the values of the case as a JSON object: {"path":"vector","bytes":1024}.
static const char *parameters_text(struct arena *arena, const struct result *result)
{
    struct json_out out = {.arena = arena};
    run_put_case(&out, NULL, result);
    return json_out_text(&out);
}

// Returns the sensors as a JSON object: {"core_clock":1980000000}.
static const char *sensors_text(struct arena *arena, const struct result *result)
{
    struct json_out out = {.arena = arena};
    json_put_open(&out, NULL, '{');
    for (size_t i = 0; i < result->sensor_count; i++)
        json_put_real(&out, result->sensors[i].name, result->sensors[i].value);
    json_put_close(&out, '}');
    return json_out_text(&out);
}

// Writes the row of a metric. If `metric` is NULL, the columns of the metric stay empty.
static void put_row(struct csv *csv, const struct result *result, const struct metric *metric)
{
    static const struct metric none = {.median = NAN, .ci95 = {NAN, NAN}};
    const struct metric *shown = metric ? metric : &none;
    const struct run_device *device = run_find_device(csv->run, result->device);
    put(csv, result->key);
    put(csv, result->benchmark);
    put(csv, shown->name);
    put_real(csv, shown->median);
    put_real(csv, shown->ci95[0]);
    put_real(csv, shown->ci95[1]);
    put(csv, metric ? unit_name(metric->unit) : NULL);
    put(csv, parameters_text(csv->arena, result));
    put(csv, result->device);
    put(csv, device ? device->name : NULL);
    put(csv, verdict_name(result->verdict));
    put(csv, reason_codes(csv->arena, result));
    put(csv, metric ? words_name(&better_words, metric->better) : NULL);
    put(csv, !metric ? NULL : metric->at_least ? "true" : "false");
    put(csv, metric ? arena_printf(csv->arena, "%zu", metric->n) : NULL);
    put_real(csv, shown->limit != 0 ? shown->limit : NAN);
    put_real(csv, metric_share(shown, shown->median));
    put(csv, arena_printf(csv->arena, "%u", result->version));
    put(csv, sensors_text(csv->arena, result));
    put(csv, csv->run->preset);
    put(csv, csv->run->started);
    put(csv, csv->run->tool_version);
    put(csv, CSV_SCHEMA);
    line_end(csv);
}

bool csv_write(const struct run *run, FILE *stream, struct error *err)
{
    struct csv csv = {.stream = stream, .arena = arena_create(), .run = run};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        put(&csv, columns[i]);
    line_end(&csv);
    for (size_t i = 0; i < run->result_count; i++) {
        struct arena_mark mark = arena_mark(csv.arena);
        const struct result *result = run->results[i];
        for (size_t m = 0; m < result->metric_count; m++)
            put_row(&csv, result, &result->metrics[m]);
        if (!result->metric_count)
            put_row(&csv, result, NULL);
        arena_rewind(csv.arena, mark);
    }
    arena_destroy(csv.arena);
    return export_end(stream, "the CSV", err);
}
