// SPDX-License-Identifier: MIT
// Straight-line code on the device that is there: what it comes to is what the host follows, and
// what is not the host's is no number.
#include "bench/map.h"
#include "bench/map/code_replay.h"
#include "workbench.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

extern const struct benchmark bench_map;

static const uint64_t timeout_ns = UINT64_C(20000000000);

static int open_session(void **state)
{
    struct workbench *bench = *state = test_calloc(1, sizeof *bench);
    return workbench_open(bench, &bench_map) ? 0 : -1;
}

static int close_session(void **state)
{
    workbench_close(*state);
    test_free(*state);
    return 0;
}

struct seen {
    bool done;
    double fetch_ns; // median of none: NaN
    struct error err;
};

static struct seen visit(struct workbench *bench, uint64_t instructions, void **memory,
                         unsigned round)
{
    struct arena *arena = arena_create();
    struct case_value values[] = {
        {.key = "what", .type = PARAM_TEXT, .text = MAP_CODE},
        {.key = "instructions", .type = PARAM_UINT, .uint = instructions},
    };
    const struct bench_case bench_case = {values, 2};
    const struct measure_request request = {
        .samples = 2, .sample_ns = 100000, .timeout_ns = timeout_ns, .round = round};
    struct bench_visit run = {.session = &bench->session,
                              .bench_case = &bench_case,
                              .scope = gpu_scope_open(bench->session.device),
                              .arena = arena,
                              .request = &request,
                              .memory = memory};
    struct measure_visit *samples = measure_visit_create(arena);
    struct seen seen = {.fetch_ns = NAN};
    seen.done = bench_map.visit(&run, samples, &seen.err);
    const struct measure_samples *fetch = &samples->metrics[MAP_METRIC_FETCH];
    if (seen.done && fetch->count > 0)
        seen.fetch_ns = fetch->values[fetch->count - 1];
    gpu_scope_close(run.scope);
    arena_destroy(arena);
    return seen;
}

// A software GPU may take as long for code that it branches over; never may results differ.
static void assert_proven(const struct seen *seen)
{
    if (seen->done)
        assert_true(seen->fetch_ns > 0);
    else if (seen->err.code != ERROR_UNSUPPORTED)
        fail_msg("%s", seen->err.message);
}

static void code_comes_to_what_the_host_follows(void **state)
{
    static const uint64_t lengths[] = {64, 128, 512, 1024};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        void *memory = NULL;
        for (unsigned round = 0; round < 2; round++) {
            const struct seen seen = visit(*state, lengths[i], &memory, round);
            assert_proven(&seen);
        }
    }
}

// The results of one length held against what another comes to.
static void results_that_are_not_the_hosts_are_a_mismatch(void **state)
{
    void *memory = NULL;
    struct seen seen = visit(*state, 128, &memory, 0);
    assert_proven(&seen);
    seen = visit(*state, 192, &memory, 1);
    assert_false(seen.done);
    assert_int_equal(seen.err.code, ERROR_MISMATCH);
}

static void a_length_that_no_lap_has_is_refused(void **state)
{
    void *memory = NULL;
    assert_int_equal(visit(*state, 100, &memory, 0).err.code, ERROR_USAGE);
    assert_int_equal(visit(*state, 0, &memory, 0).err.code, ERROR_USAGE);
    assert_int_equal(visit(*state, 1 << 20, &memory, 0).err.code, ERROR_USAGE);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(code_comes_to_what_the_host_follows),
        cmocka_unit_test(results_that_are_not_the_hosts_are_a_mismatch),
        cmocka_unit_test(a_length_that_no_lap_has_is_refused),
    };
    int status = workbench_status(argc, argv);
    return status ? status : cmocka_run_group_tests(tests, open_session, close_session);
}
