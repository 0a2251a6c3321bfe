// SPDX-License-Identifier: MIT
#include "workbench.h"

#include "bench/values.h"
#include "device_api.h"

#include <math.h>
#include <string.h>

bool workbench_open(struct workbench *bench, const struct benchmark *benchmark)
{
    struct gpu_device_desc desc = {0};
    const struct benchmark *owner;
    *bench = (struct workbench){
        .benchmark = benchmark,
        .request = {.samples = 2, .sample_ns = 100000, .timeout_ns = UINT64_C(600000000000)}};
    bench->system = gpu_system_create(&(struct gpu_system_desc){.only_api = device_api()});
    const struct gpu_info *info = gpu_system_info(bench->system, 0);
    owner = benchmark_session_of(benchmark, &bench->err);
    if (owner && owner->device)
        owner->device(info, &desc);
    struct gpu_device *device =
        owner ? gpu_device_open(bench->system, info, &desc, &bench->err) : NULL;
    if (device)
        bench->session = bench_session_begin(bench->system, device);
    if (device && (!owner->open || owner->open(&bench->session, &bench->err)))
        return true;
    print_error("%s\n", bench->err.message);
    return false;
}

void workbench_close(struct workbench *bench)
{
    struct bench_session *session = &bench->session;
    const struct benchmark *owner = benchmark_session_of(bench->benchmark, &bench->err);
    arena_destroy(bench->arena);
    if (session->device) {
        if (owner->close)
            owner->close(session);
        gpu_scope_close(session->scope);
        assert_int_equal(gpu_device_live_objects(session->device), 0);
        gpu_device_close(session->device);
        arena_destroy(session->arena);
    }
    gpu_system_destroy(bench->system);
}

int workbench_setup(void **state)
{
    const struct benchmark *benchmark = *state;
    struct workbench *bench = *state = test_calloc(1, sizeof *bench);
    return workbench_open(bench, benchmark) ? 0 : -1;
}

int workbench_teardown(void **state)
{
    workbench_close(*state);
    test_free(*state);
    return 0;
}

int workbench_status(int argc, char **argv)
{
    if (!device_api_choose(argc, argv))
        return 1;
    struct gpu_system *system =
        gpu_system_create(&(struct gpu_system_desc){.only_api = device_api()});
    size_t devices = gpu_system_device_count(system);
    gpu_system_destroy(system);
    if (devices > 0)
        return 0;
    print_message("no device: skipped\n");
    return 77;
}

// ---------------------------------------------------------------- visits

static struct workbench_case *find_kept(struct workbench *bench, const char *key)
{
    for (struct workbench_case *kept = bench->kept; kept; kept = kept->next)
        if (strcmp(kept->key, key) == 0)
            return kept;
    struct workbench_case *kept = ARENA_NEW(bench->session.arena, struct workbench_case);
    *kept = (struct workbench_case){bench->kept, arena_strdup(bench->session.arena, key), NULL, 0};
    return bench->kept = kept;
}

static const char *key_of(struct workbench *bench, const struct bench_case *bench_case)
{
    return case_key(bench->session.arena, bench->benchmark->info.name, bench_case);
}

bool workbench_visit_case(struct workbench *bench, const struct bench_case *bench_case)
{
    struct workbench_case *kept = find_kept(bench, key_of(bench, bench_case));
    arena_destroy(bench->arena);
    bench->arena = arena_create();
    bench->err = (struct error){0};
    bench->request.round = kept->rounds++;
    bench->seen = measure_visit_create(bench->arena);
    struct bench_visit run = {.session = &bench->session,
                              .bench_case = bench_case,
                              .scope = gpu_scope_open(bench->session.device),
                              .arena = bench->arena,
                              .request = &bench->request,
                              .memory = &kept->memory};
    bool done = bench->benchmark->visit(&run, bench->seen, &bench->err);
    gpu_scope_close(run.scope);
    return done;
}

// The value in "key=value", of the type that the benchmark's parameter has.
static struct case_value parse_value(struct workbench *bench, char *text)
{
    const struct benchmark_info *info = &bench->benchmark->info;
    struct value_list list = {0};
    char *value = strchr(text, '=');
    if (!value)
        fail_msg("%s: no value", text);
    *value++ = '\0';
    for (size_t i = 0; i < info->param_count && list.count == 0; i++)
        if (strcmp(info->params[i].key, text) == 0 &&
            !values_parse(bench->session.arena, &info->params[i], value, &list, &bench->err))
            fail_msg("%s", bench->err.message);
    if (list.count != 1)
        fail_msg("%s=%s: not one value of a parameter of %s", text, value, info->name);
    return list.values[0];
}

static struct bench_case parse_case(struct workbench *bench, const char *format, va_list arguments)
{
    struct arena *arena = bench->session.arena;
    struct bench_case parsed = {
        ARENA_ARRAY(arena, bench->benchmark->info.param_count, struct case_value), 0};
    for (char *part = arena_vprintf(arena, format, arguments), *end; *part; part = end) {
        end = part + strcspn(part, "/");
        if (*end)
            *end++ = '\0';
        parsed.values[parsed.value_count++] = parse_value(bench, part);
    }
    return parsed;
}

#define PARSE_CASE(name, bench, format)                                                            \
    va_list arguments;                                                                             \
    va_start(arguments, format);                                                                   \
    const struct bench_case name = parse_case(bench, format, arguments);                           \
    va_end(arguments)

struct bench_case workbench_case(struct workbench *bench, const char *format, ...)
{
    PARSE_CASE(parsed, bench, format);
    return parsed;
}

bool workbench_visit(struct workbench *bench, const char *format, ...)
{
    PARSE_CASE(parsed, bench, format);
    return workbench_visit_case(bench, &parsed);
}

bool workbench_expect(struct workbench *bench, gpu_caps needed, const char *format, ...)
{
    PARSE_CASE(parsed, bench, format);
    bool missing = (needed & ~bench->session.info->caps) != 0;
    for (int round = 0; round < 2; round++)
        if (!workbench_visit_case(bench, &parsed)) {
            if (!missing || bench->err.code != ERROR_UNSUPPORTED)
                fail_msg("%s: %s", key_of(bench, &parsed), bench->err.message);
            return false;
        }
    if (missing)
        fail_msg("%s: measured on a device that cannot", key_of(bench, &parsed));
    return true;
}

void workbench_refuse(struct workbench *bench, enum error_code code, const char *format, ...)
{
    PARSE_CASE(parsed, bench, format);
    if (workbench_visit_case(bench, &parsed))
        fail_msg("%s: measured, expected %s", key_of(bench, &parsed), error_code_name(code));
    if (bench->err.code != code)
        fail_msg("%s: expected %s: %s", key_of(bench, &parsed), error_code_name(code),
                 bench->err.message);
}

const struct measure_samples *workbench_samples(const struct workbench *bench, unsigned metric)
{
    const struct measure_samples *samples = &bench->seen->metrics[metric];
    const char *name = bench->benchmark->info.metrics[metric].name;
    if (samples->count == 0)
        fail_msg("%s: no sample", name);
    for (size_t i = 0; i < samples->count; i++)
        if (!isfinite(samples->values[i]) || !(samples->values[i] > 0))
            fail_msg("%s: sample %zu is %g", name, i, samples->values[i]);
    return samples;
}

void workbench_flip(struct gpu_buffer *buffer, uint64_t offset, uint32_t bits)
{
    uint32_t word;
    assert_non_null(buffer);
    assert_true(gpu_buffer_read(buffer, offset, &word, sizeof word, NULL));
    word ^= bits;
    assert_true(gpu_buffer_write(buffer, offset, &word, sizeof word, NULL));
}

static bool skip_dispatch(struct gpu_batch *batch, const struct gpu_dispatch *dispatch,
                          struct error *err)
{
    (void)batch, (void)dispatch, (void)err;
    return true;
}

struct gpu_backend workbench_idle(const struct gpu_device *device)
{
    struct gpu_backend idle = *device->backend;
    idle.batch_dispatch = skip_dispatch;
    return idle;
}
