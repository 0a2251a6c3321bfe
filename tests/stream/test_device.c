// SPDX-License-Identifier: MIT
// Measures and verifies every kernel of `stream` on the device that is there. Tests the
// verification, too: wrong memory gives MISMATCH and no number.
#include "bench/stream/session.h"
#include "workbench.h"

#include <inttypes.h>
#include <string.h>

extern const struct benchmark bench_stream;

#define MIB ((uint64_t)1 << 20)

// Sets a small cache, so that small arrays are DRAM, and two cores for workgroups that stay.
static int open_session(void **state)
{
    if (workbench_setup(state) != 0)
        return -1;
    struct workbench *bench = *state;
    bench->session.limits.last_cache_bytes = MIB / 4;
    if (!bench->session.limits.cores || bench->session.info->kind == GPU_KIND_CPU)
        bench->session.limits.cores = 2;
    return 0;
}

// Each visit is verified. It is refused if the device lacks the type, or cannot reserve shared
// memory for threads that take one element each. `shape` ends the key.
static void expect_done(struct workbench *bench, const char *op, const char *type, uint64_t bytes,
                        const char *shape)
{
    gpu_caps needed = (strcmp(type, "double") == 0 ? GPU_CAP(FLOAT64) : 0) |
                      (strstr(shape, "kernel=single") ? GPU_CAP(SHARED_CHOICE) : 0);
    if (!workbench_expect(bench, needed, "op=%s/type=%s/bytes=%" PRIu64 "/shape=%s", op, type,
                          bytes, shape))
        return;
    assert_int_equal(workbench_samples(bench, 0)->count, 2);
    assert_true(bench->seen->detail_count > 0 && bench->seen->kernel.hash);
}

static void every_operation_in_floats_is_verified(void **state)
{
    for (int op = 0; op < STREAM_OPS; op++)
        expect_done(*state, stream_ops[op].name, "float", MIB, "best");
}

static void every_operation_in_doubles_is_verified(void **state)
{
    for (int op = 0; op < STREAM_OPS; op++)
        expect_done(*state, stream_ops[op].name, "double", MIB, "best");
}

static void every_workgroup_that_stays_is_verified(void **state)
{
    struct workbench *bench = *state;
    bool small = bench->session.info->limits.subgroup_threads <= 32;
    for (int op = 0; op < STREAM_OPS; op++)
        for (unsigned threads = small ? 32 : 128; threads <= 1024; threads *= 2) {
            const char *shape =
                arena_printf(bench->session.arena, "default/threads=%u/kernel=occupancy", threads);
            if (stream_ops[op].resident)
                expect_done(bench, stream_ops[op].name, "float", MIB + STREAM_GRAIN_BYTES, shape);
        }
}

// Workgroups of 192 threads do not divide the array, so only a part of the last one has work.
static void every_element_of_a_thread_is_verified(void **state)
{
    static const char shape[] = "default/threads=384/kernel=single";
    for (int op = 0; op < STREAM_OPS; op++)
        if (stream_ops[op].single) {
            expect_done(*state, stream_ops[op].name, "float", MIB, shape);
            expect_done(*state, stream_ops[op].name, "double", MIB, shape);
        }
}

static void arrays_change_their_type_and_grow(void **state)
{
    static const struct {
        const char *op;
        uint64_t bytes;
    } turns[] = {{"triad", MIB}, {"triad", 2 * MIB}, {"read", MIB}, {"5pt", 2 * MIB}};
    for (size_t i = 0; i < sizeof turns / sizeof *turns; i++) {
        expect_done(*state, turns[i].op, "float", turns[i].bytes, "default");
        expect_done(*state, turns[i].op, "double", turns[i].bytes, "default");
    }
}

// ---------------------------------------------------------------- the proof

static struct gpu_buffer *array_of(const struct workbench *bench, enum stream_array array)
{
    const struct stream_session *own = bench->session.state;
    return own->arrays[array].buffer;
}

static void one_wrong_word_is_a_mismatch(void **state)
{
    static const char *const ops[] = {"read", "copy", "triad", "dot", "3pt", "5pt"};
    static const char wanted[] = "op=%s/type=float/bytes=1MiB/shape=default";
    struct workbench *bench = *state;
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        assert_true(workbench_visit(bench, wanted, ops[i]));
        workbench_flip(array_of(bench, STREAM_SOURCE), MIB / 2 + 4, 0x100);
        workbench_refuse(bench, ERROR_MISMATCH, wanted, ops[i]);
        workbench_flip(array_of(bench, STREAM_SOURCE), MIB / 2 + 4, 0x100);
        assert_true(workbench_visit(bench, wanted, ops[i]));
    }
}

// Threads that read one element each count marks. If a mark is lost, the count is too low.
static void one_mark_less_is_a_mismatch(void **state)
{
    static const char wanted[] =
        "op=read/type=float/bytes=1MiB/shape=default/threads=512/kernel=single";
    struct workbench *bench = *state;
    uint32_t mark = 0, word = 0;
    if (!(bench->session.info->caps & GPU_CAP(SHARED_CHOICE)))
        skip();
    for (uint32_t i = 0; (word & STREAM_MARK_MASK) != STREAM_MARK; i++) {
        float number = (float)stream_value(false, mark = i, STREAM_SEED_SOURCE);
        memcpy(&word, &number, sizeof word);
    }
    assert_true(mark < MIB / 4 && workbench_visit(bench, wanted));
    workbench_flip(array_of(bench, STREAM_SOURCE), 4 * mark, 0x100);
    workbench_refuse(bench, ERROR_MISMATCH, wanted);
    workbench_flip(array_of(bench, STREAM_SOURCE), 4 * mark, 0x100);
    assert_true(workbench_visit(bench, wanted));
}

static void one_number_not_written_is_found(void **state)
{
    struct workbench *bench = *state;
    struct stream_session *own = bench->session.state;
    struct error err;
    assert_true(workbench_visit(bench, "op=scale/type=float/bytes=1MiB/shape=default"));
    const struct stream_case this_case = {.op = &stream_ops[STREAM_SCALE], .bytes = MIB};
    assert_true(stream_arrays_check(own, &this_case, 0, &err));
    workbench_flip(array_of(bench, STREAM_TARGET), MIB - 4, 0x100);
    assert_false(stream_arrays_check(own, &this_case, 0, &err));
    assert_int_equal(err.code, ERROR_MISMATCH);
    assert_non_null(strstr(err.message, "1 of 65536"));
    assert_true(stream_arrays_spoil(own, &this_case, &err));
    assert_false(stream_arrays_check(own, &this_case, 0, &err));
}

static void host_and_device_have_the_same_data(void **state)
{
    struct workbench *bench = *state;
    struct error err;
    float floats[1000];
    double doubles[1000];
    assert_true(workbench_visit(bench, "op=read/type=float/bytes=1MiB/shape=default"));
    assert_true(gpu_buffer_read(array_of(bench, STREAM_SOURCE), 0, floats, sizeof floats, &err));
    for (uint32_t i = 0; i < 1000; i++)
        assert_true((double)floats[i] == stream_value(false, i, STREAM_SEED_SOURCE));
    if (!(bench->session.info->caps & GPU_CAP(FLOAT64)))
        return;
    assert_true(workbench_visit(bench, "op=read/type=double/bytes=1MiB/shape=default"));
    assert_true(gpu_buffer_read(array_of(bench, STREAM_SOURCE), 0, doubles, sizeof doubles, &err));
    for (uint32_t i = 0; i < 1000; i++)
        assert_true(doubles[i] == stream_value(true, i, STREAM_SEED_SOURCE));
}

// Given a device that states no limit, when an array has more vectors than 32 bits can number, then
// the case is refused, because no check would reach the array's end.
static void an_array_beyond_numbers_of_32_bits_is_refused(void **state)
{
    struct workbench *bench = *state;
    const struct gpu_info *real = bench->session.info;
    struct gpu_info info = *real;
    info.limits.allocation_bytes = info.limits.storage_range_bytes = 0;
    bench->session.info = &info;
    workbench_refuse(bench, ERROR_UNSUPPORTED, "op=init/type=float/bytes=64GiB/shape=default");
    assert_non_null(strstr(bench->err.message, "at most"));
    bench->session.info = real;
}

// Given a device whose kernels cannot tell where they run, when its API does not tell either how
// many threads a core holds, then workgroups that stay are suspect: they may have run one after
// another.
static void workgroups_that_may_not_stay_are_suspect(void **state)
{
    struct workbench *bench = *state;
    const struct gpu_info *real = bench->session.info;
    struct gpu_info info = *real;
    info.caps &= ~GPU_CAP(CORE_ID);
    for (int known = 0; known < 2; known++) {
        info.limits.core_threads = known ? 2048 : 0;
        bench->session.info = &info;
        bool done = workbench_visit(bench, "kernel=occupancy/op=read/type=float/bytes=1MiB/"
                                           "threads=2048/shape=default");
        bench->session.info = real;
        if (!done)
            fail_msg("%s", bench->err.message);
        bool flagged = false;
        for (size_t i = 0; i < bench->seen->reason_count; i++)
            flagged = flagged || strcmp(bench->seen->reasons[i].code, "not-resident") == 0;
        assert_int_equal(flagged, !known);
    }
}

static void what_does_not_fit_is_refused(void **state)
{
    struct workbench *bench = *state;
    assert_false(workbench_visit(bench, "op=read/type=float/bytes=1048576GiB/shape=default"));
    assert_true(bench->err.code == ERROR_UNSUPPORTED || bench->err.code == ERROR_OUT_OF_MEMORY);
    workbench_refuse(bench, ERROR_UNSUPPORTED, "op=read/type=float/bytes=512KiB/shape=default");
    workbench_refuse(
        bench, ERROR_UNSUPPORTED,
        "op=read/type=float/bytes=1MiB/shape=default/threads=1048576/kernel=occupancy");
    workbench_refuse(bench, ERROR_UNSUPPORTED,
                     "op=read/type=float/bytes=1MiB/shape=default/threads=4160/kernel=single");
}

#define EACH(test) WORKBENCH_TEST_SETUP(bench_stream, test, open_session)

int main(int argc, char **argv)
{
    int status = workbench_status(argc, argv);
    if (status)
        return status;
    const struct CMUnitTest tests[] = {
        EACH(every_operation_in_floats_is_verified),
        EACH(every_operation_in_doubles_is_verified),
        EACH(every_workgroup_that_stays_is_verified),
        EACH(workgroups_that_may_not_stay_are_suspect),
        EACH(every_element_of_a_thread_is_verified),
        EACH(one_mark_less_is_a_mismatch),
        EACH(arrays_change_their_type_and_grow),
        EACH(one_wrong_word_is_a_mismatch),
        EACH(one_number_not_written_is_found),
        EACH(host_and_device_have_the_same_data),
        EACH(an_array_beyond_numbers_of_32_bits_is_refused),
        EACH(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
