// SPDX-License-Identifier: MIT
#include "suite/protocol.h"

#include "results/names.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// What drivers say is not always UTF-8, which jansson insists on.
static json_t *text_json(const char *text)
{
    if (!text)
        return json_null();
    json_t *json = json_string(text);
    if (json)
        return json;
    struct arena *scratch = arena_create();
    char *ascii = arena_strdup(scratch, text);
    for (char *at = ascii; *at; at++)
        if ((unsigned char)*at >= 0x80)
            *at = '?';
    json = json_string(ascii);
    arena_destroy(scratch);
    return json;
}

static json_t *number_json(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *count_json(uint64_t value)
{
    return json_integer(value <= INT64_MAX ? (json_int_t)value : INT64_MAX);
}

static json_t *numbers_json(const double *values, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(array, number_json(values[i]));
    return array;
}

// {"kind": body} on one line.
static const char *line(struct arena *arena, const char *kind, json_t *body)
{
    json_t *message = json_object();
    json_object_set_new(message, kind, body);
    char *text = json_dumps(message, JSON_COMPACT | JSON_REAL_PRECISION(17));
    const char *kept = arena_strdup(arena, text ? text : "{}");
    free(text);
    json_decref(message);
    return kept;
}

// ---------------------------------------------------------------- orders and failures

static json_t *case_json(struct arena *arena, const struct bench_case *bench_case)
{
    json_t *json = json_object();
    for (size_t i = 0; i < bench_case->value_count; i++)
        json_object_set_new(json, bench_case->values[i].key,
                            text_json(case_value_text(arena, &bench_case->values[i])));
    return json;
}

const char *protocol_write_order(struct arena *arena, const struct visit_order *order)
{
    const struct measure_request *request = order->request;
    json_t *body = json_object();
    json_object_set_new(body, "benchmark", text_json(order->benchmark->info.name));
    json_object_set_new(body, "version", count_json(order->benchmark->info.version));
    json_object_set_new(body, "index", count_json(order->index));
    json_object_set_new(body, "case", case_json(arena, order->bench_case));
    json_object_set_new(body, "samples", count_json(request->samples));
    json_object_set_new(body, "sample_ns", count_json(request->sample_ns));
    json_object_set_new(body, "timeout_ns", count_json(request->timeout_ns));
    json_object_set_new(body, "round", count_json(request->round));
    if (order->waits)
        json_object_set_new(body, "waits", json_true());
    return line(arena, "visit", body);
}

const char *protocol_write_failure(struct arena *arena, const struct error *failure)
{
    json_t *body = json_object();
    json_object_set_new(body, "code", text_json(error_code_name(failure->code)));
    json_object_set_new(body, "message", text_json(failure->message));
    return line(arena, "failure", body);
}

const char *protocol_write_gate(struct arena *arena)
{
    return line(arena, "gate", json_object());
}

// ---------------------------------------------------------------- visits

static json_t *metrics_json(const struct benchmark_info *info, const struct measure_visit *visit)
{
    json_t *array = json_array();
    for (size_t i = 0; i < info->metric_count && i < MEASURE_METRICS_MAX; i++) {
        const struct measure_samples *samples = &visit->metrics[i];
        if (!samples->values)
            continue;
        json_t *metric = json_object();
        json_object_set_new(metric, "metric", count_json(i));
        json_object_set_new(metric, "values", numbers_json(samples->values, samples->count));
        json_object_set_new(metric, "step", number_json(samples->step));
        json_object_set_new(metric, "half", number_json(samples->half));
        json_object_set_new(metric, "limit", number_json(samples->limit));
        json_array_append_new(array, metric);
    }
    return array;
}

static json_t *reasons_json(const struct measure_visit *visit)
{
    json_t *array = json_array();
    for (size_t i = 0; i < visit->reason_count; i++) {
        json_t *reason = json_object();
        json_object_set_new(reason, "code", text_json(visit->reasons[i].code));
        json_object_set_new(reason, "text", text_json(visit->reasons[i].text));
        json_array_append_new(array, reason);
    }
    return array;
}

static json_t *details_json(const struct measure_visit *visit)
{
    json_t *array = json_array();
    for (size_t i = 0; i < visit->detail_count; i++) {
        json_t *detail = json_object();
        json_object_set_new(detail, "name", text_json(visit->details[i].name));
        json_object_set_new(detail, "text", text_json(visit->details[i].text));
        json_array_append_new(array, detail);
    }
    return array;
}

static json_t *sensors_json(const struct measure_visit *visit)
{
    json_t *array = json_array();
    for (size_t i = 0; i < visit->sensor_count; i++) {
        json_t *sensor = json_object();
        json_object_set_new(sensor, "name", text_json(visit->sensors[i].name));
        json_object_set_new(sensor, "unit", text_json(unit_name(visit->sensors[i].unit)));
        json_object_set_new(sensor, "value", number_json(visit->sensors[i].value));
        json_array_append_new(array, sensor);
    }
    return array;
}

static json_t *series_json(const struct measure_visit *visit)
{
    json_t *array = json_array();
    for (size_t i = 0; i < visit->series_count; i++) {
        const struct series *series = &visit->series[i];
        json_t *one = json_object(), *columns = json_array();
        for (size_t k = 0; k < series->column_count; k++)
            json_array_append_new(columns, text_json(series->columns[k]));
        json_object_set_new(one, "name", text_json(series->name));
        json_object_set_new(one, "columns", columns);
        json_object_set_new(one, "data",
                            numbers_json(series->data, series->row_count * series->column_count));
        json_array_append_new(array, one);
    }
    return array;
}

static json_t *kernel_json(const struct kernel_info *kernel)
{
    json_t *json = json_object();
    json_object_set_new(json, "hash", text_json(kernel->hash));
    json_object_set_new(json, "source", text_json(kernel->source));
    json_object_set_new(json, "registers", number_json(kernel->registers));
    json_object_set_new(json, "spill_bytes", number_json(kernel->spill_bytes));
    json_object_set_new(json, "loads", number_json(kernel->loads));
    return json;
}

const char *protocol_write_visit(struct arena *arena, const struct benchmark_info *info,
                                 const struct measure_visit *visit)
{
    json_t *body = json_object();
    json_object_set_new(body, "metrics", metrics_json(info, visit));
    json_object_set_new(body, "doubts", reasons_json(visit));
    json_object_set_new(body, "details", details_json(visit));
    json_object_set_new(body, "sensors", sensors_json(visit));
    json_object_set_new(body, "series", series_json(visit));
    json_object_set_new(body, "kernel", kernel_json(&visit->kernel));
    json_object_set_new(body, "device_time_ns", count_json(visit->device_time_ns));
    json_object_set_new(body, "began_ns", count_json(visit->began_ns));
    json_object_set_new(body, "ended_ns", count_json(visit->ended_ns));
    return line(arena, "visit", body);
}
