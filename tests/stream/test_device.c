// SPDX-License-Identifier: MIT
// Every kernel of `stream` measured and verified on the device that is there, and the proof itself
// put to the test: memory that is not what it should be gives MISMATCH, no number.
#include "bench/stream/session.h"
#include "workbench.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

extern const struct benchmark bench_stream;

#define MIB ((uint64_t)1 << 20)

struct fixture {
    struct workbench bench;
    struct stream_session *own;
};

static int open_session(void **state)
{
    struct fixture *f = *state = test_calloc(1, sizeof *f);
    if (!workbench_open(&f->bench, &bench_stream))
        return -1;
    f->own = f->bench.session.state;
    // A small cache, so that small arrays are DRAM; and two cores, for workgroups that stay.
    f->own->limits.last_cache_bytes = MIB / 4;
    if (!f->own->limits.cores || f->bench.session.info->kind == GPU_KIND_CPU)
        f->own->limits.cores = 2;
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
    const char *op, *type, *shape;
    uint64_t bytes;
    unsigned threads; // a core; 0: a tuned kernel
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
    struct case_value values[] = {
        {.key = "op", .type = PARAM_TEXT, .text = wanted->op},
        {.key = "type", .type = PARAM_TEXT, .text = wanted->type},
        {.key = "bytes", .type = PARAM_BYTES, .uint = wanted->bytes},
        {.key = "shape", .type = PARAM_TEXT, .text = wanted->shape},
        {.key = "threads", .type = PARAM_UINT, .uint = wanted->threads},
    };
    const struct bench_case this_case = {values, wanted->threads ? 5 : 4};
    const struct measure_request request = {.samples = 2,
                                            .sample_ns = 200000,
                                            .timeout_ns = UINT64_C(20000000000),
                                            .round = v->round++};
    struct bench_visit run = {.session = &v->fixture->bench.session,
                              .bench_case = &this_case,
                              .scope = gpu_scope_open(v->fixture->bench.session.device),
                              .arena = arena,
                              .request = &request,
                              .memory = &v->memory};
    struct measure_visit *seen = measure_visit_create(arena);
    bool done = bench_stream.visit(&run, seen, &v->err);
    if (done) {
        assert_int_equal(seen->metrics[0].count, 2);
        assert_true(isfinite(seen->metrics[0].values[0]) && seen->metrics[0].values[0] > 0);
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
                fail_msg("%s %s %u: %s", wanted->op, wanted->type, wanted->threads, v.err.message);
            return;
        }
    assert_true(!missing);
}

static void every_operation_in_floats_is_verified(void **state)
{
    for (int op = 0; op < STREAM_OPS; op++)
        expect_done(*state, &(struct wanted){stream_ops[op].name, "float", "best", MIB, 0}, 0);
}

static void every_operation_in_doubles_is_verified(void **state)
{
    for (int op = 0; op < STREAM_OPS; op++)
        expect_done(*state, &(struct wanted){stream_ops[op].name, "double", "best", MIB, 0},
                    GPU_CAP(FLOAT64));
}

static void every_workgroup_that_stays_is_verified(void **state)
{
    struct fixture *f = *state;
    bool small = f->bench.session.info->limits.subgroup_threads <= 32;
    for (int op = 0; op < STREAM_OPS; op++)
        for (unsigned threads = small ? 32 : 128; threads <= 1024; threads *= 2)
            if (stream_ops[op].resident)
                expect_done(f,
                            &(struct wanted){stream_ops[op].name, "float", "default",
                                             MIB + STREAM_GRAIN_BYTES, threads},
                            0);
}

static void arrays_change_their_type_and_grow(void **state)
{
    static const struct wanted turns[] = {{"triad", "float", "default", MIB, 0},
                                          {"triad", "float", "default", 2 * MIB, 0},
                                          {"read", "float", "default", MIB, 0},
                                          {"5pt", "float", "default", 2 * MIB, 0}};
    for (size_t i = 0; i < sizeof turns / sizeof *turns; i++) {
        struct wanted wanted = turns[i];
        expect_done(*state, &wanted, 0);
        wanted.type = "double";
        expect_done(*state, &wanted, GPU_CAP(FLOAT64));
    }
}

// ---------------------------------------------------------------- the proof

static void flip_word(struct fixture *f, enum stream_array array, uint64_t offset)
{
    uint32_t word;
    struct gpu_buffer *buffer = f->own->store.arrays[array].buffer;
    assert_non_null(buffer);
    assert_true(gpu_buffer_read(buffer, offset, &word, sizeof word, NULL));
    word ^= 0x100;
    assert_true(gpu_buffer_write(buffer, offset, &word, sizeof word, NULL));
}

static void one_wrong_word_is_a_mismatch(void **state)
{
    static const char *const ops[] = {"read", "copy", "triad", "dot", "3pt", "5pt"};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        const struct wanted wanted = {ops[i], "float", "default", MIB, 0};
        struct visits v = {.fixture = *state};
        assert_true(visit(&v, &wanted));
        flip_word(*state, STREAM_SOURCE, MIB / 2 + 4);
        assert_false(visit(&v, &wanted));
        assert_int_equal(v.err.code, ERROR_MISMATCH);
        flip_word(*state, STREAM_SOURCE, MIB / 2 + 4);
        assert_true(visit(&v, &wanted));
    }
}

static void one_number_not_written_is_found(void **state)
{
    struct fixture *f = *state;
    struct error err;
    const struct wanted wanted = {"scale", "float", "default", MIB, 0};
    struct visits v = {.fixture = f};
    assert_true(visit(&v, &wanted));
    const struct stream_case this_case = {
        .op = stream_op_find("scale"), .bytes = MIB, .shape = "default"};
    assert_true(stream_store_check(&f->own->store, &this_case, 0, &err));
    flip_word(f, STREAM_TARGET, MIB - 4);
    assert_false(stream_store_check(&f->own->store, &this_case, 0, &err));
    assert_int_equal(err.code, ERROR_MISMATCH);
    assert_non_null(strstr(err.message, "1 of 65536"));
    assert_true(stream_store_spoil(&f->own->store, &this_case, &err));
    assert_false(stream_store_check(&f->own->store, &this_case, 0, &err));
}

static void host_and_device_have_the_same_data(void **state)
{
    struct fixture *f = *state;
    struct error err;
    struct visits v = {.fixture = f};
    float floats[1000];
    double doubles[1000];
    assert_true(visit(&v, &(struct wanted){"read", "float", "default", MIB, 0}));
    struct gpu_buffer *source = f->own->store.arrays[STREAM_SOURCE].buffer;
    assert_true(gpu_buffer_read(source, 0, floats, sizeof floats, &err));
    for (uint32_t i = 0; i < 1000; i++)
        assert_true((double)floats[i] == stream_value(false, i, STREAM_SEED_SOURCE));
    if (!(f->bench.session.info->caps & GPU_CAP(FLOAT64)))
        return;
    struct visits w = {.fixture = f};
    assert_true(visit(&w, &(struct wanted){"read", "double", "default", MIB, 0}));
    assert_true(gpu_buffer_read(source, 0, doubles, sizeof doubles, &err));
    for (uint32_t i = 0; i < 1000; i++)
        assert_true(doubles[i] == stream_value(true, i, STREAM_SEED_SOURCE));
}

static void what_does_not_fit_is_refused(void **state)
{
    struct visits v = {.fixture = *state};
    assert_false(visit(&v, &(struct wanted){"read", "float", "default", UINT64_C(1) << 50, 0}));
    assert_true(v.err.code == ERROR_UNSUPPORTED || v.err.code == ERROR_OUT_OF_MEMORY);
    assert_false(visit(&v, &(struct wanted){"read", "float", "default", MIB / 2, 0}));
    assert_int_equal(v.err.code, ERROR_UNSUPPORTED);
    assert_false(visit(&v, &(struct wanted){"read", "float", "default", MIB, 1 << 20}));
    assert_int_equal(v.err.code, ERROR_UNSUPPORTED);
}

#define EACH(test) cmocka_unit_test_setup_teardown(test, open_session, close_session)

int main(int argc, char **argv)
{
    int status = workbench_status(argc, argv);
    if (status)
        return status;
    const struct CMUnitTest tests[] = {
        EACH(every_operation_in_floats_is_verified),  EACH(every_operation_in_doubles_is_verified),
        EACH(every_workgroup_that_stays_is_verified), EACH(arrays_change_their_type_and_grow),
        EACH(one_wrong_word_is_a_mismatch),           EACH(one_number_not_written_is_found),
        EACH(host_and_device_have_the_same_data),     EACH(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
