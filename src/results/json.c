// SPDX-License-Identifier: MIT
// Describes the members of a run file, in the order of the file.
#include "results/json.h"
#include "results/check.h"
#include "results/codec.h"
#include "results/names.h"

#include <math.h>
#include <string.h>

// ---------------------------------------------------------------- tables shared with workers

static const struct json_field reason_fields[] = {
    {"code", FIELD_TEXT, JSON_AT(struct reason, code), .required = true},
    {"text", FIELD_TEXT, JSON_AT(struct reason, text), .required = true},
};
const struct json_table reason_table = {JSON_TABLE(struct reason, reason_fields)};

static const struct json_field named_text_fields[] = {
    {"name", FIELD_TEXT, JSON_AT(struct named_text, name), .required = true},
    {"text", FIELD_TEXT, JSON_AT(struct named_text, text), .required = true},
};
const struct json_table named_text_table = {JSON_TABLE(struct named_text, named_text_fields)};

static const struct json_field named_number_fields[] = {
    {"name", FIELD_TEXT, JSON_AT(struct named_number, name), .required = true},
    {"value", FIELD_REAL, JSON_AT(struct named_number, value)},
    {"unit", FIELD_WORD, JSON_AT(struct named_number, unit), .words = &unit_words},
};
const struct json_table named_number_table = {JSON_TABLE(struct named_number, named_number_fields)};

static void rows_put(struct json_out *out, const char *name, const void *object)
{
    const struct series *series = object;
    json_put_open(out, name, '[');
    for (size_t i = 0; i < series->row_count; i++)
        json_put_reals(out, NULL, series->data + i * series->column_count, series->column_count);
    json_put_close(out, ']');
}

static void rows_get(struct json_reader *reader, const struct json_node *node, void *object)
{
    struct series *series = object;
    series->row_count = json_elements(reader, node);
    // checks all rows first: otherwise a small file could make fathom allocate much memory
    for (size_t i = 0; i < series->row_count && !reader->failed; i++) {
        struct json_node row = json_element(node, i);
        if (json_elements(reader, &row) != series->column_count)
            json_fail(reader, &row, "expected %zu numbers, one a column", series->column_count);
    }
    if (reader->failed)
        return;
    series->data = ARENA_ARRAY(reader->arena, series->row_count * series->column_count, double);
    for (size_t i = 0; i < series->row_count; i++) {
        struct json_node row = json_element(node, i);
        for (size_t j = 0; j < series->column_count && !reader->failed; j++) {
            struct json_node cell = json_element(&row, j);
            series->data[i * series->column_count + j] = json_number(reader, &cell);
        }
    }
}

static const struct json_field series_fields[] = {
    {"name", FIELD_TEXT, JSON_AT(struct series, name), .required = true},
    {"columns", FIELD_TEXTS, JSON_LIST_AT(struct series, columns, column_count)},
    {"data", FIELD_CUSTOM, .put = rows_put, .get = rows_get},
};
const struct json_table series_table = {JSON_TABLE(struct series, series_fields)};

static const struct json_field counter_fields[] = {
    {"name", FIELD_TEXT, JSON_AT(struct counter, name), .required = true},
    {"unit", FIELD_WORD, JSON_AT(struct counter, unit), .words = &unit_words},
    {"counted", FIELD_REAL, JSON_AT(struct counter, counted)},
    {"claimed", FIELD_REAL, JSON_AT(struct counter, claimed)},
    {"units", FIELD_REAL, JSON_AT(struct counter, units)},
    {"passes", FIELD_COUNT, JSON_AT(struct counter, passes), .omit_zero = true},
};
const struct json_table counter_table = {JSON_TABLE(struct counter, counter_fields)};

static bool kernel_keep(const void *object)
{
    return ((const struct kernel_info *)object)->hash != NULL;
}

static const struct json_field kernel_fields[] = {
    {"hash", FIELD_TEXT, JSON_AT(struct kernel_info, hash)},
    {"source", FIELD_TEXT, JSON_AT(struct kernel_info, source)},
    {"registers", FIELD_REAL, JSON_AT(struct kernel_info, registers)},
    {"spill_bytes", FIELD_REAL, JSON_AT(struct kernel_info, spill_bytes)},
    {"loads", FIELD_REAL, JSON_AT(struct kernel_info, loads)},
};
const struct json_table kernel_table = {JSON_TABLE(struct kernel_info, kernel_fields),
                                        .keep = kernel_keep};

// ---------------------------------------------------------------- devices and benchmarks

static const struct json_field device_fields[] = {
    {"id", FIELD_TEXT, JSON_AT(struct run_device, id), .required = true},
    {"name", FIELD_TEXT, JSON_AT(struct run_device, name)},
    {"vendor", FIELD_TEXT, JSON_AT(struct run_device, vendor)},
    {"driver", FIELD_TEXT, JSON_AT(struct run_device, driver)},
    {"api_version", FIELD_TEXT, JSON_AT(struct run_device, api_version)},
    {"kind", FIELD_TEXT, JSON_AT(struct run_device, kind)},
    {"uuid", FIELD_TEXT, JSON_AT(struct run_device, uuid)},
    {"pci", FIELD_TEXT, JSON_AT(struct run_device, pci)},
    {"architecture", FIELD_TEXT, JSON_AT(struct run_device, architecture)},
    {"limits", FIELD_MAP, JSON_LIST_AT(struct run_device, limits, limit_count),
     .table = &named_number_table},
};
static const struct json_table device_table = {JSON_TABLE(struct run_device, device_fields)};

static bool param_keep(const void *object)
{
    return ((const struct param_info *)object)->role != PARAM_DISPLAY;
}

static const struct json_field param_fields[] = {
    {"key", FIELD_TEXT, JSON_AT(struct param_info, key), .required = true},
    {"type", FIELD_WORD, JSON_AT(struct param_info, type), .required = true,
     .words = &param_type_words},
    {"unit", FIELD_WORD, JSON_AT(struct param_info, unit), .words = &unit_words},
    {"role", FIELD_WORD, JSON_AT(struct param_info, role), .required = true,
     .words = &param_role_words},
    {"choices", FIELD_TEXT, JSON_AT(struct param_info, choices)},
    {"help", FIELD_TEXT, JSON_AT(struct param_info, help)},
};
static const struct json_table param_table = {JSON_TABLE(struct param_info, param_fields),
                                              .keep = param_keep};

static const struct json_field metric_info_fields[] = {
    {"name", FIELD_TEXT, JSON_AT(struct metric_info, name), .required = true},
    {"unit", FIELD_WORD, JSON_AT(struct metric_info, unit), .words = &unit_words},
    {"better", FIELD_WORD, JSON_AT(struct metric_info, better), .words = &better_words},
    {"help", FIELD_TEXT, JSON_AT(struct metric_info, help)},
    {"cycles_of", FIELD_TEXT, JSON_AT(struct metric_info, cycles_of)},
    {"part_of", FIELD_TEXT, JSON_AT(struct metric_info, part_of)},
};
static const struct json_table metric_info_table = {
    JSON_TABLE(struct metric_info, metric_info_fields)};

// Views of kind LINES are only for terminals; views of an unknown kind are dropped.
static bool view_keep(const void *object)
{
    return ((const struct view_info *)object)->kind < VIEW_LINES;
}

static const struct json_field view_fields[] = {
    {"kind", FIELD_WORD, JSON_AT(struct view_info, kind), .required = true,
     .words = &view_kind_words},
    {"title", FIELD_TEXT, JSON_AT(struct view_info, title)},
    {"x", FIELD_TEXT, JSON_AT(struct view_info, x)},
    {"y", FIELD_TEXT, JSON_AT(struct view_info, y)},
    {"metric", FIELD_TEXT, JSON_AT(struct view_info, metric)},
    {"group", FIELD_TEXT, JSON_AT(struct view_info, group)},
    {"scale", FIELD_TEXT, JSON_AT(struct view_info, scale)},
    {"where", FIELD_TEXT, JSON_AT(struct view_info, where)},
    {"sensors", FIELD_TEXT, JSON_AT(struct view_info, sensors)},
};
static const struct json_table view_table = {JSON_TABLE(struct view_info, view_fields),
                                             .keep = view_keep};

static bool headline_keep(const void *object)
{
    return ((const struct headline_info *)object)->kind < headline_kind_words.count;
}

static const struct json_field headline_fields[] = {
    {"kind", FIELD_WORD, JSON_AT(struct headline_info, kind), .required = true,
     .words = &headline_kind_words},
    {"title", FIELD_TEXT, JSON_AT(struct headline_info, title)},
    {"metric", FIELD_TEXT, JSON_AT(struct headline_info, metric), .required = true},
    {"where", FIELD_TEXT, JSON_AT(struct headline_info, where)},
    {"by", FIELD_TEXT, JSON_AT(struct headline_info, by)},
    {"level", FIELD_WORD, JSON_AT(struct headline_info, level), .omit_zero = true,
     .words = &card_level_words},
    {"section", FIELD_WORD, JSON_AT(struct headline_info, section), .omit_zero = true,
     .words = &card_section_words},
    {"row", FIELD_TEXT, JSON_AT(struct headline_info, row)},
    {"name", FIELD_TEXT, JSON_AT(struct headline_info, name)},
};
static const struct json_table headline_table = {JSON_TABLE(struct headline_info, headline_fields),
                                                 .keep = headline_keep};

static const struct json_field benchmark_fields[] = {
    {"name", FIELD_TEXT, JSON_AT(struct benchmark_info, name), .required = true},
    {"version", FIELD_COUNT, JSON_AT(struct benchmark_info, version), .required = true},
    {"title", FIELD_TEXT, JSON_AT(struct benchmark_info, title)},
    {"params", FIELD_LIST, JSON_LIST_AT(struct benchmark_info, params, param_count),
     .table = &param_table},
    {"metrics", FIELD_LIST, JSON_LIST_AT(struct benchmark_info, metrics, metric_count),
     .table = &metric_info_table},
    {"views", FIELD_LIST, JSON_LIST_AT(struct benchmark_info, views, view_count),
     .table = &view_table},
    {"headlines", FIELD_LIST, JSON_LIST_AT(struct benchmark_info, headlines, headline_count),
     .table = &headline_table},
};
const struct json_table benchmark_table = {JSON_TABLE(struct benchmark_info, benchmark_fields)};

// ---------------------------------------------------------------- cases of results

void run_put_case(struct json_out *out, const char *name, const void *result)
{
    const struct bench_case *bench_case = &((const struct result *)result)->bench_case;
    json_put_open(out, name, '{');
    for (size_t i = 0; i < bench_case->value_count; i++) {
        const struct case_value *value = &bench_case->values[i];
        if (value->role == PARAM_DISPLAY)
            continue;
        if (value->type == PARAM_TEXT)
            json_put_text(out, value->key, value->text ? value->text : "");
        else if (value->type == PARAM_REAL)
            json_put_real(out, value->key, value->real);
        else
            json_put_count(out, value->key, value->uint);
    }
    json_put_close(out, '}');
}

// Returns an empty value for a parameter that no benchmark declares. The JSON value gives its type.
// Its role is AXIS if the result's key names the parameter, else METHOD.
static struct case_value value_undeclared(struct json_reader *reader, const struct json_node *node,
                                          const char *result_key)
{
    struct case_value value = {.role = PARAM_METHOD, .type = PARAM_REAL};
    if (json_is_string(node->value))
        value.type = PARAM_TEXT;
    else if (json_is_integer(node->value) && json_integer_value(node->value) >= 0)
        value.type = PARAM_UINT;
    if (strstr(result_key, arena_printf(reader->arena, "/%s=", node->member)))
        value.role = PARAM_AXIS;
    return value;
}

static struct case_value value_get(struct json_reader *reader, const struct json_node *node,
                                   const struct benchmark_info *info, const char *result_key)
{
    const struct param_info *param = benchmark_param(info, node->member);
    struct case_value value = param ? (struct case_value){.role = param->role, .type = param->type}
                                    : value_undeclared(reader, node, result_key);
    value.key = param ? param->key : arena_strdup(reader->arena, node->member);
    switch (value.type) {
    case PARAM_UINT:
    case PARAM_BYTES:
        value.uint = json_count(reader, node);
        break;
    case PARAM_REAL:
        value.real = json_number(reader, node);
        break;
    case PARAM_TEXT:
        value.text = json_text_required(reader, node);
        break;
    }
    return value;
}

// Reads a case. The types of declared parameters come from the run's benchmarks, which are read
// before.
static void case_get(struct json_reader *reader, const struct json_node *node, void *object)
{
    if (!json_is_map(reader, node) || !node->value)
        return;
    struct result *result = object;
    const struct benchmark_info *info = run_benchmark(reader->context, result->benchmark);
    struct bench_case *bench_case = &result->bench_case;
    bench_case->values =
        ARENA_ARRAY(reader->arena, json_object_size(node->value), struct case_value);
    const char *name;
    json_t *json;
    json_object_foreach((json_t *)node->value, name, json)
    {
        struct json_node member = {.up = node, .member = name, .value = json};
        bench_case->values[bench_case->value_count++] =
            value_get(reader, &member, info, result->key);
    }
}

// ---------------------------------------------------------------- metrics and results

static void interval_put(struct json_out *out, const char *name, const void *object)
{
    const struct metric *metric = object;
    if (isfinite(metric->ci95[0]) && isfinite(metric->ci95[1]))
        json_put_reals(out, name, metric->ci95, 2);
}

static void interval_get(struct json_reader *reader, const struct json_node *node, void *object)
{
    struct metric *metric = object;
    metric->ci95[0] = metric->ci95[1] = NAN;
    if (!node->value)
        return;
    size_t count;
    const double *ends = json_numbers(reader, node, &count);
    if (count == 2)
        memcpy(metric->ci95, ends, sizeof metric->ci95);
    else
        json_fail(reader, node, "expected two numbers");
}

static void of_limit_put(struct json_out *out, const char *name, const void *object)
{
    const struct metric *metric = object;
    if (metric->better != BETTER_LOWER)
        json_put_real(out, name, metric_share(metric, metric->median));
}

// Writes the share for other readers. fathom itself computes it from the limit, also for older
// files.
static void share_put(struct json_out *out, const char *name, const void *object)
{
    const struct metric *metric = object;
    json_put_real(out, name, metric_share(metric, metric->median));
}

static const struct json_field metric_fields[] = {
    {"name", FIELD_TEXT, JSON_AT(struct metric, name), .required = true},
    {"unit", FIELD_WORD, JSON_AT(struct metric, unit), .words = &unit_words},
    {"better", FIELD_WORD, JSON_AT(struct metric, better), .words = &better_words},
    {"floating", FIELD_FLAG, JSON_AT(struct metric, floating)},
    {"median", FIELD_REAL, JSON_AT(struct metric, median)},
    {"ci95", FIELD_CUSTOM, .put = interval_put, .get = interval_get},
    {"at_least", FIELD_FLAG, JSON_AT(struct metric, at_least)},
    {"n", FIELD_COUNT, JSON_AT(struct metric, n)},
    {"limit", FIELD_REAL, JSON_AT(struct metric, limit), .omit_zero = true},
    {"of_limit", FIELD_CUSTOM, .put = of_limit_put},
    {"share", FIELD_CUSTOM, .put = share_put},
    {"rounds", FIELD_REALS, JSON_LIST_AT(struct metric, round_medians, round_count),
     .omit_zero = true},
};
static const struct json_table metric_table = {JSON_TABLE(struct metric, metric_fields)};

static const struct json_field result_fields[] = {
    {"key", FIELD_TEXT, JSON_AT(struct result, key), .required = true},
    {"benchmark", FIELD_TEXT, JSON_AT(struct result, benchmark), .required = true},
    {"version", FIELD_COUNT, JSON_AT(struct result, version), .required = true},
    {"device", FIELD_TEXT, JSON_AT(struct result, device), .required = true},
    {"case", FIELD_CUSTOM, .put = run_put_case, .get = case_get},
    {"verdict", FIELD_WORD, JSON_AT(struct result, verdict), .required = true,
     .words = &verdict_words},
    {"reasons", FIELD_LIST, JSON_LIST_AT(struct result, reasons, reason_count),
     .table = &reason_table},
    {"metrics", FIELD_LIST, JSON_LIST_AT(struct result, metrics, metric_count),
     .table = &metric_table},
    {"details", FIELD_MAP, JSON_LIST_AT(struct result, details, detail_count),
     .table = &named_text_table},
    {"sensors", FIELD_MAP, JSON_LIST_AT(struct result, sensors, sensor_count),
     .table = &named_number_table},
    {"series", FIELD_LIST, JSON_LIST_AT(struct result, series, series_count),
     .table = &series_table},
    {"counters", FIELD_LIST, JSON_LIST_AT(struct result, counters, counter_count),
     .omit_zero = true, .table = &counter_table},
    {"kernel", FIELD_OBJECT, JSON_AT(struct result, kernel), .table = &kernel_table},
};
const struct json_table result_table = {JSON_TABLE(struct result, result_fields)};

static const struct json_field finding_fields[] = {
    {"code", FIELD_TEXT, JSON_AT(struct finding, code), .required = true},
    {"text", FIELD_TEXT, JSON_AT(struct finding, text), .required = true},
    {"device", FIELD_TEXT, JSON_AT(struct finding, device)},
    {"name", FIELD_TEXT, JSON_AT(struct finding, name)},
    {"value", FIELD_REAL, JSON_AT(struct finding, value)},
    {"keys", FIELD_TEXTS, JSON_LIST_AT(struct finding, keys, key_count)},
};
static const struct json_table finding_table = {JSON_TABLE(struct finding, finding_fields)};

// ---------------------------------------------------------------- the run

static void *add_device(void *run)
{
    return run_add_device(run);
}

static void *add_benchmark(void *run)
{
    struct benchmark_info *info =
        ARENA_NEW(((const struct run *)run)->arena, struct benchmark_info);
    run_add_benchmark(run, info);
    return info;
}

static void *add_result(void *run)
{
    return run_add_result(run);
}

static void *add_finding(void *run)
{
    return run_add_finding(run);
}

static void *add_check(void *run)
{
    return run_add_check(run);
}

static const struct json_field tool_fields[] = {
    {"version", FIELD_TEXT, JSON_AT(struct run, tool_version)},
    {"commit", FIELD_TEXT, JSON_AT(struct run, tool_commit)},
    {"build", FIELD_TEXT, JSON_AT(struct run, tool_build)},
};
static const struct json_table tool_table = {JSON_TABLE(struct run, tool_fields)};

static const struct json_field run_fields[] = {
    {"status", FIELD_WORD, JSON_AT(struct run, status), .required = true,
     .words = &run_status_words},
    {"tool", FIELD_OBJECT, .table = &tool_table}, // members of "tool" are members of struct run
    {"started", FIELD_TEXT, JSON_AT(struct run, started)},
    {"command", FIELD_TEXTS, JSON_LIST_AT(struct run, command, command_count)},
    {"preset", FIELD_TEXT, JSON_AT(struct run, preset)},
    {"seed", FIELD_COUNT, JSON_AT(struct run, seed), .omit_zero = true},
    {"host", FIELD_MAP, JSON_LIST_AT(struct run, host, host_count), .table = &named_text_table},
    {"devices", FIELD_LIST, JSON_LIST_AT(struct run, devices, device_count), .table = &device_table,
     .add = add_device},
    {"benchmarks", FIELD_LIST, JSON_LIST_AT(struct run, benchmarks, benchmark_count),
     .pointers = true, .table = &benchmark_table, .add = add_benchmark},
    {"results", FIELD_LIST, JSON_LIST_AT(struct run, results, result_count), .pointers = true,
     .table = &result_table, .add = add_result},
    {"findings", FIELD_LIST, JSON_LIST_AT(struct run, findings, finding_count),
     .table = &finding_table, .add = add_finding},
    {"checks", FIELD_LIST, JSON_LIST_AT(struct run, checks, check_count), .omit_zero = true,
     .table = &check_table, .add = add_check},
};
const struct json_table run_table = {JSON_TABLE(struct run, run_fields)};

void run_put(struct json_out *out, const char *name, const struct run *run)
{
    json_put_open(out, name, '{');
    json_put_text(out, "schema", RUN_SCHEMA);
    json_put_fields(out, &run_table, run);
    json_put_close(out, '}');
}
