// SPDX-License-Identifier: MIT
#include "results/json.h"
#include "results/json_text.h"
#include "results/names.h"
#include "results/save.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

static json_t *number_of_uint(uint64_t value)
{
    return value <= INT64_MAX ? json_integer((json_int_t)value) : json_real((double)value);
}

// The name of a member comes from outside: repaired as well.
static void put_named(json_t *object, const char *name, json_t *value)
{
    if (json_object_set(object, name, value) != 0) {
        json_t *repaired = json_text_of(name);
        json_object_set(object, json_string_value(repaired), value);
        json_decref(repaired);
    }
    json_decref(value);
}

static json_t *texts_of(const struct named_text *texts, size_t count)
{
    json_t *object = json_object();
    for (size_t i = 0; i < count; i++)
        put_named(object, texts[i].name, json_text_of(texts[i].text));
    return object;
}

static json_t *numbers_of(const struct named_number *numbers, size_t count)
{
    json_t *object = json_object();
    for (size_t i = 0; i < count; i++) {
        json_t *number = json_object();
        json_put_number(number, "value", numbers[i].value);
        json_put_text(number, "unit", unit_name(numbers[i].unit));
        put_named(object, numbers[i].name, number);
    }
    return object;
}

static json_t *strings_of(const char *const *texts, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(array, json_text_of(texts[i]));
    return array;
}

static json_t *reals_of(const double *values, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(array, json_number_of(values[i]));
    return array;
}

static json_t *device_of(const struct run_device *device)
{
    json_t *object = json_object();
    json_put_text(object, "id", device->id);
    json_put_text(object, "name", device->name);
    json_put_text(object, "vendor", device->vendor);
    json_put_text(object, "driver", device->driver);
    json_put_text(object, "api_version", device->api_version);
    json_put_text(object, "kind", device->kind);
    json_put_text(object, "uuid", device->uuid);
    json_put_text(object, "pci", device->pci);
    json_object_set_new(object, "limits", numbers_of(device->limits, device->limit_count));
    return object;
}

static json_t *param_of(const struct param_info *param)
{
    json_t *object = json_object();
    json_put_text(object, "key", param->key);
    json_put_text(object, "type", param_type_name(param->type));
    json_put_text(object, "unit", unit_name(param->unit));
    json_put_text(object, "role", param_role_name(param->role));
    json_put_text(object, "choices", param->choices);
    json_put_text(object, "help", param->help);
    return object;
}

static json_t *metric_info_of(const struct metric_info *metric)
{
    json_t *object = json_object();
    json_put_text(object, "name", metric->name);
    json_put_text(object, "unit", unit_name(metric->unit));
    json_put_text(object, "better", better_name(metric->better));
    json_put_text(object, "help", metric->help);
    return object;
}

static json_t *view_of(const struct view_info *view)
{
    json_t *object = json_object();
    json_put_text(object, "kind", view_kind_name(view->kind));
    json_put_text(object, "title", view->title);
    json_put_text(object, "x", view->x);
    json_put_text(object, "y", view->y);
    json_put_text(object, "metric", view->metric);
    json_put_text(object, "group", view->group);
    json_put_text(object, "scale", view->scale);
    json_put_text(object, "where", view->where);
    return object;
}

static json_t *benchmark_of(const struct benchmark_info *info)
{
    json_t *object = json_object(), *params = json_array(), *metrics = json_array(),
           *views = json_array();
    json_put_text(object, "name", info->name);
    json_object_set_new(object, "version", json_integer(info->version));
    json_put_text(object, "title", info->title);
    for (size_t i = 0; i < info->param_count; i++)
        if (info->params[i].role != PARAM_DISPLAY)
            json_array_append_new(params, param_of(&info->params[i]));
    for (size_t i = 0; i < info->metric_count; i++)
        json_array_append_new(metrics, metric_info_of(&info->metrics[i]));
    for (size_t i = 0; i < info->view_count; i++)
        if (info->views[i].kind != VIEW_LINES)
            json_array_append_new(views, view_of(&info->views[i]));
    json_object_set_new(object, "params", params);
    json_object_set_new(object, "metrics", metrics);
    json_object_set_new(object, "views", views);
    return object;
}

static json_t *case_of(const struct bench_case *bench_case)
{
    json_t *object = json_object();
    for (size_t i = 0; i < bench_case->value_count; i++) {
        const struct case_value *value = &bench_case->values[i];
        if (value->role == PARAM_DISPLAY)
            continue;
        json_t *json = value->type == PARAM_TEXT   ? json_text_of(value->text ? value->text : "")
                       : value->type == PARAM_REAL ? json_number_of(value->real)
                                                   : number_of_uint(value->uint);
        put_named(object, value->key, json);
    }
    return object;
}

static json_t *metric_of(const struct metric *metric)
{
    json_t *object = json_object();
    json_put_text(object, "name", metric->name);
    json_put_text(object, "unit", unit_name(metric->unit));
    json_put_text(object, "better", better_name(metric->better));
    json_put_number(object, "median", metric->median);
    if (isfinite(metric->ci95[0]) && isfinite(metric->ci95[1]))
        json_object_set_new(object, "ci95", reals_of(metric->ci95, 2));
    json_object_set_new(object, "n", number_of_uint(metric->n));
    if (metric->limit != 0) {
        json_put_number(object, "limit", metric->limit);
        json_put_number(object, "of_limit", metric->median / metric->limit);
    }
    if (metric->round_count)
        json_object_set_new(object, "rounds", reals_of(metric->round_medians, metric->round_count));
    return object;
}

static json_t *series_of(const struct series *series)
{
    json_t *object = json_object(), *rows = json_array();
    json_put_text(object, "name", series->name);
    json_object_set_new(object, "columns", strings_of(series->columns, series->column_count));
    for (size_t i = 0; i < series->row_count; i++)
        json_array_append_new(
            rows, reals_of(series->data + i * series->column_count, series->column_count));
    json_object_set_new(object, "data", rows);
    return object;
}

static json_t *kernel_of(const struct kernel_info *kernel)
{
    json_t *object = json_object();
    json_put_text(object, "hash", kernel->hash);
    json_put_text(object, "source", kernel->source);
    json_put_number(object, "registers", kernel->registers);
    json_put_number(object, "spill_bytes", kernel->spill_bytes);
    json_put_number(object, "loads", kernel->loads);
    return object;
}

static json_t *reasons_of(const struct result *result)
{
    json_t *array = json_array();
    for (size_t i = 0; i < result->reason_count; i++) {
        json_t *reason = json_object();
        json_put_text(reason, "code", result->reasons[i].code);
        json_put_text(reason, "text", result->reasons[i].text);
        json_array_append_new(array, reason);
    }
    return array;
}

static json_t *result_of(const struct result *result)
{
    json_t *object = json_object(), *metrics = json_array(), *series = json_array();
    json_put_text(object, "key", result->key);
    json_put_text(object, "benchmark", result->benchmark);
    json_object_set_new(object, "version", json_integer(result->version));
    json_put_text(object, "device", result->device);
    json_object_set_new(object, "case", case_of(&result->bench_case));
    json_put_text(object, "verdict", verdict_name(result->verdict));
    json_object_set_new(object, "reasons", reasons_of(result));
    for (size_t i = 0; i < result->metric_count; i++)
        json_array_append_new(metrics, metric_of(&result->metrics[i]));
    json_object_set_new(object, "metrics", metrics);
    json_object_set_new(object, "details", texts_of(result->details, result->detail_count));
    json_object_set_new(object, "sensors", numbers_of(result->sensors, result->sensor_count));
    for (size_t i = 0; i < result->series_count; i++)
        json_array_append_new(series, series_of(&result->series[i]));
    json_object_set_new(object, "series", series);
    if (result->kernel.hash)
        json_object_set_new(object, "kernel", kernel_of(&result->kernel));
    return object;
}

static json_t *finding_of(const struct finding *finding)
{
    json_t *object = json_object();
    json_put_text(object, "code", finding->code);
    json_put_text(object, "text", finding->text);
    json_put_text(object, "device", finding->device);
    json_put_number(object, "value", finding->value);
    json_object_set_new(object, "keys", strings_of(finding->keys, finding->key_count));
    return object;
}

// ---------------------------------------------------------------- the stream

static void dump_member(FILE *stream, const char *name, json_t *json)
{
    fputs(",\n\"", stream);
    fputs(name, stream);
    fputs("\":", stream);
    json_put(json, stream);
}

// One element a line: elements are made and dropped one by one, so a long run needs no tree.
#define DUMP_LIST(stream, name, count, element)                                                    \
    do {                                                                                           \
        fputs(",\n\"" name "\":[", stream);                                                        \
        for (size_t i = 0; i < (count); i++) {                                                     \
            fputs(i ? ",\n" : "\n", stream);                                                       \
            json_put(element, stream);                                                             \
        }                                                                                          \
        fputs("]", stream);                                                                        \
    } while (0)

static json_t *tool_of(const struct run *run)
{
    json_t *tool = json_object();
    json_put_text(tool, "version", run->tool_version);
    json_put_text(tool, "commit", run->tool_commit);
    json_put_text(tool, "build", run->tool_build);
    return tool;
}

bool run_write(const struct run *run, FILE *stream, struct error *err)
{
    fputs("{\"schema\":\"" RUN_SCHEMA "\"", stream);
    dump_member(stream, "status", json_string(run_status_name(run->status)));
    dump_member(stream, "tool", tool_of(run));
    if (run->started)
        dump_member(stream, "started", json_text_of(run->started));
    dump_member(stream, "command", strings_of(run->command, run->command_count));
    if (run->preset)
        dump_member(stream, "preset", json_text_of(run->preset));
    if (run->seed)
        dump_member(stream, "seed", number_of_uint(run->seed));
    dump_member(stream, "host", texts_of(run->host, run->host_count));
    DUMP_LIST(stream, "devices", run->device_count, device_of(&run->devices[i]));
    DUMP_LIST(stream, "benchmarks", run->benchmark_count, benchmark_of(run->benchmarks[i]));
    DUMP_LIST(stream, "results", run->result_count, result_of(run->results[i]));
    DUMP_LIST(stream, "findings", run->finding_count, finding_of(&run->findings[i]));
    fputs("}\n", stream);
    errno = EIO;
    if (fflush(stream) != 0 || ferror(stream))
        return error_set(err, ERROR_IO, "cannot write the run: %s", strerror(errno));
    return true;
}

static bool write_run(void *context, FILE *stream, struct error *err)
{
    return run_write(context, stream, err);
}

bool run_save(const struct run *run, const char *path, struct error *err)
{
    return file_save(path, write_run, (void *)run, err);
}
