// SPDX-License-Identifier: MIT
// Every kernel of `strides` measured and verified on the device that is there, and the proof itself
// put to the test: memory that is not what it should be gives MISMATCH, no number.
#include "bench/strides/session.h"
#include "workbench.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

extern const struct benchmark bench_strides;

struct fixture {
    struct workbench bench;
    struct strides_session *own;
};

static int open_session(void **state)
{
    struct fixture *f = *state = test_calloc(1, sizeof *f);
    if (!workbench_open(&f->bench, &bench_strides))
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

// ---------------------------------------------------------------- cases and visits

struct wanted {
    const char *pattern, *route;
    unsigned width, place; // stride or across
};

// One case over several visits.
struct visits {
    struct fixture *fixture;
    void *memory;
    unsigned round;
    struct error err;
};

static bool visit(struct visits *v, const struct wanted *wanted)
{
    struct arena *arena = arena_create();
    bool block = strcmp(wanted->pattern, "block") == 0;
    struct case_value values[] = {
        {.key = "pattern", .type = PARAM_TEXT, .text = wanted->pattern},
        {.key = "width", .type = PARAM_UINT, .uint = wanted->width},
        {.key = block ? "across" : "stride", .type = PARAM_UINT, .uint = wanted->place},
        {.key = "route", .type = PARAM_TEXT, .text = wanted->route},
    };
    const struct bench_case this_case = {values, sizeof values / sizeof *values};
    const struct measure_request request = {.samples = 2,
                                            .sample_ns = 100000,
                                            .timeout_ns = UINT64_C(20000000000),
                                            .round = v->round++};
    struct bench_visit run = {.session = &v->fixture->bench.session,
                              .bench_case = &this_case,
                              .scope = gpu_scope_open(v->fixture->bench.session.device),
                              .arena = arena,
                              .request = &request,
                              .memory = &v->memory};
    struct measure_visit *seen = measure_visit_create(arena);
    bool done = bench_strides.visit(&run, seen, &v->err);
    if (done) {
        const struct measure_samples *bandwidth = &seen->metrics[STRIDES_BANDWIDTH];
        const struct measure_samples *time = &seen->metrics[STRIDES_TIME];
        assert_true(bandwidth->count == 2 && time->count == 2);
        // 32 threads load 32 × width bytes in that time.
        double bytes = bandwidth->values[0] / 1e9 * time->values[0];
        assert_true(fabs(bytes - 32.0 * wanted->width) < 0.001);
        assert_true(seen->detail_count > 0 && seen->kernel.hash);
    }
    gpu_scope_close(run.scope);
    arena_destroy(arena);
    return done;
}

// Verified twice, or refused because the device has no such thing.
static void expect_done(struct fixture *f, const struct wanted *wanted, gpu_caps needed)
{
    struct visits v = {.fixture = f};
    gpu_caps missing = needed & ~f->bench.session.info->caps;
    for (int round = 0; round < 2; round++)
        if (!visit(&v, wanted)) {
            if (!missing || v.err.code != ERROR_UNSUPPORTED)
                fail_msg("%s %u %u: %s", wanted->pattern, wanted->width, wanted->place,
                         v.err.message);
            return;
        }
    assert_true(!missing);
}

static void measure_patterns(struct fixture *f, const char *route, gpu_caps needed)
{
    static const unsigned strides[] = {0, 1, 2, 17, 128, STRIDES_STRIDE_MAX};
    static const unsigned blocks[] = {1, 3, 64, STRIDES_ACROSS_MAX};
    for (unsigned width = 4; width <= 16; width *= 2) {
        for (size_t i = 0; i < sizeof strides / sizeof *strides; i++)
            expect_done(f, &(struct wanted){"stride", route, width, strides[i]}, needed);
        for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
            expect_done(f, &(struct wanted){"block", route, width, blocks[i]}, needed);
    }
}

static void every_load_by_storage_buffer_is_verified(void **state)
{
    measure_patterns(*state, "storage", 0);
}

static void every_load_by_address_is_verified(void **state)
{
    measure_patterns(*state, "address", GPU_CAP(ADDRESSES) | GPU_CAP(INT64));
}

static void every_load_of_shared_memory_is_verified(void **state)
{
    static const unsigned strides[] = {0, 1, 2, 31, 32, 64, STRIDES_SHARED_STRIDE_MAX};
    for (size_t i = 0; i < sizeof strides / sizeof *strides; i++)
        expect_done(*state, &(struct wanted){"banks", "auto", 4, strides[i]}, 0);
}

// ---------------------------------------------------------------- the proof

static void flip_word(struct fixture *f, uint64_t offset)
{
    uint32_t word;
    assert_true(gpu_buffer_read(f->own->source, offset, &word, sizeof word, NULL));
    word ^= 0x100;
    assert_true(gpu_buffer_write(f->own->source, offset, &word, sizeof word, NULL));
}

static void one_wrong_word_is_a_mismatch(void **state)
{
    const struct wanted wanted = {"stride", "auto", 8, 16};
    struct visits v = {.fixture = *state};
    assert_true(visit(&v, &wanted));
    flip_word(*state, 16 * 8 * 5 + 4); // thread 5's first element
    assert_false(visit(&v, &wanted));
    assert_int_equal(v.err.code, ERROR_MISMATCH);
    flip_word(*state, 16 * 8 * 5 + 4);
    assert_true(visit(&v, &wanted));
}

static void what_does_not_fit_is_refused(void **state)
{
    struct visits v = {.fixture = *state};
    assert_false(visit(&v, &(struct wanted){"banks", "auto", 4, STRIDES_SHARED_STRIDE_MAX + 1}));
    assert_int_equal(v.err.code, ERROR_UNSUPPORTED);
}

#define EACH(test) cmocka_unit_test_setup_teardown(test, open_session, close_session)

int main(int argc, char **argv)
{
    int status = workbench_status(argc, argv);
    if (status)
        return status;
    const struct CMUnitTest tests[] = {
        EACH(every_load_by_storage_buffer_is_verified),
        EACH(every_load_by_address_is_verified),
        EACH(every_load_of_shared_memory_is_verified),
        EACH(one_wrong_word_is_a_mismatch),
        EACH(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
