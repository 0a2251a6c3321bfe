// SPDX-License-Identifier: MIT
// Every kernel variant of `bandwidth` measured and verified on the device that is there, and the
// proof itself put to the test: memory that is not what it should be gives MISMATCH, no number.
#include "bench/bandwidth/session.h"
#include "workbench.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

extern const struct benchmark bench_bandwidth;

#define KIB ((uint64_t)1 << 10)
#define MIB ((uint64_t)1 << 20)

struct fixture {
    struct workbench bench;
    struct bandwidth_session *own;
};

static int open_session(void **state)
{
    struct fixture *f = *state = test_calloc(1, sizeof *f);
    if (!workbench_open(&f->bench, &bench_bandwidth))
        return -1;
    f->own = f->bench.session.state;
    // With a last-level cache of 1 MiB, all kinds of working sets are small.
    f->own->limits.last_cache_bytes = MIB;
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

static struct case_value text(const char *key, const char *value)
{
    return (struct case_value){.key = key, .type = PARAM_TEXT, .text = value};
}

static struct case_value number(const char *key, uint64_t value)
{
    return (struct case_value){.key = key, .type = PARAM_UINT, .uint = value};
}

// The case that decodes to `point`.
static struct bench_case encode(struct arena *arena, const struct bandwidth_case *this_case)
{
    static const char *const ops[] = {"read", "write", "copy"};
    static const char *const scopes[] = {"device", "workgroup", "scaling"};
    struct case_value values[] = {
        text("op", ops[this_case->op]),
        text("path", this_case->shared ? "shared" : "global"),
        text("scope", scopes[this_case->scope]),
        text("access", this_case->apart ? "apart" : "same"),
        number("bytes", this_case->bytes),
        number("width", this_case->width),
        text("type", this_case->doubles ? "double" : "float"),
        text("shape", this_case->shape),
        number("workgroups", this_case->workgroups),
    };
    size_t count = sizeof values / sizeof values[0] - (this_case->scope != BANDWIDTH_SCALING);
    struct bench_case made = {ARENA_ARRAY(arena, count, struct case_value), count};
    memcpy(made.values, values, count * sizeof *values);
    return made;
}

// One case over several visits.
struct series_of_visits {
    struct fixture *fixture;
    struct bandwidth_case this_case;
    void *memory;
    unsigned round;
    struct error err;
};

static bool visit(struct series_of_visits *v, double *bytes_per_s)
{
    struct fixture *f = v->fixture;
    struct arena *arena = arena_create();
    struct bench_case this_case = encode(arena, &v->this_case);
    const struct measure_request request = {.samples = 2,
                                            .sample_ns = 200000,
                                            .timeout_ns = UINT64_C(20000000000),
                                            .round = v->round++};
    struct bench_visit run = {.session = &f->bench.session,
                              .bench_case = &this_case,
                              .scope = gpu_scope_open(f->bench.session.device),
                              .arena = arena,
                              .request = &request,
                              .memory = &v->memory};
    struct measure_visit *seen = measure_visit_create(arena);
    bool done = bench_bandwidth.visit(&run, seen, &v->err);
    if (done) {
        assert_true(seen->metrics[0].count >= request.samples);
        *bytes_per_s = seen->metrics[0].values[0];
        assert_true(isfinite(*bytes_per_s) && *bytes_per_s > 0);
        assert_true(seen->detail_count >= 2 && seen->kernel.hash);
    }
    gpu_scope_close(run.scope);
    arena_destroy(arena);
    return done;
}

// ---------------------------------------------------------------- every variant

static void measure_every_shape(struct fixture *f, struct bandwidth_case this_case)
{
    struct bandwidth_shape shapes[BANDWIDTH_SHAPES_MAX];
    size_t count = bandwidth_shapes(&this_case, f->bench.session.info, &f->own->limits, shapes);
    struct arena *arena = arena_create();
    size_t built = 0;
    for (size_t i = 0; i < count; i++) {
        if (!kernel_find(bandwidth_kernel_name(arena, &this_case, &shapes[i])))
            continue;
        this_case.shape = bandwidth_shape_name(arena, &shapes[i]);
        struct series_of_visits v = {.fixture = f, .this_case = this_case};
        double bytes_per_s = 0;
        for (int round = 0; round < 2; round++)
            if (!visit(&v, &bytes_per_s))
                fail_msg("%s: %s", this_case.shape, v.err.message);
        built++;
    }
    assert_true(built > 0);
    arena_destroy(arena);
}

static void every_read_of_a_cache_is_verified(void **state)
{
    for (unsigned width = 4; width <= 16; width *= 2)
        for (int doubles = 0; doubles <= (width > 4); doubles++) {
            struct bandwidth_case this_case = {
                .bytes = 12 * KIB, .width = width, .doubles = doubles};
            measure_every_shape(*state, this_case);
        }
    struct bandwidth_case one = {.bytes = 20 * KIB, .width = 16, .scope = BANDWIDTH_WORKGROUP};
    measure_every_shape(*state, one);
}

static void every_read_of_parts_is_verified(void **state)
{
    struct bandwidth_case this_case = {
        .bytes = 2 * MIB, .width = 16, .apart = true, .scope = BANDWIDTH_SCALING};
    for (this_case.workgroups = 1; this_case.workgroups <= 3; this_case.workgroups += 2)
        measure_every_shape(*state, this_case);
}

static void every_read_in_passes_is_verified(void **state)
{
    static const uint64_t sizes[] = {512 * KIB, 2 * MIB, 4 * MIB}; // cached, beyond, DRAM
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (unsigned width = 4; width <= 16; width *= 2)
            for (int doubles = 0; doubles <= (width > 4); doubles++)
                measure_every_shape(*state, (struct bandwidth_case){.bytes = sizes[i],
                                                                    .width = width,
                                                                    .doubles = doubles,
                                                                    .apart = true});
}

static void every_write_and_copy_is_verified(void **state)
{
    for (int op = BANDWIDTH_WRITE; op <= BANDWIDTH_COPY; op++)
        measure_every_shape(
            *state, (struct bandwidth_case){
                        .op = (enum bandwidth_op)op, .bytes = 2 * MIB, .width = 16, .apart = true});
}

static void every_read_of_shared_memory_is_verified(void **state)
{
    for (unsigned width = 4; width <= 16; width *= 2)
        measure_every_shape(*state, (struct bandwidth_case){.shared = true,
                                                            .bytes = BANDWIDTH_SHARED_BYTES,
                                                            .width = width});
}

static void best_tries_several_shapes_and_keeps_one(void **state)
{
    struct series_of_visits v = {
        .fixture = *state,
        .this_case = {.bytes = 4 * MIB, .width = 16, .apart = true, .shape = "best"}};
    double bytes_per_s = 0;
    for (int round = 0; round < 3; round++)
        if (!visit(&v, &bytes_per_s))
            fail_msg("%s", v.err.message);
}

// ---------------------------------------------------------------- the proof

static void flip_word(struct fixture *f, enum bandwidth_buffer which, uint64_t offset)
{
    uint32_t word;
    struct gpu_buffer *buffer = f->own->store.buffers[which].buffer;
    assert_non_null(buffer);
    assert_true(gpu_buffer_read(buffer, offset, &word, sizeof word, NULL));
    word ^= 0x100;
    assert_true(gpu_buffer_write(buffer, offset, &word, sizeof word, NULL));
}

static void expect_mismatch(struct series_of_visits *v)
{
    double bytes_per_s = 0;
    assert_false(visit(v, &bytes_per_s));
    if (v->err.code != ERROR_MISMATCH)
        fail_msg("expected a mismatch: %s", v->err.message);
}

static void a_word_that_changed_since_the_first_visit_is_a_mismatch(void **state)
{
    static const struct bandwidth_case points[] = {
        {.bytes = 16 * KIB, .width = 16, .shape = "default"},
        {.bytes = 512 * KIB, .width = 4, .apart = true, .shape = "default"},
        {.bytes = MIB,
         .width = 16,
         .apart = true,
         .scope = BANDWIDTH_SCALING,
         .workgroups = 3,
         .shape = "default"},
        {.op = BANDWIDTH_COPY, .bytes = 2 * MIB, .width = 16, .apart = true, .shape = "default"},
    };
    for (size_t i = 0; i < sizeof points / sizeof points[0]; i++) {
        struct series_of_visits v = {.fixture = *state, .this_case = points[i]};
        double bytes_per_s = 0;
        assert_true(visit(&v, &bytes_per_s));
        flip_word(*state, BANDWIDTH_SOURCE, 8 * KIB + 4);
        expect_mismatch(&v);
        flip_word(*state, BANDWIDTH_SOURCE, 8 * KIB + 4);
        assert_true(visit(&v, &bytes_per_s));
    }
}

static void a_wrong_word_before_the_first_visit_is_a_mismatch(void **state)
{
    struct series_of_visits v = {.fixture = *state,
                                 .this_case = {.bytes = 16 * KIB, .width = 16, .shape = "default"}};
    assert_non_null(bandwidth_store_get(&v.fixture->own->store, BANDWIDTH_SOURCE, 16 * KIB, NULL));
    flip_word(*state, BANDWIDTH_SOURCE, 4);
    expect_mismatch(&v);
}

static void one_element_not_written_is_found(void **state)
{
    struct fixture *f = *state;
    struct bandwidth_store *store = &f->own->store;
    struct error err;
    struct gpu_buffer *target = bandwidth_store_get(store, BANDWIDTH_TARGET, 3 * MIB, &err);
    assert_non_null(target);
    uint32_t sum = 0;
    assert_true(bandwidth_store_fill(store, target, 3 * MIB, 77, &err));
    assert_true(bandwidth_store_check(store, target, 3 * MIB, 77, &sum, &err));
    assert_int_equal(sum, bandwidth_data_sum(3 * MIB, 77));
    assert_false(bandwidth_store_check(store, target, 3 * MIB, 78, NULL, &err));
    assert_int_equal(err.code, ERROR_MISMATCH);
    flip_word(f, BANDWIDTH_TARGET, 3 * MIB - 4);
    assert_false(bandwidth_store_check(store, target, 3 * MIB, 77, NULL, &err));
    assert_int_equal(err.code, ERROR_MISMATCH);
    assert_non_null(strstr(err.message, "1 of 196608"));
}

static void data_are_finite_numbers_and_never_zero(void **state)
{
    (void)state;
    for (uint32_t element = 0; element < 100000; element++) {
        union {
            uint32_t words[4];
            float floats[4];
            double doubles[2];
        } data;
        bandwidth_data(element, BANDWIDTH_SEED_SOURCE, data.words);
        for (int k = 0; k < 4; k++)
            assert_true(isnormal(data.floats[k]) && fabsf(data.floats[k]) < 2);
        for (int k = 0; k < 2; k++)
            assert_true(isnormal(data.doubles[k]) && fabs(data.doubles[k]) < 2);
    }
}

static void what_a_device_cannot_do_is_said(void **state)
{
    struct series_of_visits v = {
        .fixture = *state,
        .this_case = {.bytes = UINT64_C(1) << 50, .width = 16, .apart = true, .shape = "default"}};
    double bytes_per_s = 0;
    assert_false(visit(&v, &bytes_per_s));
    assert_int_equal(v.err.code, ERROR_UNSUPPORTED);
    v.this_case = (struct bandwidth_case){.bytes = 5000, .width = 16, .shape = "default"};
    assert_false(visit(&v, &bytes_per_s));
    assert_int_equal(v.err.code, ERROR_UNSUPPORTED);
    v.this_case = (struct bandwidth_case){
        .bytes = 16 * KIB, .width = 16, .shape = "address-256x8-once"}; // not for a loop
    assert_false(visit(&v, &bytes_per_s));
    assert_int_equal(v.err.code, ERROR_UNSUPPORTED);
}

#define EACH(test) cmocka_unit_test_setup_teardown(test, open_session, close_session)

int main(int argc, char **argv)
{
    int status = workbench_status(argc, argv);
    if (status)
        return status;
    const struct CMUnitTest tests[] = {
        EACH(every_read_of_a_cache_is_verified),
        EACH(every_read_of_parts_is_verified),
        EACH(every_read_in_passes_is_verified),
        EACH(every_write_and_copy_is_verified),
        EACH(every_read_of_shared_memory_is_verified),
        EACH(best_tries_several_shapes_and_keeps_one),
        EACH(a_word_that_changed_since_the_first_visit_is_a_mismatch),
        EACH(a_wrong_word_before_the_first_visit_is_a_mismatch),
        EACH(one_element_not_written_is_found),
        EACH(what_a_device_cannot_do_is_said),
        cmocka_unit_test(data_are_finite_numbers_and_never_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
