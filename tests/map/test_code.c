// SPDX-License-Identifier: MIT
// Straight-line code on the device that is there: if its result is not the host's, there is no
// number.
#include "bench/map.h"
#include "bench/map/probes.h"
#include "workbench.h"

#include <inttypes.h>

extern const struct benchmark bench_map;

static bool visit(struct workbench *bench, uint64_t instructions)
{
    return workbench_visit(bench, "what=" MAP_CODE "/instructions=%" PRIu64, instructions);
}

// On a busy host, a software GPU may take no longer for code that it runs than for code that it
// skips. Then the case is unsupported. No other error may occur.
static void expect_done(struct workbench *bench, uint64_t instructions)
{
    if (visit(bench, instructions))
        assert_true(bench->seen->metrics[MAP_METRIC_FETCH].count > 0);
    else if (bench->err.code != ERROR_UNSUPPORTED)
        fail_msg("%s", bench->err.message);
}

static void code_comes_to_what_the_host_follows(void **state)
{
    static const uint64_t lengths[] = {64, 128, 512, 1024};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (unsigned round = 0; round < 2; round++)
            expect_done(*state, lengths[i]);
}

// The results of one length are compared with those of another.
static void results_that_are_not_the_hosts_are_a_mismatch(void **state)
{
    struct workbench *bench = *state;
    expect_done(bench, 128);
    const struct bench_case longer = workbench_case(bench, "what=" MAP_CODE "/instructions=192");
    bench->kept->key = case_key(bench->session.arena, bench_map.info.name, &longer);
    assert_false(workbench_visit_case(bench, &longer));
    assert_int_equal(bench->err.code, ERROR_MISMATCH);
}

static void a_length_that_no_lap_has_is_refused(void **state)
{
    workbench_refuse(*state, ERROR_USAGE, "what=" MAP_CODE "/instructions=100");
    workbench_refuse(*state, ERROR_USAGE, "what=" MAP_CODE "/instructions=0");
    workbench_refuse(*state, ERROR_USAGE, "what=" MAP_CODE "/instructions=1048576");
}

#define EACH(test) WORKBENCH_TEST(bench_map, test)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        EACH(code_comes_to_what_the_host_follows),
        EACH(results_that_are_not_the_hosts_are_a_mismatch),
        EACH(a_length_that_no_lap_has_is_refused),
    };
    int status = workbench_status(argc, argv);
    return status ? status : cmocka_run_group_tests(tests, NULL, NULL);
}
