// SPDX-License-Identifier: MIT
// Every kind of number and every form of the loops measured and verified on the device that is
// there, and the proof itself put to the test: other data, or another number of steps, give
// MISMATCH, no number.
#include "bench/roofline/session.h"
#include "workbench.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

extern const struct benchmark bench_roofline;

struct fixture {
    struct workbench bench;
    struct roofline_session *own;
};

static int open_session(void **state)
{
    struct fixture *f = *state = test_calloc(1, sizeof *f);
    if (!workbench_open(&f->bench, &bench_roofline))
        return -1;
    f->own = f->bench.session.state;
    return 0;
}

static int close_session(void **state)
{
    struct fixture *f = *state;
    workbench_close(&f->bench);
    test_free(f);
    return 0;
}

static bool visit(struct fixture *f, const char *type, double intensity, void **memory,
                  unsigned round, struct error *err)
{
    struct arena *arena = arena_create();
    struct case_value values[] = {
        {.key = "type", .type = PARAM_TEXT, .text = type},
        {.key = "intensity", .type = PARAM_REAL, .real = intensity},
    };
    const struct bench_case this_case = {values, 2};
    const struct measure_request request = {
        .samples = 2, .sample_ns = 100000, .timeout_ns = UINT64_C(20000000000), .round = round};
    struct bench_visit run = {.session = &f->bench.session,
                              .bench_case = &this_case,
                              .scope = gpu_scope_open(f->bench.session.device),
                              .arena = arena,
                              .request = &request,
                              .memory = memory};
    struct measure_visit *seen = measure_visit_create(arena);
    bool done = bench_roofline.visit(&run, seen, err);
    // Rate over bandwidth is the intensity.
    for (size_t i = 0; done && i < seen->metrics[0].count; i++)
        assert_true(fabs(seen->metrics[0].values[i] / seen->metrics[1].values[i] / intensity - 1) <
                    1e-9);
    gpu_scope_close(run.scope);
    arena_destroy(arena);
    return done;
}

// A part of the chains, whole steps, and turns of each loop.
static void every_intensity_gives_what_the_host_computes(void **state)
{
    static const double intensities[] = {0.0625, 0.5, 1.6875, 5, 40.125};
    struct fixture *f = *state;
    struct error err;
    for (size_t n = 0; n < ROOFLINE_NUMBERS; n++)
        for (size_t i = 0; i < sizeof intensities / sizeof *intensities; i++) {
            const struct roofline_number *number = &roofline_numbers[n];
            bool missing = (number->caps & ~f->bench.session.info->caps) != 0;
            void *memory = NULL;
            for (unsigned round = 0; round < 2; round++)
                if (visit(f, number->name, intensities[i], &memory, round, &err) == missing)
                    fail_msg("%s at %g: %s", number->name, intensities[i], err.message);
            if (missing)
                assert_int_equal(err.code, ERROR_UNSUPPORTED);
        }
}

// With the card of the NVML double (tests/sensors), whose counter rises at every reading.
static void energy_is_counted_once_a_case_while_the_work_is_repeated(void **state)
{
    struct fixture *f = *state;
    struct gpu_info other = {.has_uuid = true};
    for (unsigned i = 0; i < GPU_UUID_BYTES; i++)
        other.uuid[i] = (uint8_t)i;
    if (f->own->energy || !(f->own->energy = measure_energy_open(f->bench.session.arena, &other)))
        skip();
    struct case_value values[] = {
        {.key = "type", .type = PARAM_TEXT, .text = "fp32"},
        {.key = "intensity", .type = PARAM_REAL, .real = 2},
        {.key = "energy", .type = PARAM_REAL, .real = 0.05},
    };
    const struct bench_case this_case = {values, 3};
    const struct measure_request request = {
        .samples = 2, .sample_ns = 100000, .timeout_ns = UINT64_C(20000000000)};
    void *memory = NULL;
    for (int round = 0; round < 2; round++) {
        struct error err;
        struct bench_visit run = {.session = &f->bench.session,
                                  .bench_case = &this_case,
                                  .scope = gpu_scope_open(f->bench.session.device),
                                  .arena = arena_create(),
                                  .request = &request,
                                  .memory = &memory};
        struct measure_visit *seen = measure_visit_create(run.arena);
        if (!bench_roofline.visit(&run, seen, &err))
            fail_msg("%s", err.message);
        const struct measure_samples *op = &seen->metrics[2], *byte = &seen->metrics[3];
        assert_int_equal(op->count, round == 0);
        if (round == 0) {
            assert_true(op->values[0] > 0);
            assert_true(fabs(byte->values[0] / op->values[0] - 2) < 1e-9);
            assert_true(seen->metrics[4].values[0] > 0); // W
        }
        gpu_scope_close(run.scope);
        arena_destroy(run.arena);
    }
}

static void one_changed_value_is_a_mismatch(void **state)
{
    struct fixture *f = *state;
    struct error err;
    void *memory = NULL;
    uint32_t word;
    assert_true(visit(f, "fp32", 1, &memory, 0, &err));
    assert_true(gpu_buffer_read(f->own->source, 4096, &word, sizeof word, &err));
    word ^= 0x400000; // far enough that no rounding takes it back
    assert_true(gpu_buffer_write(f->own->source, 4096, &word, sizeof word, &err));
    assert_false(visit(f, "fp32", 1, &memory, 1, &err));
    assert_int_equal(err.code, ERROR_MISMATCH);
}

static void another_number_of_steps_adds_up_to_something_else(void **state)
{
    const uint64_t bytes = 1 << 20;
    (void)state;
    for (size_t n = 0; n < ROOFLINE_NUMBERS; n++) {
        const struct roofline_number *number = &roofline_numbers[n];
        struct roofline_sums few = roofline_expect(number, 37, bytes);
        struct roofline_sums more = roofline_expect(number, 38, bytes);
        assert_int_not_equal(few.fused, more.fused);
        assert_int_not_equal(few.rounded, more.rounded);
        // Twice the memory, twice the sum.
        assert_int_equal(roofline_expect(number, 37, 2 * bytes).fused, 2 * few.fused);
    }
}

static void only_whole_steps_make_an_intensity(void **state)
{
    (void)state;
    const struct roofline_case half = {&roofline_numbers[0], 1.0 / 128, 0};
    const struct roofline_case least = {&roofline_numbers[2], 0.0625, 0};
    const struct roofline_case most = {&roofline_numbers[1], 512, 0};
    assert_int_equal(roofline_steps(&half), 0);
    assert_int_equal(roofline_steps(&least), 2);
    assert_int_equal(roofline_steps(&most), 32768);
}

#define EACH(test) cmocka_unit_test_setup_teardown(test, open_session, close_session)

int main(int argc, char **argv)
{
    int status = workbench_status(argc, argv);
    if (status)
        return status;
    const struct CMUnitTest tests[] = {
        EACH(energy_is_counted_once_a_case_while_the_work_is_repeated),
        EACH(every_intensity_gives_what_the_host_computes),
        EACH(one_changed_value_is_a_mismatch),
        cmocka_unit_test(another_number_of_steps_adds_up_to_something_else),
        cmocka_unit_test(only_whole_steps_make_an_intensity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
