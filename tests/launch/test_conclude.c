// SPDX-License-Identifier: MIT
// The findings about the cost of a launch, from a run whose kernels take 2 µs + V / 4 TB/s.
#include "case_text.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

extern const struct benchmark bench_launch;

static void conclude(struct run *run)
{
    for (size_t i = 0; i < run->device_count; i++)
        bench_launch.conclude(run, run->devices[i].id);
}

static void add(struct run *run, const char *device, const char *mode, uint64_t elements,
                double time_ns)
{
    double bytes_per_s = 16.0 * (double)elements / time_ns * 1e9;
    struct case_value values[] = {
        {.key = "mode", .type = PARAM_TEXT, .role = PARAM_AXIS, .text = mode},
        {.key = "elements", .type = PARAM_UINT, .role = PARAM_AXIS, .uint = elements},
    };
    struct metric metrics[] = {
        {.name = "time", .unit = UNIT_NS, .median = time_ns},
        {.name = "bandwidth", .unit = UNIT_BYTE_PER_S, .median = bytes_per_s},
        {.name = "host", .unit = UNIT_NS, .median = 80},
    };
    case_result_add(run, &(struct result){.benchmark = "launch",
                                          .device = device,
                                          .bench_case = {values, COUNT(values)},
                                          .metrics = metrics,
                                          .metric_count = COUNT(metrics)});
}

static void add_row(struct run *run, const char *device, const char *mode, double launch_ns)
{
    for (uint64_t elements = 4096; elements <= 1 << 24; elements *= 2) {
        double volume = 16.0 * (double)elements, noise = elements & 0x5555555 ? 1.001 : 0.999;
        double rate = volume > 20e6 ? 1000 : 4000; // beyond the cache, the rate is lower
        add(run, device, mode, elements, (launch_ns + volume / rate) * noise);
    }
}

// Adds kernels that take 1.2 µs + V / 4 TB/s on the device and a call of `host_ns` for each launch.
static void add_slow_host(struct run *run, double host_ns)
{
    for (int step = 0; step <= 16; step++) {
        double elements = 4096 * pow(2, step / 2.0);
        double device_ns = 1200 + 16 * elements / 4000;
        add(run, "cuda:0", "batch", (uint64_t)elements, fmax(device_ns, host_ns));
        run->results[run->result_count - 1]->metrics[2].median = host_ns;
    }
}

static struct run *make_run(void)
{
    struct run *run = run_create();
    run_add_device(run)->id = "cuda:0";
    run_add_device(run)->id = "vulkan:0";
    add_row(run, "cuda:0", "batch", 2000);
    add_row(run, "cuda:0", "replay", 1200);
    add_row(run, "vulkan:0", "batch", 3000);
    return run;
}

static void each_way_of_launching_gets_its_cost(void **state)
{
    (void)state;
    struct run *run = make_run();
    conclude(run);
    static const double costs[] = {2000, 1200, 3000};
    static const char *const ways[] = {"mode=batch", "mode=replay", "mode=batch"};
    assert_int_equal(run->finding_count, 3);
    for (int i = 0; i < 3; i++) {
        assert_string_equal(run->findings[i].code, "launch-fit");
        assert_true(fabs(run->findings[i].value / costs[i] - 1) < 0.01);
        assert_non_null(strstr(run->findings[i].text, ways[i]));
        assert_non_null(strstr(run->findings[i].keys[0], "elements=4096"));
    }
    assert_string_equal(run->findings[2].device, "vulkan:0");
    run_destroy(run);
}

static void add_barrier(struct run *run, const char *between, double time_ns)
{
    add(run, "vulkan:0", "batch", 1, time_ns);
    struct result *result = run->results[run->result_count - 1];
    result->bench_case.values[1] = (struct case_value){
        .key = "between", .type = PARAM_TEXT, .role = PARAM_AXIS, .text = between};
    result->key = case_key(run->arena, "launch", &result->bench_case);
}

static void what_barriers_add_is_listed(void **state)
{
    (void)state;
    struct run *run = run_create();
    run_add_device(run)->id = "vulkan:0";
    add_barrier(run, "nothing", 160);
    add_barrier(run, "execution", 1640);
    add_barrier(run, "memory", 4010);
    conclude(run);
    assert_int_equal(run->finding_count, 1);
    assert_string_equal(run->findings[0].code, "barriers");
    assert_non_null(strstr(run->findings[0].text, "memory 3.850 µs, execution 1.480 µs"));
    assert_true(run->findings[0].value == 3850);
    run_destroy(run);
}

static void add_host(struct run *run, double host_ns)
{
    struct result *result = run->results[run->result_count - 1];
    struct metric *both = ARENA_ARRAY(run->arena, 2, struct metric);
    both[0] = result->metrics[0];
    both[1] = (struct metric){.name = "host", .unit = UNIT_NS, .median = host_ns};
    result->metrics = both;
}

static void rows_that_wait_for_the_host_are_told(void **state)
{
    (void)state;
    for (int bound = 0; bound < 2; bound++) {
        // Given a kernel every 3 µs, of which the submitting call takes 2.9 µs or 20 ns
        struct run *run = run_create();
        run_add_device(run)->id = "vulkan:0";
        add_barrier(run, "order", 3000);
        add_host(run, bound ? 2900 : 20);
        // When findings are made, then only the call of 2.9 µs is reported
        conclude(run);
        assert_int_equal(run->finding_count, bound);
        if (bound) {
            assert_string_equal(run->findings[0].code, "launch-bound");
            assert_non_null(strstr(run->findings[0].text, "2.900 µs, a kernel in all 3.000 µs"));
        }
        run_destroy(run);
    }
}

static void kernels_that_the_host_limits_are_in_no_fit(void **state)
{
    (void)state;
    // Given a host that needs 1.6 µs a launch, so the device limits only the larger kernels
    struct run *run = run_create();
    run_add_device(run)->id = "cuda:0";
    add_slow_host(run, 1600);
    // When findings are made, then the line fits only the kernels that the device limits
    conclude(run);
    assert_int_equal(run->finding_count, 1);
    assert_string_equal(run->findings[0].code, "launch-fit");
    assert_true(fabs(run->findings[0].value - 1200) < 1);
    assert_non_null(strstr(run->findings[0].text, "4.000 TB/s"));
    run_destroy(run);
}

static void a_slow_host_is_told_instead_of_a_fit(void **state)
{
    (void)state;
    // Given a host that needs 3.3 µs a launch, so it limits kernels of up to 8 MiB
    struct run *run = run_create();
    run_add_device(run)->id = "cuda:0";
    add_slow_host(run, 3300);
    // When findings are made, then they state no rate, but the size up to which the host limits
    conclude(run);
    assert_int_equal(run->finding_count, 1);
    assert_string_equal(run->findings[0].code, "launch-bound");
    assert_non_null(strstr(run->findings[0].text, "host-bound up to 8 MiB"));
    assert_non_null(strstr(run->findings[0].text, "3.300 µs"));
    assert_true(run->findings[0].value == 3300);
    run_destroy(run);
}

static void what_was_measured_without_the_call_gives_no_fit(void **state)
{
    (void)state;
    // Given kernels without a time of the calls that launched them
    struct run *run = make_run();
    for (size_t i = 0; i < run->result_count; i++)
        run->results[i]->metric_count = 2;
    // When findings are made, then there is none, because the host may be the limit
    conclude(run);
    assert_int_equal(run->finding_count, 0);
    run_destroy(run);
}

static void few_points_give_no_fit(void **state)
{
    (void)state;
    struct run *run = run_create();
    run_add_device(run)->id = "cuda:0";
    for (uint64_t elements = 4096; elements < 4096 << 4; elements *= 2)
        add(run, "cuda:0", "batch", elements, 2000);
    conclude(run);
    assert_int_equal(run->finding_count, 0);
    run_destroy(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_way_of_launching_gets_its_cost),
        cmocka_unit_test(what_barriers_add_is_listed),
        cmocka_unit_test(rows_that_wait_for_the_host_are_told),
        cmocka_unit_test(kernels_that_the_host_limits_are_in_no_fit),
        cmocka_unit_test(a_slow_host_is_told_instead_of_a_fit),
        cmocka_unit_test(what_was_measured_without_the_call_gives_no_fit),
        cmocka_unit_test(few_points_give_no_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
