// SPDX-License-Identifier: MIT
// A case whose timed work is lost must not give a number. The test drops the commands between the
// beginning and the end of a span before they reach the device (the linker's --wrap). Every case
// that lost commands must fail its verification.
#include "device_api.h"
#include "gpu/graphics.h"
#include "gpu/rays.h"
#include "suite/plan.h"
#include "workbench.h"

#include <string.h>

// ---------------------------------------------------------------- losing work

static struct loss {
    const struct gpu_batch *open; // the batch that records within a span
    unsigned lost;                // commands that were dropped
} loss;

#define REAL(name) __real_##name
#define WRAP(name) __wrap_##name

void REAL(gpu_batch_span_begin)(struct gpu_batch *batch, unsigned span);
void REAL(gpu_batch_span_end)(struct gpu_batch *batch, unsigned span);
void REAL(gpu_batch_dispatch)(struct gpu_batch *batch, const struct gpu_dispatch *dispatch);
void REAL(gpu_batch_draw)(struct gpu_batch *batch, const struct gpu_draw *draw);
void REAL(gpu_batch_copy)(struct gpu_batch *batch, struct gpu_buffer *to, uint64_t to_offset,
                          struct gpu_buffer *from, uint64_t from_offset, uint64_t bytes);
void WRAP(gpu_batch_span_begin)(struct gpu_batch *batch, unsigned span);
void WRAP(gpu_batch_span_end)(struct gpu_batch *batch, unsigned span);
void WRAP(gpu_batch_dispatch)(struct gpu_batch *batch, const struct gpu_dispatch *dispatch);
void WRAP(gpu_batch_draw)(struct gpu_batch *batch, const struct gpu_draw *draw);
void WRAP(gpu_batch_copy)(struct gpu_batch *batch, struct gpu_buffer *to, uint64_t to_offset,
                          struct gpu_buffer *from, uint64_t from_offset, uint64_t bytes);
void REAL(gpu_batch_tree_build)(struct gpu_batch *batch, struct gpu_tree *tree);
void REAL(gpu_batch_tree_update)(struct gpu_batch *batch, struct gpu_tree *tree);
void REAL(gpu_batch_tree_copy)(struct gpu_batch *batch, struct gpu_tree *to, struct gpu_tree *from,
                               bool compact);
void WRAP(gpu_batch_tree_build)(struct gpu_batch *batch, struct gpu_tree *tree);
void WRAP(gpu_batch_tree_update)(struct gpu_batch *batch, struct gpu_tree *tree);
void WRAP(gpu_batch_tree_copy)(struct gpu_batch *batch, struct gpu_tree *to, struct gpu_tree *from,
                               bool compact);

void WRAP(gpu_batch_span_begin)(struct gpu_batch *batch, unsigned span)
{
    REAL(gpu_batch_span_begin)(batch, span);
    loss.open = batch;
}

void WRAP(gpu_batch_span_end)(struct gpu_batch *batch, unsigned span)
{
    loss.open = NULL;
    REAL(gpu_batch_span_end)(batch, span);
}

static bool is_lost(const struct gpu_batch *batch)
{
    loss.lost += batch == loss.open;
    return batch == loss.open;
}

void WRAP(gpu_batch_dispatch)(struct gpu_batch *batch, const struct gpu_dispatch *dispatch)
{
    if (!is_lost(batch))
        REAL(gpu_batch_dispatch)(batch, dispatch);
}

void WRAP(gpu_batch_draw)(struct gpu_batch *batch, const struct gpu_draw *draw)
{
    if (!is_lost(batch))
        REAL(gpu_batch_draw)(batch, draw);
}

void WRAP(gpu_batch_copy)(struct gpu_batch *batch, struct gpu_buffer *to, uint64_t to_offset,
                          struct gpu_buffer *from, uint64_t from_offset, uint64_t bytes)
{
    if (!is_lost(batch))
        REAL(gpu_batch_copy)(batch, to, to_offset, from, from_offset, bytes);
}

void WRAP(gpu_batch_tree_build)(struct gpu_batch *batch, struct gpu_tree *tree)
{
    if (!is_lost(batch))
        REAL(gpu_batch_tree_build)(batch, tree);
}

void WRAP(gpu_batch_tree_update)(struct gpu_batch *batch, struct gpu_tree *tree)
{
    if (!is_lost(batch))
        REAL(gpu_batch_tree_update)(batch, tree);
}

void WRAP(gpu_batch_tree_copy)(struct gpu_batch *batch, struct gpu_tree *to, struct gpu_tree *from,
                               bool compact)
{
    if (!is_lost(batch))
        REAL(gpu_batch_tree_copy)(batch, to, from, compact);
}

// ---------------------------------------------------------------- visits

// True if the device can run the benchmark, and spans time its work. In `overlap` and `preempt`,
// the kernels themselves write the evidence.
static bool is_tried(const struct benchmark *benchmark)
{
    struct error missing;
    struct gpu_system *system =
        gpu_system_create(&(struct gpu_system_desc){.only_api = device_api()});
    bool can = gpu_require(gpu_system_info(system, 0), benchmark->needs, &missing);
    gpu_system_destroy(system);
    return can && strcmp(benchmark->info.name, "overlap") != 0 &&
           strcmp(benchmark->info.name, "preempt") != 0;
}

// The cases of `raster` are proven in several ways, and its quick preset lacks some kinds.
static const char *preset_of(const struct benchmark *benchmark)
{
    return strcmp(benchmark->info.name, "raster") == 0 ? "standard" : "quick";
}

// Returns how many cases of a benchmark gave a number although they lost their work.
static unsigned try_benchmark(const struct benchmark *benchmark, unsigned *tried)
{
    struct workbench bench;
    unsigned passed = 0;
    struct error err;
    if (!is_tried(benchmark))
        return 0;
    if (!workbench_open(&bench, benchmark))
        fail_msg("%s cannot be opened", benchmark->info.name);
    bench.request.sample_ns = 20000;
    struct arena *arena = arena_create();
    struct run run = {.arena = arena};
    const struct choice_request request = {.benchmarks = &benchmark,
                                           .benchmark_count = 1,
                                           .preset = preset_of(benchmark),
                                           .system = bench.system};
    struct plan *plan = plan_preset_create(arena, &request, bench.session.info, &run, &err);
    struct plan_case next;
    assert_non_null(plan);
    for (enum plan_step step; (step = plan->next(plan, &run, &next)) != PLAN_END;) {
        if (step == PLAN_PAUSE)
            continue;
        loss = (struct loss){0};
        bool done = workbench_visit_case(&bench, next.bench_case);
        *tried += loss.lost > 0;
        if (done && loss.lost > 0) {
            print_error("%s: a number, and %u commands were lost\n", next.key, loss.lost);
            passed++;
        } else if (loss.lost > 0 && bench.err.code != ERROR_MISMATCH) {
            print_error("%s: %s\n", next.key, bench.err.message);
        }
    }
    arena_destroy(arena);
    workbench_close(&bench);
    return passed;
}

static void no_case_that_lost_its_work_gives_a_number(void **state)
{
    const char *only = *state; // a benchmark's name; NULL: all
    unsigned passed = 0, tried = 0;
    for (size_t i = 0; benchmarks[i]; i++) {
        unsigned before = tried;
        if (only && strcmp(only, benchmarks[i]->info.name) != 0)
            continue;
        passed += try_benchmark(benchmarks[i], &tried);
        print_message("%s: %u cases\n", benchmarks[i]->info.name, tried - before);
    }
    assert_int_equal(passed, 0);
    assert_true(tried > 0);
}

int main(int argc, char **argv)
{
    int status = workbench_status(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(no_case_that_lost_its_work_gives_a_number,
                                  argc > 2 ? argv[2] : NULL),
    };
    return status ? status : cmocka_run_group_tests(tests, NULL, NULL);
}
