// SPDX-License-Identifier: MIT
#include "base/text.h"
#include "report/export.h"
#include "results/names.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum {
    METRIC_FIELDS = 9 // number of columns from "metric" to "of_limit"
};

struct csv {
    FILE *stream;
    struct arena *arena;
    const struct run *run;
    const char **keys; // keys of the parameters that have a column, each once
    size_t key_count, key_capacity;
    const char **sensors; // names of the sensors that have a column, each once
    size_t sensor_count, sensor_capacity;
    bool line_begun;
};

static void put(struct csv *csv, const char *text)
{
    if (csv->line_begun)
        fputc(',', csv->stream);
    csv->line_begun = true;
    if (!text)
        return;
    if (!text[strcspn(text, ",\"\r\n")]) {
        fputs(text, csv->stream);
        return;
    }
    fputc('"', csv->stream);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', csv->stream);
        fputc(*text, csv->stream);
    }
    fputc('"', csv->stream);
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

static const char **name_add(struct arena *arena, const char **names, size_t *count,
                             size_t *capacity, const char *name)
{
    for (size_t i = 0; i < *count; i++)
        if (strcmp(names[i], name) == 0)
            return names;
    names = arena_grow(arena, names, *count, capacity, sizeof *names);
    names[(*count)++] = name;
    return names;
}

static void columns_find(struct csv *csv)
{
    for (size_t i = 0; i < csv->run->result_count; i++) {
        const struct result *result = csv->run->results[i];
        for (size_t j = 0; j < result->bench_case.value_count; j++)
            if (result->bench_case.values[j].role != PARAM_DISPLAY)
                csv->keys = name_add(csv->arena, csv->keys, &csv->key_count, &csv->key_capacity,
                                     result->bench_case.values[j].key);
        for (size_t j = 0; j < result->sensor_count; j++)
            csv->sensors = name_add(csv->arena, csv->sensors, &csv->sensor_count,
                                    &csv->sensor_capacity, result->sensors[j].name);
    }
}

static void put_head(struct csv *csv)
{
    static const char *const before[] = {"device", "device_name", "benchmark", "version", "key"};
    static const char *const after[] = {"verdict", "reasons",      "metric",   "unit",
                                        "better",  "median",       "ci95_low", "ci95_high",
                                        "n",       "limit",        "of_limit", "preset",
                                        "started", "tool_version", "share"};
    for (size_t i = 0; i < sizeof before / sizeof *before; i++)
        put(csv, before[i]);
    for (size_t i = 0; i < csv->key_count; i++)
        put(csv, csv->keys[i]);
    for (size_t i = 0; i < sizeof after / sizeof *after; i++)
        put(csv, after[i]);
    for (size_t i = 0; i < csv->sensor_count; i++)
        put(csv, csv->sensors[i]);
    line_end(csv);
}

static const char *device_name(const struct run *run, const char *id)
{
    for (size_t i = 0; i < run->device_count; i++)
        if (strcmp(run->devices[i].id, id) == 0)
            return run->devices[i].name;
    return NULL;
}

static const char *reason_codes(struct arena *arena, const struct result *result)
{
    const char *codes = "";
    for (size_t i = 0; i < result->reason_count; i++)
        codes = text_join(arena, codes, " ", result->reasons[i].code);
    return codes;
}

static void put_case(struct csv *csv, const struct result *result)
{
    put(csv, result->device);
    put(csv, device_name(csv->run, result->device));
    put(csv, result->benchmark);
    put_uint(csv, result->version);
    put(csv, result->key);
    for (size_t i = 0; i < csv->key_count; i++) {
        const struct case_value *value = case_find(&result->bench_case, csv->keys[i]);
        put(csv, value ? case_value_text(csv->arena, value) : NULL);
    }
    put(csv, verdict_name(result->verdict));
    put(csv, reason_codes(csv->arena, result));
}

static void put_metric(struct csv *csv, const struct metric *metric)
{
    put(csv, metric->name);
    put(csv, unit_name(metric->unit));
    put(csv, words_name(&better_words, metric->better));
    put_real(csv, metric->median);
    put_real(csv, metric->ci95[0]);
    put_real(csv, metric->ci95[1]);
    put_uint(csv, metric->n);
    double share = metric_share(metric, metric->median);
    put_real(csv, isfinite(share) ? metric->limit : NAN);
    put_real(csv, metric->better == BETTER_LOWER ? NAN : share);
}

// Writes one row. `metric` = NULL: the case has no metric.
static void put_row(struct csv *csv, const struct result *result, const struct metric *metric)
{
    put_case(csv, result);
    if (metric)
        put_metric(csv, metric);
    else
        for (int field = 0; field < METRIC_FIELDS; field++)
            put(csv, NULL);
    put(csv, csv->run->preset);
    put(csv, csv->run->started);
    put(csv, csv->run->tool_version);
    put_real(csv, metric ? metric_share(metric, metric->median) : NAN);
    for (size_t i = 0; i < csv->sensor_count; i++) {
        const struct named_number *sensor = result_sensor(result, csv->sensors[i]);
        put_real(csv, sensor ? sensor->value : NAN);
    }
    line_end(csv);
}

static void put_result(struct csv *csv, const struct result *result)
{
    for (size_t i = 0; i < result->metric_count; i++)
        put_row(csv, result, &result->metrics[i]);
    if (!result->metric_count)
        put_row(csv, result, NULL);
}

bool csv_write(const struct run *run, FILE *stream, struct error *err)
{
    struct csv csv = {.stream = stream, .arena = arena_create(), .run = run};
    columns_find(&csv);
    put_head(&csv);
    for (size_t i = 0; i < run->result_count; i++) {
        struct arena_mark mark = arena_mark(csv.arena);
        put_result(&csv, run->results[i]);
        arena_rewind(csv.arena, mark);
    }
    arena_destroy(csv.arena);
    errno = EIO;
    if (fflush(stream) != 0 || ferror(stream))
        return error_set(err, ERROR_IO, "cannot write the CSV: %s", strerror(errno));
    return true;
}
