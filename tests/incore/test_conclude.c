// SPDX-License-Identifier: MIT
// The findings about a core with 128 units that have a latency of 4 cycles.
#include "case_text.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

extern const struct benchmark bench_incore;

static void conclude(struct run *run)
{
    for (size_t i = 0; i < run->device_count; i++)
        bench_incore.conclude(run, run->devices[i].id);
}

// Adds an operation. With enough chains under way, a core does `most` results a cycle.
static void add_operation(struct run *run, const char *device, const char *op, double latency,
                          double most)
{
    for (uint64_t subgroups = 1; subgroups <= 32; subgroups *= 32)
        for (uint64_t chains = 1; chains <= 8; chains *= 8) {
            struct case_value values[] = {
                {.key = "op", .type = PARAM_TEXT, .role = PARAM_AXIS, .text = op},
                {.key = "ilp", .type = PARAM_UINT, .role = PARAM_AXIS, .uint = chains},
                {.key = "subgroups", .type = PARAM_UINT, .role = PARAM_AXIS, .uint = subgroups},
            };
            double rate = fmin(32.0 * (double)(chains * subgroups) / latency, most);
            struct metric metrics[] = {
                {.name = "cycles", .unit = UNIT_CYCLE, .median = 32 / rate},
                {.name = "per_core", .unit = UNIT_OP_PER_CYCLE, .median = rate},
            };
            case_result_add(run, &(struct result){.benchmark = "incore",
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

static void each_operation_has_its_latency_and_units(void **state)
{
    (void)state;
    struct run *run = make_run();
    add_operation(run, "cuda:0", "fp32-fma", 4, 125.3);
    add_operation(run, "cuda:0", "fp64-div", 92, 4.6);
    add_operation(run, "vulkan:0", "fp32-fma", 4, 124);
    conclude(run);
    assert_int_equal(run->finding_count, 3);
    const struct finding *fma = &run->findings[0], *div = &run->findings[1];
    assert_string_equal(fma->code, "operation");
    assert_true(fabs(fma->value - 4) < 1e-9 && fabs(div->value - 92) < 1e-9);
    assert_non_null(strstr(fma->text, "fp32-fma"));
    assert_non_null(strstr(fma->text, "128 units"));
    assert_string_equal(fma->keys[0], "incore/op=fp32-fma/ilp=1/subgroups=1");
    assert_string_equal(run->findings[2].device, "vulkan:0");
    // 4.6 is not near a power of two, so the text names no number of units.
    assert_null(strstr(div->text, "units"));
    run_destroy(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_operation_has_its_latency_and_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
