// SPDX-License-Identifier: MIT
#include "suite/protocol.h"

#include "base/text.h"
#include "results/json_node.h"

#include <limits.h>
#include <string.h>

// ---------------------------------------------------------------- the line

// The document of a line; NULL with ERROR_INTERNAL.
static json_t *parse(const char *line, struct error *err)
{
    json_error_t where;
    json_t *document = json_loads(line, JSON_REJECT_DUPLICATES, &where);
    if (!document) {
        error_set(err, ERROR_INTERNAL, "not a message of the worker protocol: column %d: %s: %.60s",
                  where.column, where.text, line);
        json_message_clean(err);
    }
    return document;
}

static unsigned small(struct json_reader *reader, const struct json_node *parent, const char *name)
{
    struct json_node node = json_member(reader, parent, name);
    uint64_t value = json_count(reader, &node);
    if (value > UINT_MAX)
        json_fail(reader, &node, "too large");
    return value > UINT_MAX ? 0 : (unsigned)value;
}

static uint64_t count(struct json_reader *reader, const struct json_node *parent, const char *name)
{
    struct json_node node = json_member(reader, parent, name);
    return json_count(reader, &node);
}

static double number(struct json_reader *reader, const struct json_node *parent, const char *name)
{
    struct json_node node = json_member(reader, parent, name);
    return json_number(reader, &node);
}

static const char *text(struct json_reader *reader, const struct json_node *parent,
                        const char *name)
{
    struct json_node node = json_member(reader, parent, name);
    return json_text(reader, &node);
}

static const char *text_required(struct json_reader *reader, const struct json_node *parent,
                                 const char *name)
{
    struct json_node node = json_member(reader, parent, name);
    return json_text_required(reader, &node);
}

// ---------------------------------------------------------------- orders

static bool parse_value(const char *spelt, struct case_value *value)
{
    switch (value->type) {
    case PARAM_UINT:
    case PARAM_BYTES:
        return text_parse_uint(spelt, &value->uint);
    case PARAM_REAL:
        return text_parse_real(spelt, &value->real);
    case PARAM_TEXT:
        value->text = spelt;
        return true;
    }
    return false;
}

// Values come in the order of the params; one that the order does not name is not in the case.
static const struct bench_case *read_case(struct json_reader *reader, const struct json_node *node,
                                          const struct benchmark_info *info)
{
    struct bench_case *bench_case = ARENA_NEW(reader->arena, struct bench_case);
    bench_case->values = ARENA_ARRAY(reader->arena, info->param_count, struct case_value);
    for (size_t i = 0; i < info->param_count; i++) {
        const struct param_info *param = &info->params[i];
        struct json_node member = json_member(reader, node, param->key);
        if (!member.value)
            continue;
        struct case_value *value = &bench_case->values[bench_case->value_count++];
        *value = (struct case_value){.key = param->key, .type = param->type, .role = param->role};
        const char *spelt = json_text_required(reader, &member);
        if (spelt && !parse_value(spelt, value))
            json_fail(reader, &member, "not a value of this parameter");
    }
    if (json_object_size(node->value) > bench_case->value_count)
        json_fail(reader, node, "a parameter that the benchmark does not have");
    return bench_case;
}

static void read_order(struct json_reader *reader, const struct json_node *body,
                       struct visit_order *order)
{
    struct json_node name = json_member(reader, body, "benchmark");
    const char *named = json_text_required(reader, &name);
    order->benchmark = named ? benchmark_find(named) : NULL;
    if (!order->benchmark) {
        json_fail(reader, &name, "no such benchmark in this binary");
        return;
    }
    if (small(reader, body, "version") != order->benchmark->info.version)
        json_fail(reader, &name, "another version of this benchmark");
    struct json_node values = json_member(reader, body, "case");
    if (!json_is_object(values.value)) {
        json_fail(reader, &values, "expected an object");
        return;
    }
    order->bench_case = read_case(reader, &values, &order->benchmark->info);
    order->index = (size_t)count(reader, body, "index");
    struct measure_request *request = ARENA_NEW(reader->arena, struct measure_request);
    request->samples = small(reader, body, "samples");
    request->sample_ns = count(reader, body, "sample_ns");
    request->timeout_ns = count(reader, body, "timeout_ns");
    request->round = small(reader, body, "round");
    order->request = request;
    order->waits = json_member(reader, body, "waits").value != NULL;
}

bool protocol_is_gate(const char *line)
{
    struct error err;
    json_t *document = parse(line, &err);
    bool is_gate = document && json_is_object(json_object_get(document, "gate"));
    json_decref(document);
    return is_gate;
}

bool protocol_read_order(struct arena *arena, const char *line, struct visit_order *order,
                         struct error *err)
{
    json_t *document = parse(line, err);
    if (!document)
        return false;
    struct json_reader reader = {.arena = arena, .file = "worker protocol", .err = err};
    struct json_node root = {.value = document};
    struct json_node body = json_member(&reader, &root, "visit");
    *order = (struct visit_order){0};
    if (json_is_object(body.value))
        read_order(&reader, &body, order);
    else
        json_fail(&reader, &body, "expected an object");
    json_decref(document);
    if (reader.failed)
        err->code = ERROR_INTERNAL;
    return !reader.failed;
}

// ---------------------------------------------------------------- visits

static double *read_numbers(struct json_reader *reader, const struct json_node *node,
                            size_t *numbers)
{
    *numbers = json_elements(reader, node);
    double *values = ARENA_ARRAY(reader->arena, *numbers, double);
    for (size_t i = 0; i < *numbers; i++) {
        struct json_node element = json_element(node, i);
        values[i] = json_number(reader, &element);
    }
    return values;
}

static void read_metrics(struct json_reader *reader, const struct json_node *body,
                         const struct benchmark_info *info, struct measure_visit *visit)
{
    struct json_node list = json_member(reader, body, "metrics");
    size_t metrics = json_elements(reader, &list);
    for (size_t i = 0; i < metrics; i++) {
        struct json_node one = json_element(&list, i);
        unsigned metric = small(reader, &one, "metric");
        if (metric >= info->metric_count || metric >= MEASURE_METRICS_MAX) {
            json_fail(reader, &one, "a metric that the benchmark does not have");
            return;
        }
        struct measure_samples *samples = &visit->metrics[metric];
        struct json_node values = json_member(reader, &one, "values");
        samples->values = read_numbers(reader, &values, &samples->count);
        samples->step = number(reader, &one, "step");
        samples->half = number(reader, &one, "half");
        samples->limit = number(reader, &one, "limit");
    }
}

static void read_notes(struct json_reader *reader, const struct json_node *body,
                       struct measure_visit *visit)
{
    struct json_node reasons = json_member(reader, body, "doubts");
    visit->reason_count = json_elements(reader, &reasons);
    visit->reasons = ARENA_ARRAY(reader->arena, visit->reason_count, struct reason);
    for (size_t i = 0; i < visit->reason_count; i++) {
        struct json_node one = json_element(&reasons, i);
        visit->reasons[i].code = text_required(reader, &one, "code");
        visit->reasons[i].text = text_required(reader, &one, "text");
    }
    struct json_node details = json_member(reader, body, "details");
    visit->detail_count = json_elements(reader, &details);
    visit->details = ARENA_ARRAY(reader->arena, visit->detail_count, struct named_text);
    for (size_t i = 0; i < visit->detail_count; i++) {
        struct json_node one = json_element(&details, i);
        visit->details[i].name = text_required(reader, &one, "name");
        visit->details[i].text = text_required(reader, &one, "text");
    }
}

static void read_sensors(struct json_reader *reader, const struct json_node *body,
                         struct measure_visit *visit)
{
    struct json_node list = json_member(reader, body, "sensors");
    visit->sensor_count = json_elements(reader, &list);
    visit->sensors = ARENA_ARRAY(reader->arena, visit->sensor_count, struct named_number);
    for (size_t i = 0; i < visit->sensor_count; i++) {
        struct json_node one = json_element(&list, i);
        struct json_node unit = json_member(reader, &one, "unit");
        const char *name = json_text_required(reader, &unit);
        if (name && !unit_from_name(name, &visit->sensors[i].unit))
            json_fail(reader, &unit, "not a unit");
        visit->sensors[i].name = text_required(reader, &one, "name");
        visit->sensors[i].value = number(reader, &one, "value");
    }
}

static void read_one_series(struct json_reader *reader, const struct json_node *node,
                            struct series *series)
{
    struct json_node columns = json_member(reader, node, "columns");
    struct json_node data = json_member(reader, node, "data");
    size_t numbers;
    series->name = text_required(reader, node, "name");
    series->column_count = json_elements(reader, &columns);
    series->columns = ARENA_ARRAY(reader->arena, series->column_count, const char *);
    for (size_t i = 0; i < series->column_count; i++) {
        struct json_node column = json_element(&columns, i);
        series->columns[i] = json_text_required(reader, &column);
    }
    series->data = read_numbers(reader, &data, &numbers);
    if (series->column_count == 0 || numbers % series->column_count)
        json_fail(reader, &data, "not whole rows");
    else
        series->row_count = numbers / series->column_count;
}

static void read_series(struct json_reader *reader, const struct json_node *body,
                        struct measure_visit *visit)
{
    struct json_node list = json_member(reader, body, "series");
    visit->series_count = json_elements(reader, &list);
    visit->series = ARENA_ARRAY(reader->arena, visit->series_count, struct series);
    for (size_t i = 0; i < visit->series_count; i++) {
        struct json_node one = json_element(&list, i);
        read_one_series(reader, &one, &visit->series[i]);
    }
}

static void read_visit(struct json_reader *reader, const struct json_node *body,
                       const struct benchmark_info *info, struct measure_visit *visit)
{
    read_metrics(reader, body, info, visit);
    read_notes(reader, body, visit);
    read_sensors(reader, body, visit);
    read_series(reader, body, visit);
    struct json_node kernel = json_member(reader, body, "kernel");
    if (json_is_map(reader, &kernel) && kernel.value) {
        visit->kernel.hash = text(reader, &kernel, "hash");
        visit->kernel.source = text(reader, &kernel, "source");
        visit->kernel.registers = number(reader, &kernel, "registers");
        visit->kernel.spill_bytes = number(reader, &kernel, "spill_bytes");
        visit->kernel.loads = number(reader, &kernel, "loads");
    }
    visit->device_time_ns = count(reader, body, "device_time_ns");
    visit->began_ns = count(reader, body, "began_ns");
    visit->ended_ns = count(reader, body, "ended_ns");
}

static void read_failure(struct json_reader *reader, const struct json_node *body,
                         struct error *failure)
{
    const char *code = text_required(reader, body, "code");
    const char *message = text_required(reader, body, "message");
    if (code && message)
        error_set(failure, error_code_from_name(code), "%s", message);
}

static enum protocol_answer read_answer(struct json_reader *reader, const struct json_node *root,
                                        const struct benchmark_info *info,
                                        struct measure_visit *visit)
{
    struct json_node body = json_member(reader, root, "failure");
    if (json_is_object(body.value)) {
        struct error failure = {0};
        read_failure(reader, &body, &failure);
        if (reader->failed)
            return PROTOCOL_GARBAGE;
        *reader->err = failure;
        return PROTOCOL_FAILURE;
    }
    body = json_member(reader, root, "visit");
    if (json_is_object(body.value))
        read_visit(reader, &body, info, visit);
    else
        json_fail(reader, &body, "expected a visit or a failure");
    return reader->failed ? PROTOCOL_GARBAGE : PROTOCOL_VISIT;
}

enum protocol_answer protocol_read_answer(struct arena *arena, const char *line,
                                          const struct benchmark_info *info,
                                          struct measure_visit **visit, struct error *err)
{
    json_t *document = parse(line, err);
    if (!document)
        return PROTOCOL_GARBAGE;
    struct json_reader reader = {.arena = arena, .file = "answer of the worker", .err = err};
    struct json_node root = {.value = document};
    struct measure_visit *read = measure_visit_create(arena);
    enum protocol_answer answer = read_answer(&reader, &root, info, read);
    json_decref(document);
    if (answer == PROTOCOL_GARBAGE)
        err->code = ERROR_INTERNAL;
    if (answer == PROTOCOL_VISIT)
        *visit = read;
    return answer;
}
