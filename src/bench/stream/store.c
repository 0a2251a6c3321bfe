// SPDX-License-Identifier: MIT
#include "bench/stream/store.h"

#include "measure/unit.h"
#include "measure/words.h"

#include <string.h>

enum {
    CHECK_THREADS = 256, // as kernels.txt says
    CHECK_GROUPS_MAX = 32768
};
_Static_assert(STREAM_SLOTS == MEASURE_WORDS_SLOTS, "kernels add to as many words");

static const uint64_t timeout_default_ns = UINT64_C(10000000000); // until a visit says otherwise
static const uint32_t seeds[STREAM_ARRAY_COUNT] = {STREAM_SEED_SOURCE, STREAM_SEED_OTHER,
                                                   ~STREAM_SEED_SOURCE};

struct data_params { // as in data.comp
    uint32_t count, seed, other_seed, shift, threads, loads;
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

bool stream_store_open(struct stream_store *store, struct bench_session *bench, struct error *err)
{
    *store = (struct stream_store){.bench = bench, .timeout_ns = timeout_default_ns};
    store->words = measure_words_create(bench->scope, err);
    return store->words != NULL;
}

void stream_store_close(struct stream_store *store)
{
    for (int i = 0; i < STREAM_ARRAY_COUNT; i++)
        gpu_scope_close(store->arrays[i].scope);
}

// ---------------------------------------------------------------- tasks

struct task {
    int task;
    bool doubles;
    enum stream_array array;
    struct data_params params;
};

static bool run_task(struct stream_store *store, const struct task *task, struct error *err)
{
    static const char *const names[][2] = {
        [STREAM_TASK_FILL] = {"stream_task_fill_float", "stream_task_fill_double"},
        [STREAM_TASK_CHECK] = {"stream_task_check_float", "stream_task_check_double"},
        [STREAM_TASK_DOT] = {"stream_task_dot_float", "stream_task_dot_double"},
    };
    struct gpu_program *program =
        measure_program(&store->bench->programs, names[task->task][task->doubles], NULL, err);
    if (!program)
        return false;
    uint32_t groups = (task->params.count + CHECK_THREADS - 1) / CHECK_THREADS;
    struct gpu_buffer *other = store->arrays[STREAM_OTHER].buffer;
    const struct gpu_dispatch dispatch = {
        .program = program,
        .groups = {groups < CHECK_GROUPS_MAX ? groups : CHECK_GROUPS_MAX},
        .args = {{.buffer = store->arrays[task->array].buffer},
                 {.buffer = store->words},
                 {.buffer = other ? other : store->words}},
        .params = &task->params,
        .params_bytes = sizeof task->params,
    };
    return measure_unit_run(store->bench->device, &dispatch, store->timeout_ns, err);
}

static bool fill(struct stream_store *store, enum stream_array array, bool doubles, uint64_t bytes,
                 struct error *err)
{
    const struct task task = {
        .task = STREAM_TASK_FILL,
        .doubles = doubles,
        .array = array,
        .params = {.count = (uint32_t)(bytes / STREAM_VECTOR_BYTES), .seed = seeds[array]}};
    return run_task(store, &task, err);
}

// ---------------------------------------------------------------- arrays

static bool find_array(struct stream_store *store, enum stream_array array, uint64_t bytes,
                       struct error *err)
{
    uint64_t most = measure_limits_buffer(&store->bench->info->limits, UINT64_MAX, 0);
    bytes += STREAM_PAD_BYTES;
    if (store->arrays[array].bytes >= bytes)
        return true;
    if (bytes > most)
        return error_set(err, ERROR_UNSUPPORTED, "an array here has at most %llu bytes",
                         (unsigned long long)most - STREAM_PAD_BYTES);
    gpu_scope_close(store->arrays[array].scope);
    store->arrays[array].bytes = 0;
    store->arrays[array].buffer = NULL;
    store->arrays[array].filled = false;
    store->arrays[array].scope = gpu_scope_open(store->bench->device);
    store->arrays[array].buffer = gpu_buffer_create(store->arrays[array].scope,
                                                    &(struct gpu_buffer_desc){.bytes = bytes}, err);
    if (!store->arrays[array].buffer)
        return false;
    store->arrays[array].bytes = bytes;
    return true;
}

static bool prepare_input(struct stream_store *store, enum stream_array array, bool doubles,
                          uint64_t bytes, struct error *err)
{
    if (!find_array(store, array, bytes, err))
        return false;
    if (store->arrays[array].filled && store->arrays[array].doubles == doubles)
        return true;
    store->arrays[array].filled = true;
    store->arrays[array].doubles = doubles;
    return fill(store, array, doubles, store->arrays[array].bytes, err);
}

bool stream_store_prepare(struct stream_store *store, const struct stream_case *this_case,
                          struct error *err)
{
    const struct stream_op *op = this_case->op;
    return (!op->source ||
            prepare_input(store, STREAM_SOURCE, this_case->doubles, this_case->bytes, err)) &&
           (!op->other ||
            prepare_input(store, STREAM_OTHER, this_case->doubles, this_case->bytes, err)) &&
           (!op->target || find_array(store, STREAM_TARGET, this_case->bytes, err));
}

bool stream_store_spoil(struct stream_store *store, const struct stream_case *this_case,
                        struct error *err)
{
    return fill(store, STREAM_TARGET, this_case->doubles, this_case->bytes, err);
}

// ---------------------------------------------------------------- checks

static bool check(struct stream_store *store, const struct task *task, uint32_t *sum,
                  struct error *err)
{
    struct measure_words words;
    if (!measure_words_clear(store->words, err) || !run_task(store, task, err) ||
        !measure_words_read(store->words, &words, err))
        return false;
    *sum = words.sum;
    return words.count == task->params.count ||
           error_set(err, ERROR_MISMATCH,
                     "%llu of %u vectors of 16 bytes are not what they should be",
                     (unsigned long long)(task->params.count - words.count), task->params.count);
}

bool stream_store_check(struct stream_store *store, const struct stream_case *this_case,
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
    if (!this_case->op->source)
        task.params.weights[STREAM_WEIGHTS - 1] = value;
    return check(store, &task, &sum, err);
}

bool stream_store_sum(struct stream_store *store, const struct stream_case *this_case,
                      const struct stream_shape *shape, uint32_t *sum, struct error *err)
{
    struct task task = {.task = STREAM_TASK_CHECK,
                        .doubles = this_case->doubles,
                        .array = STREAM_SOURCE,
                        .params = {.count = (uint32_t)(this_case->bytes / STREAM_VECTOR_BYTES),
                                   .seed = STREAM_SEED_SOURCE,
                                   .weights = {0, 0, 1}}};
    if (!check(store, &task, sum, err))
        return false;
    if (!this_case->op->other)
        return true;
    task.array = STREAM_OTHER;
    task.params.seed = STREAM_SEED_OTHER;
    if (!check(store, &task, sum, err))
        return false;
    task.task = STREAM_TASK_DOT;
    task.array = STREAM_SOURCE;
    task.params.count /= shape->loads;
    task.params.threads = shape->threads;
    task.params.loads = shape->loads;
    return check(store, &task, sum, err);
}
