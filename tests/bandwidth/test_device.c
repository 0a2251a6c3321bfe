// SPDX-License-Identifier: MIT
// Measures and verifies every kernel variant of `bandwidth` on the device that is there. Tests the
// verification, too: wrong memory gives MISMATCH and no number.
#include "bench/bandwidth/session.h"
#include "workbench.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

extern const struct benchmark bench_bandwidth;

#define KIB ((uint64_t)1 << 10)
#define MIB ((uint64_t)1 << 20)

// With a last-level cache of 1 MiB, all kinds of working sets are small.
static int open_session(void **state)
{
    if (workbench_setup(state) != 0)
        return -1;
    struct workbench *bench = *state;
    bench->session.limits.last_cache_bytes = MIB;
    bench->session.limits.cores = 2;
    return 0;
}

// Returns the key of the case without the name of the benchmark.
static const char *encode(struct arena *arena, const struct bandwidth_case *this_case)
{
    static const char *const ops[] = {"read", "write", "copy"};
    static const char *const scopes[] = {"device", "workgroup", "scaling"};
    const char *workgroups = this_case->scope == BANDWIDTH_SCALING
                                 ? arena_printf(arena, "/workgroups=%u", this_case->workgroups)
                                 : "";
    return arena_printf(
        arena, "op=%s/path=%s/scope=%s/access=%s/bytes=%" PRIu64 "/width=%u/type=%s/shape=%s%s",
        ops[this_case->op], this_case->shared ? "shared" : "global", scopes[this_case->scope],
        this_case->apart ? "apart" : "same", this_case->bytes, this_case->width,
        this_case->doubles ? "double" : "float", this_case->shape, workgroups);
}

static bool visit(struct workbench *bench, const struct bandwidth_case *this_case)
{
    if (!workbench_visit(bench, "%s", encode(bench->session.arena, this_case)))
        return false;
    assert_true(workbench_samples(bench, 0)->count >= bench->request.samples);
    assert_true(bench->seen->detail_count >= 2 && bench->seen->kernel.hash);
    return true;
}

static void expect_done(struct workbench *bench, const struct bandwidth_case *this_case, int rounds)
{
    for (int round = 0; round < rounds; round++)
        if (!visit(bench, this_case))
            fail_msg("%s: %s", this_case->shape, bench->err.message);
}

static const char *detail(const struct measure_visit *visit, const char *name)
{
    for (size_t i = 0; i < visit->detail_count; i++)
        if (strcmp(visit->details[i].name, name) == 0)
            return visit->details[i].text;
    return NULL;
}

static void refuse(struct workbench *bench, enum error_code code,
                   const struct bandwidth_case *this_case)
{
    workbench_refuse(bench, code, "%s", encode(bench->session.arena, this_case));
}

// ---------------------------------------------------------------- every variant

static void measure_every_shape(struct workbench *bench, struct bandwidth_case this_case)
{
    struct arena *arena = bench->session.arena;
    struct bandwidth_shape shapes[BANDWIDTH_SHAPES_MAX];
    size_t count =
        bandwidth_shapes(&this_case, bench->session.info, &bench->session.limits, shapes);
    size_t built = 0;
    for (size_t i = 0; i < count; i++) {
        if (!kernel_find(bandwidth_kernel_name(arena, &this_case, &shapes[i])))
            continue;
        this_case.shape = bandwidth_shape_name(arena, &shapes[i]);
        expect_done(bench, &this_case, 2);
        built++;
    }
    assert_true(built > 0);
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
    static const uint64_t sizes[] = {512 * KIB, 2 * MIB, 4 * MIB}; // in the cache, above it, DRAM
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
    const struct bandwidth_case this_case = {
        .bytes = 4 * MIB, .width = 16, .apart = true, .shape = "best"};
    expect_done(*state, &this_case, 3);
}

// Number of the short try that seems a thousand times as fast as it is; -1: none.
static int flattered = -1;

bool __real_measure_unit_time(const struct measure_span_desc *desc, unsigned runs, double *ns,
                              struct error *err);
bool __wrap_measure_unit_time(const struct measure_span_desc *desc, unsigned runs, double *ns,
                              struct error *err);
bool __wrap_measure_unit_time(const struct measure_span_desc *desc, unsigned runs, double *ns,
                              struct error *err)
{
    enum {
        TRY_RUNS = 3
    };
    if (!__real_measure_unit_time(desc, runs, ns, err))
        return false;
    if (runs == TRY_RUNS && flattered-- == 0)
        *ns /= 1000;
    return true;
}

// Given a short try that makes a shape look faster than it is, when the case is measured, then the
// speed of the visit replaces that of the try, and no other shape is left that seems faster.
static void a_shape_that_only_seems_fast_is_not_kept(void **state)
{
    struct workbench *bench = *state;
    for (int shape = 0; shape < 3; shape++) {
        const struct bandwidth_case this_case = {
            .bytes = (uint64_t)(4 + shape) * MIB, .width = 16, .apart = true, .shape = "best"};
        flattered = shape;
        expect_done(bench, &this_case, 1);
        assert_int_equal(flattered < 0, 1);
        const char *tried = detail(bench->seen, "tried");
        assert_non_null(tried);
        double slowest = INFINITY, fastest = 0;
        for (const char *at = strchr(tried, ' '); at; at = strchr(at + 1, ' ')) {
            double speed = strtod(at, NULL);
            if (speed > 0) {
                slowest = fmin(slowest, speed);
                fastest = fmax(fastest, speed);
            }
        }
        assert_true(fastest > 0 && fastest < 100 * slowest);
    }
}

// ---------------------------------------------------------------- the proof

static void flip_word(const struct workbench *bench, enum bandwidth_buffer which, uint64_t offset)
{
    const struct bandwidth_store *store = bench->session.state;
    workbench_flip(store->buffers[which].buffer, offset, 0x100);
}

static void a_word_that_changed_since_the_first_visit_is_a_mismatch(void **state)
{
    static const struct bandwidth_case cases[] = {
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
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_true(visit(*state, &cases[i]));
        flip_word(*state, BANDWIDTH_SOURCE, 8 * KIB + 4);
        refuse(*state, ERROR_MISMATCH, &cases[i]);
        flip_word(*state, BANDWIDTH_SOURCE, 8 * KIB + 4);
        assert_true(visit(*state, &cases[i]));
    }
}

static void a_wrong_word_before_the_first_visit_is_a_mismatch(void **state)
{
    struct workbench *bench = *state;
    struct bandwidth_store *store = bench->session.state;
    const struct bandwidth_case this_case = {.bytes = 16 * KIB, .width = 16, .shape = "default"};
    struct gpu_arg source;
    assert_true(bandwidth_store_get(store, BANDWIDTH_SOURCE, 16 * KIB, 0, &source, &bench->err));
    flip_word(bench, BANDWIDTH_SOURCE, 4);
    refuse(bench, ERROR_MISMATCH, &this_case);
}

// Given room to move in, when a case of each operation is measured in four rounds, then each round
// has other memory, and its contents are verified there.
static void each_round_has_another_place(void **state)
{
    struct workbench *bench = *state;
    struct bandwidth_store *store = bench->session.state;
    store->roam_bytes = 32 * MIB;
    for (int op = BANDWIDTH_READ; op <= BANDWIDTH_COPY; op++) {
        const struct bandwidth_case this_case = {.op = (enum bandwidth_op)op,
                                                 .bytes = 2 * MIB,
                                                 .width = 16,
                                                 .apart = true,
                                                 .shape = "default"};
        for (bench->request.round = 0; bench->request.round < 4; bench->request.round++) {
            expect_done(bench, &this_case, 1);
            assert_true(detail(bench->seen, "place"));
        }
    }
    struct gpu_arg places[2];
    for (int i = 0; i < 2; i++)
        assert_true(bandwidth_store_get(store, BANDWIDTH_SOURCE, MIB, bench_round_key((unsigned)i),
                                        &places[i], &bench->err));
    assert_int_equal(places[0].offset % (2 * MIB), 0);
    assert_int_not_equal(places[0].offset, places[1].offset);
}

// Given a device without memory to move in, when a case that moves is measured, then it stays.
static void without_room_a_working_set_stays(void **state)
{
    struct workbench *bench = *state;
    struct bandwidth_store *store = bench->session.state;
    const struct bandwidth_case this_case = {.bytes = 256 * KIB, .width = 16, .shape = "default"};
    store->roam_bytes = UINT64_C(1) << 50;
    expect_done(bench, &this_case, 2);
    assert_int_equal(store->buffers[BANDWIDTH_SOURCE].bytes, 256 * KIB);
    assert_null(detail(bench->seen, "place"));
}

// Given a case that has moved, when the room is lost, then the case is verified where it stays.
static void a_case_that_moved_may_stay_later(void **state)
{
    struct workbench *bench = *state;
    struct bandwidth_store *store = bench->session.state;
    const struct bandwidth_case this_case = {.bytes = 256 * KIB, .width = 16, .shape = "default"};
    store->roam_bytes = 32 * MIB;
    bench->request.round = 0;
    expect_done(bench, &this_case, 1);
    store->roam_bytes = 0;
    bench->request.round = 1;
    expect_done(bench, &this_case, 1);
}

// Given a working set that moves, when a word at the place of the next round changes, then that
// round is a mismatch.
static void a_wrong_word_at_another_place_is_a_mismatch(void **state)
{
    struct workbench *bench = *state;
    struct bandwidth_store *store = bench->session.state;
    const struct bandwidth_case this_case = {.bytes = 256 * KIB, .width = 16, .shape = "default"};
    store->roam_bytes = 32 * MIB;
    bench->request.round = 0;
    expect_done(bench, &this_case, 1);
    bench->request.round = 1;
    struct gpu_arg next;
    assert_true(bandwidth_store_get(store, BANDWIDTH_SOURCE, 256 * KIB, bench_round_key(1), &next,
                                    &bench->err));
    flip_word(bench, BANDWIDTH_SOURCE, next.offset + 4);
    refuse(bench, ERROR_MISMATCH, &this_case);
}

static void one_element_not_written_is_found(void **state)
{
    const struct workbench *bench = *state;
    struct bandwidth_store *store = bench->session.state;
    struct error err;
    struct gpu_arg target;
    assert_true(bandwidth_store_get(store, BANDWIDTH_TARGET, 3 * MIB, 0, &target, &err));
    uint32_t sum = 0;
    assert_true(bandwidth_store_fill(store, &target, 77, &err));
    assert_true(bandwidth_store_check(store, &target, 77, &sum, &err));
    assert_int_equal(sum, bandwidth_data_sum(3 * MIB, 77));
    assert_false(bandwidth_store_check(store, &target, 78, NULL, &err));
    assert_int_equal(err.code, ERROR_MISMATCH);
    flip_word(bench, BANDWIDTH_TARGET, 3 * MIB - 4);
    assert_false(bandwidth_store_check(store, &target, 77, NULL, &err));
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

static void what_a_device_cannot_do_is_refused(void **state)
{
    static const struct bandwidth_case cases[] = {
        {.bytes = UINT64_C(1) << 50, .width = 16, .apart = true, .shape = "default"},
        {.bytes = 5000, .width = 16, .shape = "default"},
        {.bytes = 16 * KIB, .width = 16, .shape = "address-256x8-once"}, // this shape does not loop
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        refuse(*state, ERROR_UNSUPPORTED, &cases[i]);
}

#define EACH(test) WORKBENCH_TEST_SETUP(bench_bandwidth, test, open_session)

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
        EACH(a_shape_that_only_seems_fast_is_not_kept),
        EACH(a_word_that_changed_since_the_first_visit_is_a_mismatch),
        EACH(a_wrong_word_before_the_first_visit_is_a_mismatch),
        EACH(each_round_has_another_place),
        EACH(without_room_a_working_set_stays),
        EACH(a_case_that_moved_may_stay_later),
        EACH(a_wrong_word_at_another_place_is_a_mismatch),
        EACH(one_element_not_written_is_found),
        EACH(what_a_device_cannot_do_is_refused),
        cmocka_unit_test(data_are_finite_numbers_and_never_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
