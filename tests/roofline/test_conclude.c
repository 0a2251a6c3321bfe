// SPDX-License-Identifier: MIT
// Where the limit changes from memory to arithmetic, on a chip whose ridge is at 8 FLOP/B.
#include "case_text.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

extern const struct benchmark bench_roofline;

static void conclude(struct run *run)
{
    for (size_t i = 0; i < run->device_count; i++)
        bench_roofline.conclude(run, run->devices[i].id);
}

// Adds results at intensities from 2^least to 2^most.
static void add_roof(struct run *run, const char *device, const char *type, int least, int most)
{
    for (int power = least; power <= most; power++) {
        double intensity = ldexp(1, power);
        struct case_value values[] = {
            {.key = "type", .type = PARAM_TEXT, .role = PARAM_AXIS, .text = type},
            {.key = "intensity", .type = PARAM_REAL, .role = PARAM_AXIS, .real = intensity},
        };
        double rate = fmin(intensity * 4e12, 32e12);
        struct metric metrics[] = {
            {.name = "rate", .unit = UNIT_OP_PER_S, .median = rate},
            {.name = "bandwidth", .unit = UNIT_BYTE_PER_S, .median = rate / intensity},
        };
        case_result_add(run, &(struct result){.benchmark = "roofline",
                                              .device = device,
                                              .bench_case = {values, COUNT(values)},
                                              .metrics = metrics,
                                              .metric_count = COUNT(metrics)});
    }
}

static struct run *make_run(void)
{
    struct run *run = run_create();
    run_add_device(run)->id = "cuda:0";
    run_add_device(run)->id = "vulkan:0";
    return run;
}

static void the_ridge_is_where_the_bounds_meet(void **state)
{
    (void)state;
    struct run *run = make_run();
    add_roof(run, "cuda:0", "fp32", -4, 9);
    add_roof(run, "cuda:0", "fp64", -4, 9);
    conclude(run);
    assert_int_equal(run->finding_count, 2);
    assert_string_equal(run->findings[0].code, "ridge");
    assert_true(fabs(run->findings[0].value - 8) < 1e-9);
    assert_non_null(strstr(run->findings[1].text, "fp64"));
    assert_non_null(strstr(run->findings[1].text, "4.000 TB/s"));
    assert_non_null(strstr(
        run->findings[1].text,
        "memory-bound below 8.000 FLOP/B (8.000 to 8.000) at 4.000 TB/s, compute-bound above "
        "at 32.00 TFLOP/s"));
    run_destroy(run);
}

static void a_bound_that_was_not_seen_makes_no_ridge(void **state)
{
    (void)state;
    struct run *run = make_run();
    add_roof(run, "cuda:0", "fp32", -4, 1);
    add_roof(run, "vulkan:0", "fp32", 6, 9);
    conclude(run);
    assert_int_equal(run->finding_count, 0);
    run_destroy(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_ridge_is_where_the_bounds_meet),
        cmocka_unit_test(a_bound_that_was_not_seen_makes_no_ridge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
