// SPDX-License-Identifier: MIT
// A model through gpu.h: its clocks and its memory. Two models give the same results to the last
// cycle.
#include "bench/map/map_kernels.h"
#include "gpu/kernels.h"
#include "gpu/model.h"
#include "measure/clock_kernel.h"
#include "measure/span.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct stage {
    struct gpu_system *system;
    struct gpu_device *device;
    struct gpu_scope *scope;
};

static void stage_open(struct stage *stage)
{
    struct error err;
    setenv(GPU_MODEL_VARIABLE, MACHINES "/two.json", 1);
    stage->system = gpu_system_create(&(struct gpu_system_desc){.only_api = "model"});
    const struct gpu_info *info = gpu_system_find(stage->system, "model:0");
    assert_non_null(info);
    stage->device = gpu_device_open(stage->system, info, &(struct gpu_device_desc){0}, &err);
    assert_non_null(stage->device);
    stage->scope = gpu_scope_open(stage->device);
}

static void stage_close(struct stage *stage)
{
    gpu_scope_close(stage->scope);
    assert_int_equal(gpu_device_live_objects(stage->device), 0);
    gpu_device_close(stage->device);
    gpu_system_destroy(stage->system);
}

static void its_clocks_are_probed_as_the_file_has_them(void **state)
{
    (void)state;
    struct stage stage;
    struct measure_clock clock;
    struct error err;
    stage_open(&stage);
    assert_true(measure_clock_probe(stage.scope, NULL, &clock, &err));
    assert_true(clock.has_counter && clock.counts_core_clock && clock.has_device_clock);
    assert_true(fabs(clock.counter_hz / 1.5e9 - 1) < 0.001);
    assert_true(fabs(clock.device_tick_ns - 1) < 0.001);
    assert_true(fabs(clock.device_step_ns - 32) < 0.5);
    stage_close(&stage);
}

static void record_clock(void *context, struct gpu_batch *batch, uint64_t repeats)
{
    for (uint64_t i = 0; i < repeats; i++)
        clock_kernel_dispatch(batch, context);
}

// Given a device whose kernels know their core, then a span sees all cores that there are.
static void a_span_runs_on_all_its_cores(void **state)
{
    (void)state;
    struct stage stage;
    struct measure_clock clock;
    struct measure_span span;
    struct error err;
    struct arena *arena = arena_create();
    stage_open(&stage);
    assert_true(measure_clock_probe(stage.scope, NULL, &clock, &err));
    const struct gpu_buffer_desc buffer = {.bytes = clock_kernel_bytes(1, 2)};
    struct clock_dispatch dispatch = {.program = clock.program,
                                      .buffer = gpu_buffer_create(stage.scope, &buffer, &err),
                                      .groups = 1,
                                      .stamps = 2,
                                      .iterations = 100};
    const struct measure_request request = {.sample_ns = 1000};
    const struct measure_span_desc desc = {.scope = stage.scope,
                                           .record = record_clock,
                                           .context = &dispatch,
                                           .clock = &clock,
                                           .request = &request};
    assert_true(measure_span_run(arena, &desc, &span, &err));
    assert_int_equal(span.cores_stated, gpu_device_info(stage.device)->limits.cores);
    assert_int_equal(span.cores_seen, span.cores_stated);
    arena_destroy(arena);
    stage_close(&stage);
}

static double probed_hz(const struct stage *stage, double chosen_hz)
{
    struct measure_clock clock;
    struct error err;
    assert_true(gpu_device_choose_clock(stage->device, chosen_hz, &err));
    assert_true(measure_clock_probe(stage->scope, NULL, &clock, &err));
    return clock.counter_hz;
}

static void its_core_runs_by_the_clock_that_is_chosen(void **state)
{
    (void)state;
    struct stage stage;
    struct error err;
    stage_open(&stage);
    assert_true(fabs(probed_hz(&stage, 0.9e9) / 0.9e9 - 1) < 0.001);
    assert_true(fabs(probed_hz(&stage, 3e9) / 1.5e9 - 1) < 0.001); // not above its own clock
    assert_true(fabs(probed_hz(&stage, 1.2e9) / 1.2e9 - 1) < 0.001);
    assert_true(fabs(probed_hz(&stage, 0) / 1.5e9 - 1) < 0.001); // its own clock again
    assert_false(gpu_device_choose_clock(stage.device, NAN, &err));
    stage_close(&stage);
}

// Runs the clock kernel and copies the words that it writes.
static void read_clocks(uint32_t words[64])
{
    struct stage stage;
    struct error err;
    stage_open(&stage);
    const struct gpu_kernel *kernel = kernel_find("measure_clock_core_device_id");
    assert_non_null(kernel);
    struct gpu_program *program =
        gpu_program_create(stage.scope, &(struct gpu_program_desc){.kernel = kernel}, &err);
    struct gpu_buffer *buffer =
        gpu_buffer_create(stage.scope, &(struct gpu_buffer_desc){.bytes = 256}, &err);
    struct gpu_batch *batch = gpu_batch_create(stage.scope, &(struct gpu_batch_desc){0}, &err);
    assert_true(program && buffer && batch);
    const uint32_t params[] = {4, 10, 0}; // stamps, turns, never
    gpu_batch_dispatch(batch, &(struct gpu_dispatch){.program = program,
                                                     .groups = {3, 1, 1},
                                                     .args = {{.buffer = buffer}},
                                                     .params = params,
                                                     .params_bytes = sizeof params});
    assert_true(gpu_batch_end(batch, &err) && gpu_batch_run(batch, 1000000000, &err));
    assert_true(gpu_buffer_read(buffer, 0, words, 256, &err));
    stage_close(&stage);
}

static void groups_run_on_cores_in_turn_and_twice_alike(void **state)
{
    (void)state;
    uint32_t first[64], second[64];
    read_clocks(first);
    read_clocks(second);
    assert_memory_equal(first, second, sizeof first);
    for (uint32_t group = 0; group < 3; group++)
        assert_int_equal(first[17 * group], group); // the id of its core
    assert_true(first[1 + 4] - first[1] > 10 * 96); // more than the turns' cycles between stamps
}

enum {
    CHAINS = 2,
    CHAIN_NODES = 3 << 13, // 3 MiB: the second level holds one chain, not two
    LINE_BYTES = 128
};

// Sets the cycles a hop of each chain takes if both run at the same time on different cores.
static void follow_chains(struct stage *stage, double cycles[CHAINS])
{
    struct error err;
    const struct gpu_kernel *kernel = kernel_find("map_neighbours");
    assert_non_null(kernel);
    struct gpu_program *program =
        gpu_program_create(stage->scope, &(struct gpu_program_desc){.kernel = kernel}, &err);
    struct gpu_buffer *nodes = gpu_buffer_create(
        stage->scope, &(struct gpu_buffer_desc){.bytes = CHAINS * CHAIN_NODES * LINE_BYTES}, &err);
    uint32_t words[CHAINS][NEIGHBOURS_WORDS];
    struct gpu_buffer *result =
        gpu_buffer_create(stage->scope, &(struct gpu_buffer_desc){.bytes = sizeof words}, &err);
    struct gpu_batch *batch = gpu_batch_create(stage->scope, &(struct gpu_batch_desc){0}, &err);
    assert_true(program && nodes && result && batch);
    const uint32_t turns = CHAIN_NODES / NEIGHBOURS_UNROLL / 4;
    const struct {
#define X(name) uint32_t name;
        NEIGHBOURS_PARAMS(X)
#undef X
    } params = {.nodes = CHAIN_NODES,
                .pitch_words = LINE_BYTES / 4,
                .key = 1,
                .turns = turns,
                .never = UINT32_MAX,
                .token = 1};
    gpu_batch_dispatch(batch,
                       &(struct gpu_dispatch){.program = program,
                                              .groups = {CHAINS, 1, 1},
                                              .args = {{.buffer = nodes}, {.buffer = result}},
                                              .params = &params,
                                              .params_bytes = sizeof params});
    assert_true(gpu_batch_end(batch, &err) && gpu_batch_run(batch, 1000000000, &err));
    assert_true(gpu_buffer_read(result, 0, words, sizeof words, &err));
    for (uint32_t i = 0; i < CHAINS; i++)
        cycles[i] = (double)(words[i][NEIGHBOURS_END] - words[i][NEIGHBOURS_BEGIN]) /
                    (turns * NEIGHBOURS_UNROLL);
}

// Both groups follow their chains at the same time, as on a GPU. So the cache holds neither chain
// as a whole, and both chains have the latency of memory (600 cycles).
static void threads_and_groups_share_a_cache_at_the_same_time(void **state)
{
    (void)state;
    struct stage stage;
    double cycles[CHAINS];
    stage_open(&stage);
    follow_chains(&stage, cycles);
    for (uint32_t i = 0; i < CHAINS; i++)
        if (!(cycles[i] > 560))
            fail_msg("chain %u: %g cycles a hop", (unsigned)i, cycles[i]);
    stage_close(&stage);
}

static void kernels_without_a_form_for_it_are_unsupported(void **state)
{
    (void)state;
    struct stage stage;
    struct error err;
    stage_open(&stage);
    const struct gpu_kernel *kernel = kernel_find("latency_image_index");
    assert_non_null(kernel);
    assert_null(
        gpu_program_create(stage.scope, &(struct gpu_program_desc){.kernel = kernel}, &err));
    assert_int_equal(err.code, ERROR_UNSUPPORTED);
    stage_close(&stage);
}

static void memory_ends_where_the_file_says(void **state)
{
    (void)state;
    struct stage stage;
    struct error err;
    stage_open(&stage);
    const struct gpu_buffer_desc most = {.bytes = 100 << 20};
    assert_non_null(gpu_buffer_create(stage.scope, &most, &err));
    assert_null(gpu_buffer_create(stage.scope, &most, &err));
    assert_int_equal(err.code, ERROR_OUT_OF_MEMORY);
    gpu_scope_close(stage.scope);
    stage.scope = gpu_scope_open(stage.device);
    assert_non_null(gpu_buffer_create(stage.scope, &most, &err));
    stage_close(&stage);
}

// ---------------------------------------------------------------- streams

enum {
    STREAM_WORDS = 16384, // 64 KiB: exactly the first level
    STREAM_LAPS = 64,
    SLOTS = 1024 // sums, then as many counts
};

struct reading {
    struct gpu_buffer *source, *words;
    struct gpu_batch *batch;
};

// Records one workgroup that reads the source in whole laps (walk.clh has the parameters).
static void record_reading(const struct stage *stage, struct reading *reading)
{
    struct error err;
    const struct gpu_kernel *kernel = kernel_find("bandwidth_loop_float_16_address_256x4");
    assert_non_null(kernel);
    struct gpu_program *program =
        gpu_program_create(stage->scope, &(struct gpu_program_desc){.kernel = kernel}, &err);
    const struct gpu_buffer_desc source = {.bytes = sizeof(uint32_t[STREAM_WORDS])};
    const struct gpu_buffer_desc words = {.bytes = sizeof(uint32_t[2 * SLOTS])};
    reading->source = gpu_buffer_create(stage->scope, &source, &err);
    reading->words = gpu_buffer_create(stage->scope, &words, &err);
    reading->batch =
        gpu_batch_create(stage->scope, &(struct gpu_batch_desc){.span_count = 1}, &err);
    assert_true(program && reading->source && reading->words && reading->batch);
    const uint32_t block_words = 4 * 32 * 4, rows = 256 / 32;
    const uint32_t extent = STREAM_WORDS / block_words, steps = extent / rows * STREAM_LAPS;
    const uint32_t params[] = {1, 1, 0, 1, extent, rows, steps, 0};
    gpu_batch_span_begin(reading->batch, 0);
    gpu_batch_dispatch(reading->batch, &(struct gpu_dispatch){.program = program,
                                                              .groups = {1, 1, 1},
                                                              .args = {{.buffer = reading->source},
                                                                       {.buffer = reading->words}},
                                                              .params = params,
                                                              .params_bytes = sizeof params});
    gpu_batch_span_end(reading->batch, 0);
    assert_true(gpu_batch_end(reading->batch, &err));
}

// Clears the words and reads the source. Returns the sum of all words that were read, and the time.
static uint32_t read_all(struct reading *reading, double *ns)
{
    static const uint32_t zeros[2 * SLOTS];
    uint32_t words[2 * SLOTS];
    struct error err;
    assert_true(gpu_buffer_write(reading->words, 0, zeros, sizeof zeros, &err));
    assert_true(gpu_batch_run(reading->batch, 1000000000, &err) &&
                gpu_batch_span_ns(reading->batch, 0, ns, &err));
    assert_true(gpu_buffer_read(reading->words, 0, words, sizeof words, &err));
    assert_int_equal(words[SLOTS], 1); // the one workgroup says that it is done
    return words[0];
}

static void a_stream_sees_memory_as_it_is_and_takes_its_time(void **state)
{
    (void)state;
    static uint32_t data[STREAM_WORDS];
    struct stage stage;
    struct reading reading;
    struct error err;
    double ns;
    uint32_t sum = 0;
    stage_open(&stage);
    record_reading(&stage, &reading);
    for (uint32_t i = 0; i < STREAM_WORDS; i++)
        sum += data[i] = i * 2654435761u;
    assert_true(gpu_buffer_write(reading.source, 0, data, sizeof data, &err));
    assert_int_equal(read_all(&reading, &ns), sum * STREAM_LAPS);
    assert_int_equal(read_all(&reading, &ns), sum * STREAM_LAPS);
    // 64 bytes a cycle at 1.5 GHz, and 2 µs of launch; the file's noise is 1 %.
    double expected = sizeof data * STREAM_LAPS / (64 * 1.5) + 2000;
    assert_true(fabs(ns / expected - 1) < 0.04);

    // When the host writes to the source, then the next reading sees that.
    const uint32_t other = data[5000] + 1;
    assert_true(
        gpu_buffer_write(reading.source, sizeof(uint32_t[5000]), &other, sizeof other, &err));
    assert_int_equal(read_all(&reading, &ns), (sum + 1) * STREAM_LAPS);
    stage_close(&stage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(its_clocks_are_probed_as_the_file_has_them),
        cmocka_unit_test(a_span_runs_on_all_its_cores),
        cmocka_unit_test(its_core_runs_by_the_clock_that_is_chosen),
        cmocka_unit_test(groups_run_on_cores_in_turn_and_twice_alike),
        cmocka_unit_test(threads_and_groups_share_a_cache_at_the_same_time),
        cmocka_unit_test(kernels_without_a_form_for_it_are_unsupported),
        cmocka_unit_test(memory_ends_where_the_file_says),
        cmocka_unit_test(a_stream_sees_memory_as_it_is_and_takes_its_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
