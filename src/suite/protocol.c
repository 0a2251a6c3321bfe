// SPDX-License-Identifier: MIT
#include "suite/protocol.h"

#include "base/text.h"
#include "results/codec.h"
#include "results/json.h"

#include <string.h>

// ---------------------------------------------------------------- the members of messages

struct order_message {
    const struct benchmark *benchmark;
    unsigned version;
    size_t index;
    const struct bench_case *bench_case;
    struct measure_request request;
    bool waits, counts;
    struct visit_counting counting;
    const struct bench_case *const *ahead;
    size_t ahead_count;
};

static void benchmark_put(struct json_out *out, const char *name, const void *object)
{
    json_put_text(out, name, ((const struct order_message *)object)->benchmark->info.name);
}

static void benchmark_get(struct json_reader *reader, const struct json_node *node, void *object)
{
    struct order_message *message = object;
    message->benchmark = benchmark_find(json_text_required(reader, node));
    if (!message->benchmark)
        json_fail(reader, node, "no such benchmark in this binary");
}

static void case_put(struct json_out *out, const char *name, const void *object)
{
    const struct bench_case *bench_case = ((const struct order_message *)object)->bench_case;
    json_put_open(out, name, '{');
    for (size_t i = 0; i < bench_case->value_count; i++)
        json_put_text(out, bench_case->values[i].key,
                      case_value_text(out->arena, &bench_case->values[i]));
    json_put_close(out, '}');
}

static void ahead_put(struct json_out *out, const char *name, const void *object)
{
    struct order_message one = *(const struct order_message *)object;
    if (one.ahead_count == 0)
        return;
    json_put_open(out, name, '[');
    for (size_t i = 0; i < one.ahead_count; i++) {
        one.bench_case = one.ahead[i];
        case_put(out, NULL, &one);
    }
    json_put_close(out, ']');
}

static bool parse_value(const struct param_info *param, const char *spelt, struct case_value *value)
{
    switch (value->type) {
    case PARAM_UINT:
    case PARAM_BYTES:
        return text_parse_uint(spelt, &value->uint);
    case PARAM_REAL:
        return text_parse_real(spelt, &value->real);
    case PARAM_TEXT:
        (void)case_value_set_text(value, param, spelt);
        return true;
    }
    return false;
}

// Reads the values of a case, in the order of the benchmark's parameters; some values may be
// missing.
static void case_get(struct json_reader *reader, const struct json_node *node, void *object)
{
    struct order_message *message = object;
    if (reader->failed)
        return;
    if (!json_is_object(node->value)) {
        json_fail(reader, node, "expected an object");
        return;
    }
    const struct benchmark_info *info = &message->benchmark->info;
    struct bench_case *bench_case = ARENA_NEW(reader->arena, struct bench_case);
    bench_case->values = ARENA_ARRAY(reader->arena, info->param_count, struct case_value);
    for (size_t i = 0; i < info->param_count; i++) {
        const struct param_info *param = &info->params[i];
        struct json_node member = json_member(reader, node, param->key);
        if (!member.value)
            continue;
        struct case_value *value = &bench_case->values[bench_case->value_count++];
        *value = case_value_of(param);
        if (!parse_value(param, json_text_required(reader, &member), value))
            json_fail(reader, &member, "not a value of this parameter");
    }
    if (json_object_size(node->value) > bench_case->value_count)
        json_fail(reader, node, "a parameter that the benchmark does not have");
    message->bench_case = bench_case;
}

static void ahead_get(struct json_reader *reader, const struct json_node *node, void *object)
{
    struct order_message *message = object, one = *message;
    message->ahead_count = json_elements(reader, node);
    const struct bench_case **cases =
        ARENA_ARRAY(reader->arena, message->ahead_count, const struct bench_case *);
    for (size_t i = 0; i < message->ahead_count; i++) {
        struct json_node element = json_element(node, i);
        case_get(reader, &element, &one);
        cases[i] = one.bench_case;
    }
    message->ahead = cases;
}

static const struct json_field order_fields[] = {
    {"benchmark", FIELD_CUSTOM, .put = benchmark_put, .get = benchmark_get},
    {"version", FIELD_COUNT, JSON_AT(struct order_message, version)},
    {"index", FIELD_COUNT, JSON_AT(struct order_message, index)},
    {"case", FIELD_CUSTOM, .put = case_put, .get = case_get},
    {"samples", FIELD_COUNT, JSON_AT(struct order_message, request.samples)},
    {"sample_ns", FIELD_COUNT, JSON_AT(struct order_message, request.sample_ns)},
    {"timeout_ns", FIELD_COUNT, JSON_AT(struct order_message, request.timeout_ns)},
    {"round", FIELD_COUNT, JSON_AT(struct order_message, request.round)},
    {"lacks_metric", FIELD_FLAG, JSON_AT(struct order_message, request.lacks_metric)},
    {"any_clock", FIELD_FLAG, JSON_AT(struct order_message, request.any_clock)},
    {"waits", FIELD_FLAG, JSON_AT(struct order_message, waits)},
    {"counts", FIELD_FLAG, JSON_AT(struct order_message, counts)},
    {"natives", FIELD_TEXTS,
     JSON_LIST_AT(struct order_message, counting.natives, counting.native_count),
     .omit_zero = true},
    {"ahead", FIELD_CUSTOM, .put = ahead_put, .get = ahead_get},
};
static const struct json_table order_table = {JSON_TABLE(struct order_message, order_fields)};

static const struct json_field samples_fields[] = {
    {"values", FIELD_REALS, JSON_LIST_AT(struct measure_samples, values, count)},
    {"step", FIELD_REAL, JSON_AT(struct measure_samples, step)},
    {"half", FIELD_REAL, JSON_AT(struct measure_samples, half)},
    {"limit", FIELD_REAL, JSON_AT(struct measure_samples, limit)},
    {"at_least", FIELD_FLAG, JSON_AT(struct measure_samples, at_least)},
    {"by_host", FIELD_FLAG, JSON_AT(struct measure_samples, by_host)},
};
static const struct json_table samples_table = {JSON_TABLE(struct measure_samples, samples_fields)};

// Writes the samples of each metric of a visit. A metric is its index in benchmark_info.metrics.
static void metrics_put(struct json_out *out, const char *name, const void *object)
{
    const struct measure_visit *visit = object;
    json_put_open(out, name, '[');
    for (unsigned i = 0; i < MEASURE_METRICS_MAX; i++) {
        if (!visit->metrics[i].values)
            continue;
        json_put_open(out, NULL, '{');
        json_put_count(out, "metric", i);
        json_put_fields(out, &samples_table, &visit->metrics[i]);
        json_put_close(out, '}');
    }
    json_put_close(out, ']');
}

static void metrics_get(struct json_reader *reader, const struct json_node *node, void *object)
{
    const struct benchmark_info *info = reader->context;
    struct measure_visit *visit = object;
    size_t count = json_elements(reader, node);
    for (size_t i = 0; i < count && !reader->failed; i++) {
        struct json_node element = json_element(node, i);
        struct json_node metric = json_member(reader, &element, "metric");
        uint64_t index = json_count(reader, &metric);
        if (index < info->metric_count && index < MEASURE_METRICS_MAX)
            json_get_fields(reader, &element, &samples_table, &visit->metrics[index]);
        else
            json_fail(reader, &element, "a metric that the benchmark does not have");
    }
}

static const struct json_field visit_fields[] = {
    {"metrics", FIELD_CUSTOM, .put = metrics_put, .get = metrics_get},
    {"reasons", FIELD_LIST, JSON_LIST_AT(struct measure_visit, reasons, reason_count),
     .table = &reason_table},
    {"retakes", FIELD_LIST, JSON_LIST_AT(struct measure_visit, retakes, retake_count),
     .omit_zero = true, .table = &reason_table},
    {"remarks", FIELD_LIST, JSON_LIST_AT(struct measure_visit, remarks, remark_count),
     .omit_zero = true, .table = &reason_table},
    {"details", FIELD_LIST, JSON_LIST_AT(struct measure_visit, details, detail_count),
     .table = &named_text_table},
    {"sensors", FIELD_LIST, JSON_LIST_AT(struct measure_visit, sensors, sensor_count),
     .table = &named_number_table},
    {"series", FIELD_LIST, JSON_LIST_AT(struct measure_visit, series, series_count),
     .table = &series_table},
    {"counters", FIELD_LIST, JSON_LIST_AT(struct measure_visit, counters, counter_count),
     .omit_zero = true, .table = &counter_table},
    {"kernel", FIELD_OBJECT, JSON_AT(struct measure_visit, kernel), .table = &kernel_table},
    {"device_time_ns", FIELD_COUNT, JSON_AT(struct measure_visit, device_time_ns)},
    {"began_ns", FIELD_COUNT, JSON_AT(struct measure_visit, began_ns)},
    {"ended_ns", FIELD_COUNT, JSON_AT(struct measure_visit, ended_ns)},
    {"compile_ns", FIELD_COUNT, JSON_AT(struct measure_visit, compile_ns), .omit_zero = true},
};
static const struct json_table visit_table = {JSON_TABLE(struct measure_visit, visit_fields)};

struct failure_message {
    const char *code, *message;
};

static const struct json_field failure_fields[] = {
    {"code", FIELD_TEXT, JSON_AT(struct failure_message, code), .required = true},
    {"message", FIELD_TEXT, JSON_AT(struct failure_message, message), .required = true},
};
static const struct json_table failure_table = {JSON_TABLE(struct failure_message, failure_fields)};

struct watch_message {
    uint64_t least_ns;
};

static const struct json_field watch_fields[] = {
    {"least_ns", FIELD_COUNT, JSON_AT(struct watch_message, least_ns)},
};
static const struct json_table watch_table = {JSON_TABLE(struct watch_message, watch_fields)};

struct finding_message {
    // what the watch found; its members `rates` and `limits` are sent as the lists below
    struct watch_finding finding;
    double *rates, *limits;
    size_t rate_count, limit_count;
};

#define FINDING_AT(member) JSON_AT(struct finding_message, finding.member)
static const struct json_field finding_fields[] = {
    {"method", FIELD_COUNT, FINDING_AT(method)},
    {"share", FIELD_REAL, FINDING_AT(share), .required = true},
    {"longest_ns", FIELD_REAL, FINDING_AT(longest_ns)},
    {"watched_ns", FIELD_REAL, FINDING_AT(watched_ns)},
    {"rates", FIELD_REALS, JSON_LIST_AT(struct finding_message, rates, rate_count)},
    {"limits", FIELD_REALS, JSON_LIST_AT(struct finding_message, limits, limit_count)},
    {"link_traffic", FIELD_REAL, FINDING_AT(link_traffic)},
    {"memory_change", FIELD_REAL, FINDING_AT(memory_change)},
    {"others_traffic", FIELD_REAL, FINDING_AT(others_traffic)},
    {"host_used", FIELD_REAL, FINDING_AT(host_used)},
    {"host_waited", FIELD_REAL, FINDING_AT(host_waited)},
    {"throttled", FIELD_FLAG, FINDING_AT(throttled)},
    {"who", FIELD_TEXT, FINDING_AT(who)},
};
#undef FINDING_AT
static const struct json_table finding_table = {JSON_TABLE(struct finding_message, finding_fields)};

// The messages "gate" and "leave" have no members.
static const struct json_table gate_table = {.count = 0};

// ---------------------------------------------------------------- writing messages

// Returns a message of the kind `kind` on one line: {"KIND": {members}}.
static const char *message_write(struct arena *arena, const char *kind,
                                 const struct json_table *table, const void *message)
{
    struct json_out out = {.arena = arena};
    json_put_open(&out, NULL, '{');
    json_put_struct(&out, kind, table, message);
    json_put_close(&out, '}');
    return json_out_text(&out);
}

const char *protocol_write_order(struct arena *arena, const struct visit_order *order)
{
    struct order_message message = {.benchmark = order->benchmark,
                                    .version = order->benchmark->info.version,
                                    .index = order->index,
                                    .bench_case = order->bench_case,
                                    .request = *order->request,
                                    .waits = order->waits,
                                    .counts = order->counting != NULL,
                                    .ahead = order->ahead,
                                    .ahead_count = order->ahead_count};
    if (order->counting)
        message.counting = *order->counting;
    return message_write(arena, "visit", &order_table, &message);
}

const char *protocol_write_visit(struct arena *arena, const struct measure_visit *visit)
{
    return message_write(arena, "visit", &visit_table, visit);
}

const char *protocol_write_failure(struct arena *arena, const struct error *failure)
{
    const struct failure_message message = {error_code_name(failure->code), failure->message};
    return message_write(arena, "failure", &failure_table, &message);
}

const char *protocol_write_gate(struct arena *arena)
{
    return message_write(arena, "gate", &gate_table, NULL);
}

const char *protocol_write_leave(struct arena *arena)
{
    return message_write(arena, "leave", &gate_table, NULL);
}

const char *protocol_write_watch(struct arena *arena, uint64_t least_ns)
{
    return message_write(arena, "watch", &watch_table,
                         &(struct watch_message){.least_ns = least_ns});
}

const char *protocol_write_finding(struct arena *arena, const struct watch_finding *finding)
{
    struct finding_message message = {
        .finding = *finding, .rate_count = WATCH_YARDSTICKS, .limit_count = WATCH_YARDSTICKS};
    message.rates = message.finding.rates;
    message.limits = message.finding.limits;
    return message_write(arena, "watch", &finding_table, &message);
}

// ---------------------------------------------------------------- reading messages

// Parses a line; the caller releases the document with json_decref. Fails with ERROR_INTERNAL.
static json_t *parse(const char *line, struct error *err)
{
    struct error why;
    json_t *document = json_read_memory(line, strlen(line), "line", &why);
    if (!document) {
        error_set(err, ERROR_INTERNAL, "not a message of the worker protocol: %.80s", line);
        error_clean(err);
    }
    return document;
}

static bool has_object(const char *line, const char *name)
{
    struct error err;
    json_t *document = parse(line, &err);
    bool has = document && json_is_object(json_object_get(document, name));
    json_decref(document);
    return has;
}

bool protocol_is_gate(const char *line)
{
    return has_object(line, "gate");
}

bool protocol_is_leave(const char *line)
{
    return has_object(line, "leave");
}

bool protocol_is_watch(const char *line, uint64_t *least_ns)
{
    struct error err;
    struct arena *arena = arena_create();
    json_t *document = parse(line, &err);
    struct json_reader reader = {.arena = arena, .file = "worker protocol", .err = &err};
    struct json_node root = {.value = document};
    struct watch_message message = {0};
    bool is_watch = document && json_is_object(json_object_get(document, "watch"));
    if (is_watch) {
        struct json_node body = json_member(&reader, &root, "watch");
        json_get_fields(&reader, &body, &watch_table, &message);
        is_watch = !reader.failed;
    }
    *least_ns = message.least_ns;
    json_decref(document);
    arena_destroy(arena);
    return is_watch;
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
    struct order_message *message = ARENA_NEW(arena, struct order_message);
    json_get_fields(&reader, &body, &order_table, message);
    if (!reader.failed && message->version != message->benchmark->info.version)
        json_fail(&reader, &body, "another version of this benchmark");
    json_decref(document);
    if (reader.failed)
        err->code = ERROR_INTERNAL;
    *order = (struct visit_order){.benchmark = message->benchmark,
                                  .index = message->index,
                                  .bench_case = message->bench_case,
                                  .request = &message->request,
                                  .waits = message->waits,
                                  .counting = message->counts ? &message->counting : NULL,
                                  .ahead = message->ahead,
                                  .ahead_count = message->ahead_count};
    return !reader.failed;
}

static void read_visit(struct json_reader *reader, const struct json_node *body, void *object)
{
    struct measure_visit *visit = object;
    json_get_fields(reader, body, &visit_table, visit);
    for (size_t i = 0; i < visit->series_count && !reader->failed; i++)
        if (visit->series[i].column_count == 0)
            json_fail(reader, body, "a series without columns");
}

// True if the message is a "failure", which becomes the reader's error. Returns false for any other
// message. A malformed "failure" makes the reader fail.
static bool read_failure(struct json_reader *reader, const struct json_node *root)
{
    struct json_node body = json_member(reader, root, "failure");
    struct failure_message failure;
    if (!json_is_object(body.value))
        return false;
    json_get_fields(reader, &body, &failure_table, &failure);
    if (reader->failed)
        return false;
    error_set(reader->err, error_code_from_name(failure.code), "%s", failure.message);
    return true;
}

static void read_finding(struct json_reader *reader, const struct json_node *body, void *object)
{
    struct watch_finding *finding = object;
    struct finding_message message = {.finding = {.method = WATCH_NONE}};
    json_get_fields(reader, body, &finding_table, &message);
    if (!reader->failed &&
        (message.rate_count != WATCH_YARDSTICKS || message.limit_count != WATCH_YARDSTICKS ||
         message.finding.method > WATCH_QUEUE))
        json_fail(reader, body, "not a finding of a watch");
    if (reader->failed)
        return;
    *finding = message.finding;
    memcpy(finding->rates, message.rates, sizeof finding->rates);
    memcpy(finding->limits, message.limits, sizeof finding->limits);
}

// Reads the worker's answer: a failure, or a message of the kind `kind`, which `read` stores in
// `object`.
static enum protocol_answer
read_answer(struct json_reader *reader, const char *line, const char *kind,
            void (*read)(struct json_reader *, const struct json_node *, void *), void *object)
{
    json_t *document = parse(line, reader->err);
    if (!document)
        return PROTOCOL_GARBAGE;
    struct json_node root = {.value = document};
    bool failed = read_failure(reader, &root);
    struct json_node body = json_member(reader, &root, kind);
    if (!failed && !reader->failed && json_is_object(body.value))
        read(reader, &body, object);
    else if (!failed)
        json_fail(reader, &body, "expected an answer or a failure");
    json_decref(document);
    if (reader->failed)
        reader->err->code = ERROR_INTERNAL;
    return reader->failed ? PROTOCOL_GARBAGE : failed ? PROTOCOL_FAILURE : PROTOCOL_VISIT;
}

enum protocol_answer protocol_read_finding(struct arena *arena, const char *line,
                                           struct watch_finding *finding, struct error *err)
{
    struct json_reader reader = {.arena = arena, .file = "worker protocol", .err = err};
    return read_answer(&reader, line, "watch", read_finding, finding);
}

enum protocol_answer protocol_read_answer(struct arena *arena, const char *line,
                                          const struct benchmark_info *info,
                                          struct measure_visit **visit, struct error *err)
{
    struct json_reader reader = {
        .arena = arena, .file = "answer of the worker", .err = err, .context = info};
    struct measure_visit *read = measure_visit_create(arena);
    enum protocol_answer answer = read_answer(&reader, line, "visit", read_visit, read);
    if (answer == PROTOCOL_VISIT)
        *visit = read;
    return answer;
}
