// SPDX-License-Identifier: MIT
#include "base/text.h"
#include "report/export.h"
#include "results/codec.h"
#include "results/json.h"
#include "results/names.h"

#include <errno.h>
#include <inttypes.h>
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
    errno = EIO; // the reason of an earlier failure is lost; EIO takes its place
    return (fflush(stream) == 0 && !ferror(stream)) ||
           error_set(err, ERROR_IO, "cannot write %s: %s", what, strerror(errno));
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

static void put_uint(struct csv *csv, uint64_t value)
{
    put(csv, arena_printf(csv->arena, "%" PRIu64, value));
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

static void put_result_columns(struct csv *csv, const struct result *result)
{
    put(csv, parameters_text(csv->arena, result));
    put(csv, result->device);
    const struct run_device *device = run_find_device(csv->run, result->device);
    put(csv, device ? device->name : NULL);
    put(csv, verdict_name(result->verdict));
    put(csv, reason_codes(csv->arena, result));
}

static void put_run_columns(struct csv *csv, const struct result *result)
{
    put_uint(csv, result->version);
    put(csv, sensors_text(csv->arena, result));
    put(csv, csv->run->preset);
    put(csv, csv->run->started);
    put(csv, csv->run->tool_version);
    put(csv, CSV_SCHEMA);
}

static void put_row(struct csv *csv, const struct result *result, const struct metric *metric)
{
    put(csv, result->key);
    put(csv, result->benchmark);
    put(csv, metric->name);
    put_real(csv, metric->median);
    put_real(csv, metric->ci95[0]);
    put_real(csv, metric->ci95[1]);
    put(csv, unit_name(metric->unit));
    put_result_columns(csv, result);
    put(csv, words_name(&better_words, metric->better));
    put(csv, metric->at_least ? "true" : "false");
    put_uint(csv, metric->n);
    put_real(csv, metric->limit != 0 ? metric->limit : NAN);
    put_real(csv, metric_share(metric, metric->median));
    put_run_columns(csv, result);
    line_end(csv);
}

static void put_row_without_metric(struct csv *csv, const struct result *result)
{
    enum {
        BEFORE = 5, // number of CSV columns from "metric" to "unit"
        BEHIND = 5  // number of CSV columns from "better" to "share"
    };
    put(csv, result->key);
    put(csv, result->benchmark);
    for (int column = 0; column < BEFORE; column++)
        put(csv, NULL);
    put_result_columns(csv, result);
    for (int column = 0; column < BEHIND; column++)
        put(csv, NULL);
    put_run_columns(csv, result);
    line_end(csv);
}

static void put_result(struct csv *csv, const struct result *result)
{
    for (size_t i = 0; i < result->metric_count; i++)
        put_row(csv, result, &result->metrics[i]);
    if (!result->metric_count)
        put_row_without_metric(csv, result);
}

bool csv_write(const struct run *run, FILE *stream, struct error *err)
{
    struct csv csv = {.stream = stream, .arena = arena_create(), .run = run};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        put(&csv, columns[i]);
    line_end(&csv);
    for (size_t i = 0; i < run->result_count; i++) {
        struct arena_mark mark = arena_mark(csv.arena);
        put_result(&csv, run->results[i]);
        arena_rewind(csv.arena, mark);
    }
    arena_destroy(csv.arena);
    return export_end(stream, "the CSV", err);
}
