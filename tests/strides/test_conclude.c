// SPDX-License-Identifier: MIT
// The findings about the banks of shared memory, from the cases of a run.
#include "case_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

extern const struct benchmark bench_strides;

// Adds a case: `stride` threads, at most `banks`, meet in a bank; `stride` is a power of two.
static void add(struct run *run, const char *device, const char *pattern, unsigned stride,
                unsigned banks)
{
    struct case_value values[] = {
        {.key = "pattern", .type = PARAM_TEXT, .role = PARAM_AXIS, .text = pattern},
        {.key = "stride", .type = PARAM_UINT, .role = PARAM_AXIS, .uint = stride},
    };
    struct metric time = {
        .name = "time", .unit = UNIT_NS, .median = 0.5 * (stride < banks ? stride : banks)};
    case_result_add(run, &(struct result){.benchmark = "strides",
                                          .device = device,
                                          .bench_case = {values, COUNT(values)},
                                          .metrics = &time,
                                          .metric_count = 1});
}

static void each_device_gets_its_banks(void **state)
{
    (void)state;
    struct run *run = run_create();
    run_add_device(run)->id = "cuda:0";
    run_add_device(run)->id = "vulkan:0";
    run_add_device(run)->id = "opencl:0";
    for (unsigned stride = 128; stride > 0; stride /= 2) { // in any order
        add(run, "cuda:0", "banks", stride, 32);
        add(run, "cuda:0", "stride", stride, 8);
        add(run, "vulkan:0", "banks", stride, 64);
        add(run, "opencl:0", "stride", stride, 32);
    }
    for (size_t i = 0; i < run->device_count; i++)
        bench_strides.conclude(run, run->devices[i].id);
    assert_int_equal(run->finding_count, 2);
    assert_string_equal(run->findings[0].code, "shared-banks");
    assert_string_equal(run->findings[0].device, "cuda:0");
    assert_true(run->findings[0].value > 31 && run->findings[0].value < 33);
    assert_non_null(strstr(run->findings[0].text, "32 banks, counted in words of 4 bytes"));
    assert_string_equal(run->findings[0].keys[0], "strides/pattern=banks/stride=1");
    assert_string_equal(run->findings[0].keys[1], "strides/pattern=banks/stride=32");
    assert_string_equal(run->findings[1].device, "vulkan:0");
    assert_true(run->findings[1].value > 63 && run->findings[1].value < 65);
    run_destroy(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_device_gets_its_banks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
