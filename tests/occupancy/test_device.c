// SPDX-License-Identifier: MIT
// Every kernel of the benchmark run and verified on the device that is there, its count within what
// the device can hold, and the proof itself put to the test.
#include "bench/occupancy/session.h"
#include "workbench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

extern const struct benchmark bench_occupancy;

enum {
    METRIC_WORKGROUPS,
    METRIC_SUBGROUPS,
    METRIC_THREADS,
    METRIC_CHIP
};

struct fixture {
    struct workbench bench;
    struct arena *arena;
    struct measure_visit *seen; // of the last visit
};

static int open_session(void **state)
{
    struct fixture *f = *state = test_calloc(1, sizeof *f);
    f->arena = arena_create();
    return workbench_open(&f->bench, &bench_occupancy) ? 0 : -1;
}

static int close_session(void **state)
{
    struct fixture *f = *state;
    workbench_close(&f->bench);
    arena_destroy(f->arena);
    test_free(f);
    return 0;
}

static bool visit(struct fixture *f, const char *key, uint64_t value, void **memory,
                  struct error *err)
{
    struct case_value values[] = {
        {.key = key, .type = PARAM_UINT, .uint = value},
        {.key = "subgroup",
         .type = PARAM_UINT,
         .uint = f->bench.session.info->limits.subgroup_threads},
    };
    const struct bench_case this_case = {values, 2};
    const struct measure_request request = {
        .samples = 2, .sample_ns = 100000, .timeout_ns = UINT64_C(20000000000)};
    struct bench_visit run = {.session = &f->bench.session,
                              .bench_case = &this_case,
                              .scope = gpu_scope_open(f->bench.session.device),
                              .arena = arena_create(),
                              .request = &request,
                              .memory = memory};
    f->seen = measure_visit_create(f->arena);
    bool done = bench_occupancy.visit(&run, f->seen, err);
    gpu_scope_close(run.scope);
    arena_destroy(run.arena);
    return done;
}

static void expect_counts(struct fixture *f, const char *key, uint64_t value)
{
    struct error err;
    void *memory = NULL;
    for (int round = 0; round < 2; round++) {
        if (!visit(f, key, value, &memory, &err))
            fail_msg("%s=%llu: %s", key, (unsigned long long)value, err.message);
        const struct measure_samples *chip = &f->seen->metrics[METRIC_CHIP];
        assert_true(chip->count == 2 && chip->values[0] >= 1);
        const struct measure_samples *core = &f->seen->metrics[METRIC_WORKGROUPS];
        for (size_t i = 0; i < core->count && core->limit > 0; i++)
            assert_true(core->values[i] <= core->limit);
        // A CPU works at a workgroup with each of its threads, whatever it needs.
        if (f->bench.session.info->kind == GPU_KIND_CPU)
            assert_true(chip->values[0] <= (double)sysconf(_SC_NPROCESSORS_ONLN));
    }
}

static void the_values_that_are_kept_come_out_and_workgroups_are_counted(void **state)
{
    static const uint32_t values[] = {8, 24, 56, 88, 120, 160, 240};
    for (int i = 0; i < 7; i++)
        expect_counts(*state, "values", values[i]);
}

static void shared_memory_is_filled_and_read_by_every_workgroup(void **state)
{
    struct fixture *f = *state;
    for (uint64_t bytes = 8192; bytes <= occupancy_shared_max(f->bench.session.info); bytes *= 2)
        if (bytes <= 65536)
            expect_counts(f, "shared", bytes);
}

static void workgroups_of_every_size_are_counted(void **state)
{
    struct fixture *f = *state;
    static const uint32_t threads[] = {32, 64, 256, 1024};
    for (int i = 0; i < 4; i++)
        if (threads[i] <= f->bench.session.info->limits.workgroup_threads)
            expect_counts(f, "threads", threads[i]);
}

static void other_data_than_the_host_knows_are_a_mismatch(void **state)
{
    struct fixture *f = *state;
    struct occupancy_session *own = f->bench.session.state;
    struct error err;
    void *memory = NULL;
    own->words[5] ^= 1;
    assert_false(visit(f, "values", 8, &memory, &err));
    assert_int_equal(err.code, ERROR_MISMATCH);
}

static void more_shared_memory_than_there_is_is_refused(void **state)
{
    struct fixture *f = *state;
    struct error err;
    void *memory = NULL;
    assert_false(visit(f, "shared", 1 << 20, &memory, &err));
    assert_int_equal(err.code, ERROR_UNSUPPORTED);
}

#define EACH(test) cmocka_unit_test_setup_teardown(test, open_session, close_session)

int main(int argc, char **argv)
{
    int status = workbench_status(argc, argv);
    if (status)
        return status;
    const struct CMUnitTest tests[] = {
        EACH(the_values_that_are_kept_come_out_and_workgroups_are_counted),
        EACH(shared_memory_is_filled_and_read_by_every_workgroup),
        EACH(workgroups_of_every_size_are_counted),
        EACH(other_data_than_the_host_knows_are_a_mismatch),
        EACH(more_shared_memory_than_there_is_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
