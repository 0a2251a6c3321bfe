// SPDX-License-Identifier: MIT
// Measures and verifies every kernel of `strides` on the device that is there. Tests the
// verification, too: wrong memory gives MISMATCH and no number.
#include "bench/strides/session.h"
#include "workbench.h"

#include <math.h>

extern const struct benchmark bench_strides;

// Each visit is verified, or the device lacks a feature. `place` is stride=N or across=N.
static void expect_done(struct workbench *bench, gpu_caps needed, const char *pattern,
                        unsigned width, const char *place, unsigned n, const char *route)
{
    if (!workbench_expect(bench, needed, "pattern=%s/width=%u/%s=%u/route=%s", pattern, width,
                          place, n, route))
        return;
    const struct measure_samples *bandwidth = workbench_samples(bench, STRIDES_BANDWIDTH);
    const struct measure_samples *time = workbench_samples(bench, STRIDES_TIME);
    assert_true(bandwidth->count == 2 && time->count == 2);
    // In that time, 32 threads load 32 × width bytes.
    double bytes = bandwidth->values[0] / 1e9 * time->values[0];
    assert_true(fabs(bytes - 32.0 * width) < 0.001);
    assert_true(bench->seen->detail_count > 0 && bench->seen->kernel.hash);
}

static void measure_patterns(struct workbench *bench, const char *route, gpu_caps needed)
{
    static const unsigned strides[] = {0, 1, 2, 17, 128, STRIDES_STRIDE_MAX};
    static const unsigned blocks[] = {1, 3, 64, STRIDES_ACROSS_MAX};
    for (unsigned width = 4; width <= 16; width *= 2) {
        for (size_t i = 0; i < sizeof strides / sizeof *strides; i++)
            expect_done(bench, needed, "stride", width, "stride", strides[i], route);
        static const char *const offsets[] = {"original", "random"};
        for (size_t i = 0; i < 2; i++)
            expect_done(bench, needed,
                        arena_printf(bench->session.arena, "stride/offset=%s", offsets[i]), width,
                        "stride", 17, route);
        for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
            expect_done(bench, needed, "block", width, "across", blocks[i], route);
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
        expect_done(*state, 0, "banks", 4, "stride", strides[i], "auto");
}

// ---------------------------------------------------------------- cores

static double all_take_ns; // time in ns of each unit of work; 0: as measured

bool __real_measure_span_run(struct arena *arena, const struct measure_span_desc *desc,
                             struct measure_span *span, struct error *err);
bool __wrap_measure_span_run(struct arena *arena, const struct measure_span_desc *desc,
                             struct measure_span *span, struct error *err);
bool __wrap_measure_span_run(struct arena *arena, const struct measure_span_desc *desc,
                             struct measure_span *span, struct error *err)
{
    bool done = __real_measure_span_run(arena, desc, span, err);
    for (size_t i = 0; done && all_take_ns > 0 && i < span->count; i++)
        span->unit_ns[i] = all_take_ns;
    return done;
}

// Given a device on which two cores run a workgroup together (RDNA), when the workgroup takes as
// long as on one core, then each core has loaded half of its bytes, in twice the time for a load.
static void metrics_are_those_of_one_core(void **state)
{
    struct workbench *bench = *state;
    double rates[3], times[3];
    all_take_ns = 1e6;
    for (unsigned cores = 1; cores <= 2; cores++) {
        bench->session.limits.group_cores = cores;
        assert_true(workbench_visit(bench, "pattern=stride/width=4/stride=1/route=auto"));
        rates[cores] = workbench_samples(bench, STRIDES_BANDWIDTH)->values[0];
        times[cores] = workbench_samples(bench, STRIDES_TIME)->values[0];
    }
    all_take_ns = 0;
    assert_true(fabs(2 * rates[2] / rates[1] - 1) < 1e-9);
    assert_true(fabs(times[2] / times[1] / 2 - 1) < 1e-9);
}

// ---------------------------------------------------------------- the proof

static void one_wrong_word_is_a_mismatch(void **state)
{
    struct workbench *bench = *state;
    const struct strides_session *own = bench->session.state;
    static const char wanted[] = "pattern=stride/width=8/stride=16/route=auto";
    const uint64_t fifth = 16 * 8 * 5; // thread 5's first element
    assert_true(workbench_visit(bench, wanted));
    workbench_flip(own->source, fifth + 4, 0x100);
    workbench_refuse(bench, ERROR_MISMATCH, wanted);
    workbench_flip(own->source, fifth + 4, 0x100);
    assert_true(workbench_visit(bench, wanted));
}

static void what_does_not_fit_is_refused(void **state)
{
    workbench_refuse(*state, ERROR_UNSUPPORTED, "pattern=banks/width=4/stride=%d/route=auto",
                     STRIDES_SHARED_STRIDE_MAX + 1);
}

#define EACH(test) WORKBENCH_TEST(bench_strides, test)

int main(int argc, char **argv)
{
    int status = workbench_status(argc, argv);
    if (status)
        return status;
    const struct CMUnitTest tests[] = {
        EACH(every_load_by_storage_buffer_is_verified),
        EACH(every_load_by_address_is_verified),
        EACH(every_load_of_shared_memory_is_verified),
        EACH(metrics_are_those_of_one_core),
        EACH(one_wrong_word_is_a_mismatch),
        EACH(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
