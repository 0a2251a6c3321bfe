// SPDX-License-Identifier: MIT
// What a run checks before it measures, what it records about its devices, and how it ends. The
// fake GPU runs in this process.
#include "suite/runner.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct stage {
    struct run *run;
    struct gpu_system *system;
    struct device_list devices;
    struct runner_desc desc;
};

static struct stage stage_create(void)
{
    setenv("FATHOM_FAKE", "", 1);
    struct stage stage = {.run = run_create(), .system = gpu_system_create(NULL)};
    stage.devices.devices = ARENA_ARRAY(stage.run->arena, 1, const struct gpu_info *);
    stage.devices.devices[stage.devices.count++] = gpu_system_info(stage.system, 0);
    stage.desc = (struct runner_desc){
        .choices = {.benchmarks = benchmarks, .benchmark_count = 2, .preset = "quick"},
        .in_process = true,
        .plan = plan_preset_create,
    };
    return stage;
}

static bool stage_run(struct stage *stage, struct error *err)
{
    struct error unsaved;
    char *argv[] = {(char[]){"fathom"}, (char[]){"run"}};
    stage->desc.devices = &stage->devices;
    runner_describe(stage->run, &stage->desc, 2, argv);
    bool done = runner_run(stage->run, &stage->desc, &unsaved, err);
    assert_int_equal(unsaved.code, ERROR_NONE);
    return done;
}

static void stage_destroy(struct stage *stage)
{
    gpu_system_destroy(stage->system);
    run_destroy(stage->run);
}

static struct plan *plan_nothing(struct arena *arena, const struct choice_request *request,
                                 const struct gpu_info *device, struct run *run, struct error *err)
{
    (void)request, (void)device, (void)run, (void)err;
    return ARENA_NEW(arena, struct plan);
}

static void a_run_measures_its_plan_and_is_complete(void **state)
{
    (void)state;
    struct error err;
    struct stage stage = stage_create();
    assert_true(stage_run(&stage, &err));
    assert_int_equal(stage.run->status, RUN_COMPLETE);
    assert_int_equal(stage.run->result_count, 4);
    for (size_t i = 0; i < stage.run->result_count; i++)
        assert_true(stage.run->results[i]->metric_count > 0);
    stage_destroy(&stage);
}

static void a_run_describes_what_it_measures_on(void **state)
{
    (void)state;
    struct error err;
    struct stage stage = stage_create();
    assert_true(stage_run(&stage, &err));
    assert_int_equal(stage.run->device_count, 1);
    const struct run_device *device = &stage.run->devices[0];
    assert_string_equal(device->id, "fake:0");
    size_t bytes = 0;
    for (size_t i = 0; i < device->limit_count; i++)
        if (strcmp(device->limits[i].name, "memory_bytes") == 0) {
            assert_int_equal(device->limits[i].unit, UNIT_BYTE);
            bytes++;
        }
    assert_int_equal(bytes, 1);
    assert_int_equal(stage.run->command_count, 2);
    assert_string_equal(stage.run->command[1], "run");
    assert_int_equal(strlen(stage.run->started), strlen("2026-01-31T12:00:00Z"));
    assert_true(stage.run->host_count > 0);
    stage_destroy(&stage);
}

static void a_run_without_cases_is_refused(void **state)
{
    (void)state;
    struct error err;
    struct stage stage = stage_create();
    stage.desc.plan = plan_nothing;
    assert_false(stage_run(&stage, &err));
    assert_int_equal(err.code, ERROR_NO_DEVICE);
    stage_destroy(&stage);
}

static void an_output_that_cannot_be_written_is_refused_before_anything_is_measured(void **state)
{
    (void)state;
    struct error err;
    struct stage stage = stage_create();
    stage.desc.output = "/nonexistent-folder/run.json";
    assert_false(stage_run(&stage, &err));
    assert_int_equal(err.code, ERROR_IO);
    assert_int_equal(stage.run->result_count, 0);
    stage_destroy(&stage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_measures_its_plan_and_is_complete),
        cmocka_unit_test(a_run_describes_what_it_measures_on),
        cmocka_unit_test(a_run_without_cases_is_refused),
        cmocka_unit_test(an_output_that_cannot_be_written_is_refused_before_anything_is_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
