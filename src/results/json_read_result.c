// SPDX-License-Identifier: MIT
#include "results/json_parts.h"
#include "results/names.h"

#include <math.h>
#include <string.h>

static const struct param_info *param_find(const struct benchmark_info *info, const char *key)
{
    for (size_t i = 0; info && i < info->param_count; i++)
        if (strcmp(info->params[i].key, key) == 0)
            return &info->params[i];
    return NULL;
}

// A value that the file's benchmarks do not declare: the type is that of the JSON, and it is an
// axis where it stands in the key.
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

static struct case_value value_read(struct json_reader *reader, const struct json_node *node,
                                    const struct benchmark_info *info, const char *result_key)
{
    const struct param_info *param = param_find(info, node->member);
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

static void case_read(struct json_reader *reader, const struct json_node *node,
                      const struct benchmark_info *info, struct result *result)
{
    if (!json_is_map(reader, node) || !node->value)
        return;
    struct bench_case *bench_case = &result->bench_case;
    bench_case->values =
        ARENA_ARRAY(reader->arena, json_object_size(node->value), struct case_value);
    const char *name;
    json_t *json;
    json_object_foreach((json_t *)node->value, name, json)
    {
        struct json_node member = {.up = node, .member = name, .value = json};
        bench_case->values[bench_case->value_count++] =
            value_read(reader, &member, info, result->key);
    }
}

static double *reals_read(struct json_reader *reader, const struct json_node *node, size_t *count)
{
    *count = json_elements(reader, node);
    double *values = ARENA_ARRAY(reader->arena, *count, double);
    for (size_t i = 0; i < *count && !reader->failed; i++) {
        struct json_node element = json_element(node, i);
        values[i] = json_number(reader, &element);
    }
    return values;
}

static double number_read(struct json_reader *reader, const struct json_node *node,
                          const char *name)
{
    struct json_node member = json_member(reader, node, name);
    return json_number(reader, &member);
}

static void interval_read(struct json_reader *reader, const struct json_node *node,
                          struct metric *metric)
{
    struct json_node list = json_member(reader, node, "ci95");
    metric->ci95[0] = metric->ci95[1] = NAN;
    if (!list.value)
        return;
    if (json_elements(reader, &list) != 2) {
        json_fail(reader, &list, "expected two numbers");
        return;
    }
    for (size_t i = 0; i < 2; i++) {
        struct json_node element = json_element(&list, i);
        metric->ci95[i] = json_number(reader, &element);
    }
}

static void metric_read(struct json_reader *reader, const struct json_node *node,
                        struct metric *metric)
{
    struct json_node name = json_member(reader, node, "name");
    struct json_node better = json_member(reader, node, "better");
    struct json_node samples = json_member(reader, node, "n");
    struct json_node rounds = json_member(reader, node, "rounds");
    metric->name = json_text_required(reader, &name);
    metric->unit = json_read_unit(reader, node, "unit");
    const char *word = json_text(reader, &better);
    if (word && !better_from_name(word, &metric->better))
        json_fail(reader, &better, "\"%.40s\" is not lower, higher or none", word);
    metric->median = number_read(reader, node, "median");
    interval_read(reader, node, metric);
    metric->n = (size_t)json_count(reader, &samples);
    metric->limit = number_read(reader, node, "limit");
    metric->round_medians = reals_read(reader, &rounds, &metric->round_count);
}

static void series_read(struct json_reader *reader, const struct json_node *node,
                        struct series *series)
{
    struct json_node name = json_member(reader, node, "name");
    struct json_node columns = json_member(reader, node, "columns");
    struct json_node rows = json_member(reader, node, "data");
    series->name = json_text_required(reader, &name);
    series->columns = json_read_strings(reader, &columns, &series->column_count);
    series->row_count = json_elements(reader, &rows);
    // Every row must have as many cells as there are columns, so the size is bound by the file's.
    for (size_t i = 0; i < series->row_count && !reader->failed; i++) {
        struct json_node row = json_element(&rows, i);
        if (json_elements(reader, &row) != series->column_count)
            json_fail(reader, &row, "expected %zu numbers, one a column", series->column_count);
    }
    if (reader->failed)
        return;
    series->data = ARENA_ARRAY(reader->arena, series->row_count * series->column_count, double);
    for (size_t i = 0; i < series->row_count; i++) {
        struct json_node row = json_element(&rows, i);
        for (size_t j = 0; j < series->column_count && !reader->failed; j++) {
            struct json_node cell = json_element(&row, j);
            series->data[i * series->column_count + j] = json_number(reader, &cell);
        }
    }
}

static void reasons_read(struct json_reader *reader, const struct json_node *list,
                         struct result *result)
{
    result->reason_count = json_elements(reader, list);
    result->reasons = ARENA_ARRAY(reader->arena, result->reason_count, struct reason);
    for (size_t i = 0; i < result->reason_count && !reader->failed; i++) {
        struct json_node node = json_element(list, i);
        struct json_node code = json_member(reader, &node, "code");
        struct json_node text = json_member(reader, &node, "text");
        result->reasons[i] = (struct reason){.code = json_text_required(reader, &code),
                                             .text = json_text_required(reader, &text)};
    }
}

static void kernel_read(struct json_reader *reader, const struct json_node *node,
                        struct kernel_info *kernel)
{
    kernel->hash = json_read_text(reader, node, "hash");
    kernel->source = json_read_text(reader, node, "source");
    kernel->registers = number_read(reader, node, "registers");
    kernel->spill_bytes = number_read(reader, node, "spill_bytes");
    kernel->loads = number_read(reader, node, "loads");
}

static void head_read(struct json_reader *reader, const struct json_node *node,
                      struct result *result)
{
    struct json_node key = json_member(reader, node, "key");
    struct json_node benchmark = json_member(reader, node, "benchmark");
    struct json_node device = json_member(reader, node, "device");
    struct json_node verdict = json_member(reader, node, "verdict");
    result->key = json_text_required(reader, &key);
    result->benchmark = json_text_required(reader, &benchmark);
    result->version = json_read_version(reader, node);
    result->device = json_text_required(reader, &device);
    const char *word = json_text_required(reader, &verdict);
    if (!reader->failed && !verdict_from_name(word, &result->verdict))
        json_fail(reader, &verdict, "\"%.40s\" is not ok, suspect, skipped or failed", word);
}

static void lists_read(struct json_reader *reader, const struct json_node *node,
                       struct result *result)
{
    struct json_node metrics = json_member(reader, node, "metrics");
    result->metric_count = json_elements(reader, &metrics);
    result->metrics = ARENA_ARRAY(reader->arena, result->metric_count, struct metric);
    for (size_t i = 0; i < result->metric_count && !reader->failed; i++) {
        struct json_node element = json_element(&metrics, i);
        metric_read(reader, &element, &result->metrics[i]);
    }
    struct json_node series = json_member(reader, node, "series");
    result->series_count = json_elements(reader, &series);
    result->series = ARENA_ARRAY(reader->arena, result->series_count, struct series);
    for (size_t i = 0; i < result->series_count && !reader->failed; i++) {
        struct json_node element = json_element(&series, i);
        series_read(reader, &element, &result->series[i]);
    }
}

void json_read_result(struct json_reader *reader, const struct json_node *node,
                      const struct run *run, struct result *result)
{
    head_read(reader, node, result);
    struct json_node bench_case = json_member(reader, node, "case");
    case_read(reader, &bench_case, run_benchmark(run, result->benchmark), result);
    struct json_node reasons = json_member(reader, node, "reasons");
    reasons_read(reader, &reasons, result);
    lists_read(reader, node, result);
    struct json_node details = json_member(reader, node, "details");
    result->details = json_read_texts(reader, &details, &result->detail_count);
    struct json_node sensors = json_member(reader, node, "sensors");
    result->sensors = json_read_numbers(reader, &sensors, &result->sensor_count);
    struct json_node kernel = json_member(reader, node, "kernel");
    kernel_read(reader, &kernel, &result->kernel);
}
