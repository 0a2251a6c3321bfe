// SPDX-License-Identifier: MIT
#include "bench/stream/session.h"
#include "measure/unit.h"

#include <string.h>

enum {
    // Threads of a workgroup in data.comp and data.cl, as in kernels.txt.
    CHECK_THREADS = 256,
    CHECK_GROUPS_MAX = 32768
};
_Static_assert(STREAM_SLOTS == MEASURE_WORDS_SLOTS, "kernels add to as many words");

// Time-out in ns of submissions before the first visit. Each visit then sets its own time-out.
static const uint64_t timeout_default_ns = UINT64_C(10000000000);
// Maximum size in bytes of an array with its padding. Kernels number the vectors of the array with
// 32 bits. The kernels that fill and check the array add up to 2^23 to these numbers.
static const uint64_t numbered_bytes = UINT64_C(63) << 30;
static const uint32_t seeds[STREAM_ARRAY_COUNT] = {STREAM_SEED_SOURCE, STREAM_SEED_OTHER,
                                                   ~STREAM_SEED_SOURCE};

struct data_params { // parameters of data.comp and data.cl, in the same order
    uint32_t count, seed, other_seed, shift, threads, loads, steps, marks;
    float weights[STREAM_WEIGHTS];
};

double stream_value(bool doubles, uint32_t i, uint32_t seed)
{
    uint32_t h = i * STREAM_MIX_STEP + seed;
    h ^= h >> 15;
    h *= STREAM_MIX_SCATTER;
    h ^= h >> 13;
    if (!doubles)
        return ((int32_t)(h >> 12 | 1) - 0x80000) / 524288.0;
    uint32_t low = h * STREAM_MIX_LOW >> 8 | 1;
    return ((int32_t)(h >> 12) - 0x80000) / 524288.0 + low / 8796093022208.0;
}

bool stream_open(struct bench_session *bench, struct error *err)
{
    struct stream_session *session = ARENA_NEW(bench->arena, struct stream_session);
    bench->state = session;
    session->bench = bench;
    session->timeout_ns = timeout_default_ns;
    session->words = measure_words_create(bench->scope, err);
    return session->words && bench_clock_probe(bench, err);
}

void stream_close(struct bench_session *bench)
{
    struct stream_session *session = bench->state;
    for (int i = 0; session && i < STREAM_ARRAY_COUNT; i++)
        gpu_scope_close(session->arrays[i].scope);
}

// ---------------------------------------------------------------- tasks

struct task {
    int task;
    bool doubles;
    enum stream_array array;
    struct data_params params;
};

static bool run_task(struct stream_session *session, const struct task *task, struct error *err)
{
    static const char *const names[][2] = {
        [STREAM_TASK_FILL] = {"stream_task_fill_float", "stream_task_fill_double"},
        [STREAM_TASK_CHECK] = {"stream_task_check_float", "stream_task_check_double"},
        [STREAM_TASK_DOT] = {"stream_task_dot_float", "stream_task_dot_double"},
    };
    struct gpu_program *program =
        measure_program(&session->bench->programs, names[task->task][task->doubles], NULL, err);
    if (!program)
        return false;
    uint32_t groups = (task->params.count + CHECK_THREADS - 1) / CHECK_THREADS;
    struct gpu_buffer *other = session->arrays[STREAM_OTHER].buffer;
    const struct gpu_dispatch dispatch = {
        .program = program,
        .groups = {groups < CHECK_GROUPS_MAX ? groups : CHECK_GROUPS_MAX},
        .args = {{.buffer = session->arrays[task->array].buffer},
                 {.buffer = session->words},
                 {.buffer = other ? other : session->words}},
        .params = &task->params,
        .params_bytes = sizeof task->params,
    };
    return measure_unit_run(session->bench->device, &dispatch, session->timeout_ns, err);
}

// ---------------------------------------------------------------- arrays

// Makes the array's buffer large enough for `bytes` bytes and a padding of STREAM_PAD_BYTES.
static bool make_room(struct stream_session *session, struct stream_buffer *array, uint64_t bytes,
                      struct error *err)
{
    uint64_t most = measure_limits_buffer(&session->bench->info->limits, numbered_bytes, 0);
    const struct gpu_buffer_desc desc = {.bytes = bytes + STREAM_PAD_BYTES};
    if (array->bytes >= desc.bytes)
        return true;
    if (desc.bytes > most)
        return error_set(err, ERROR_UNSUPPORTED,
                         "an array can have at most %llu bytes on this device",
                         (unsigned long long)most - STREAM_PAD_BYTES);
    gpu_scope_close(array->scope);
    *array = (struct stream_buffer){.scope = gpu_scope_open(session->bench->device)};
    array->buffer = gpu_buffer_create(array->scope, &desc, err);
    if (array->buffer)
        array->bytes = desc.bytes;
    return array->buffer != NULL;
}

static bool fill(struct stream_session *session, enum stream_array which, bool doubles,
                 uint64_t bytes, struct error *err)
{
    const struct task task = {
        .task = STREAM_TASK_FILL,
        .doubles = doubles,
        .array = which,
        .params = {.count = (uint32_t)(bytes / STREAM_VECTOR_BYTES), .seed = seeds[which]}};
    return run_task(session, &task, err);
}

bool stream_arrays_prepare(struct stream_session *session, const struct stream_case *this_case,
                           struct error *err)
{
    const struct stream_op *op = this_case->op;
    const bool needed[STREAM_ARRAY_COUNT] = {op->reads > 0, op->reads > 1, op->writes > 0};
    for (int i = 0; i < STREAM_ARRAY_COUNT; i++) {
        struct stream_buffer *array = &session->arrays[i];
        if (!needed[i])
            continue;
        if (!make_room(session, array, this_case->bytes, err))
            return false;
        if (i == STREAM_TARGET || (array->filled && array->doubles == this_case->doubles))
            continue;
        array->doubles = this_case->doubles;
        array->filled = fill(session, (enum stream_array)i, array->doubles, array->bytes, err);
        if (!array->filled)
            return false;
    }
    return true;
}

bool stream_arrays_spoil(struct stream_session *session, const struct stream_case *this_case,
                         struct error *err)
{
    return fill(session, STREAM_TARGET, this_case->doubles, this_case->bytes, err);
}

// ---------------------------------------------------------------- checks

// Runs a task that checks an array, and sets *sum. Fails with ERROR_MISMATCH if a vector is wrong.
static bool check(struct stream_session *session, const struct task *task, uint32_t *sum,
                  struct error *err)
{
    struct measure_words words;
    if (!measure_words_clear(session->words, err) || !run_task(session, task, err) ||
        !measure_words_read(session->words, &words, err))
        return false;
    *sum = words.sum;
    return words.count == task->params.count ||
           error_set(err, ERROR_MISMATCH, "%llu of %u vectors of 16 bytes are wrong",
                     (unsigned long long)(task->params.count - words.count), task->params.count);
}

bool stream_arrays_check(struct stream_session *session, const struct stream_case *this_case,
                         float value, struct error *err)
{
    struct task task = {.task = STREAM_TASK_CHECK,
                        .doubles = this_case->doubles,
                        .array = STREAM_TARGET,
                        .params = {.count = (uint32_t)(this_case->bytes / STREAM_VECTOR_BYTES),
                                   .seed = STREAM_SEED_SOURCE,
                                   .other_seed = STREAM_SEED_OTHER,
                                   .shift = this_case->op->shift}};
    uint32_t sum;
    memcpy(task.params.weights, this_case->op->weights, sizeof task.params.weights);
    if (this_case->op->reads == 0)
        task.params.weights[STREAM_WEIGHTS - 1] = value;
    return check(session, &task, &sum, err);
}

bool stream_arrays_sum(struct stream_session *session, const struct stream_case *this_case,
                       const struct stream_shape *shape, uint32_t *sum, struct error *err)
{
    struct task task = {.task = STREAM_TASK_CHECK,
                        .doubles = this_case->doubles,
                        .array = STREAM_SOURCE,
                        .params = {.count = (uint32_t)(this_case->bytes / STREAM_VECTOR_BYTES),
                                   .seed = STREAM_SEED_SOURCE,
                                   .marks = shape->single,
                                   .weights = {0, 0, 1}}};
    if (!check(session, &task, sum, err))
        return false;
    if (this_case->op->reads < 2)
        return true;
    task.array = STREAM_OTHER;
    task.params.seed = STREAM_SEED_OTHER;
    if (!check(session, &task, sum, err))
        return false;
    task.task = STREAM_TASK_DOT;
    task.array = STREAM_SOURCE;
    task.params.count /= shape->loads * shape->steps;
    task.params.threads = shape->threads;
    task.params.loads = shape->loads;
    task.params.steps = shape->steps;
    return check(session, &task, sum, err);
}
