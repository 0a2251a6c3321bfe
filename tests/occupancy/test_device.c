// SPDX-License-Identifier: MIT
// Runs and verifies every kernel of the benchmark on the device that is there. The counts must be
// within what the device can hold. Tests the verification, too.
#include "bench/occupancy/session.h"
#include "workbench.h"

#include <inttypes.h>
#include <unistd.h>

extern const struct benchmark bench_occupancy;

enum {
    METRIC_WORKGROUPS,
    METRIC_SUBGROUPS,
    METRIC_THREADS,
    METRIC_CHIP
};

static bool visit(struct workbench *bench, const char *key, uint64_t value)
{
    return workbench_visit(bench, "%s=%" PRIu64 "/subgroup=%" PRIu64, key, value,
                           bench->session.info->limits.subgroup_threads);
}

static void expect_counts(struct workbench *bench, const char *key, uint64_t value)
{
    for (int round = 0; round < 2; round++) {
        if (!visit(bench, key, value))
            fail_msg("%s=%" PRIu64 ": %s", key, value, bench->err.message);
        const struct measure_samples *chip = workbench_samples(bench, METRIC_CHIP);
        assert_true(chip->count == 2 && chip->values[0] >= 1);
        const struct measure_samples *core = &bench->seen->metrics[METRIC_WORKGROUPS];
        for (size_t i = 0; i < core->count && core->limit > 0; i++)
            assert_true(core->values[i] <= core->limit);
        // A CPU runs at most one workgroup on each of its threads, whatever the workgroup needs.
        if (bench->session.info->kind == GPU_KIND_CPU)
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
    struct workbench *bench = *state;
    for (uint64_t bytes = 8192; bytes <= occupancy_shared_max(bench->session.info); bytes *= 2)
        if (bytes <= 65536)
            expect_counts(bench, "shared", bytes);
}

static void workgroups_of_every_size_are_counted(void **state)
{
    struct workbench *bench = *state;
    static const uint32_t threads[] = {32, 64, 256, 1024};
    for (int i = 0; i < 4; i++)
        if (threads[i] <= bench->session.info->limits.workgroup_threads)
            expect_counts(bench, "threads", threads[i]);
}

static void other_data_than_the_host_knows_are_a_mismatch(void **state)
{
    struct workbench *bench = *state;
    struct occupancy_session *own = bench->session.state;
    own->words[5] ^= 1;
    assert_false(visit(bench, "values", 8));
    assert_int_equal(bench->err.code, ERROR_MISMATCH);
}

static void more_shared_memory_than_there_is_is_refused(void **state)
{
    struct workbench *bench = *state;
    assert_false(visit(bench, "shared", 1 << 20));
    assert_int_equal(bench->err.code, ERROR_UNSUPPORTED);
}

// Given a device that runs few workgroups in a dispatch, or has small buffers, then a run has no
// more workgroups than fit.
static void a_run_has_as_many_workgroups_as_the_device_allows(void **state)
{
    struct workbench *bench = *state;
    const struct gpu_info *all = bench->session.info;
    struct gpu_info few = *all;
    bench->session.info = bench->session.device->info = &few;
    few.limits.workgroup_count_x = 100;
    assert_true(visit(bench, "values", 8));
    few.limits = all->limits;
    few.limits.storage_range_bytes = 90 * 64 * 4; // a word for each of 64 threads
    assert_true(visit(bench, "values", 24));
    bench->session.info = bench->session.device->info = all;
}

static void a_clock_that_stands_still_is_refused(void **state)
{
    struct workbench *bench = *state;
    struct bench_session still = bench_session_begin(bench->system, bench->session.device);
    still.known_clock = bench->session.clock;
    still.known_clock.has_device_clock = false;
    assert_false(bench_occupancy.open(&still, &bench->err));
    assert_int_equal(bench->err.code, ERROR_UNSUPPORTED);
    bench_session_end(&still);
}

#define EACH(test) WORKBENCH_TEST(bench_occupancy, test)

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
        EACH(a_run_has_as_many_workgroups_as_the_device_allows),
        EACH(a_clock_that_stands_still_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
