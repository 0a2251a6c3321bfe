// SPDX-License-Identifier: MIT
// Plans the cases of a benchmark for a device that a test describes.
#ifndef PLANNED_H
#define PLANNED_H

#include "bench/choices.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

struct planned {
    const struct benchmark *benchmark;
    struct arena *arena;
    struct gpu_info info;
    struct bench_case_list list;
    struct error err;
};

// Plans the preset with one --set, such as "op=read"; NULL: without. If the values or the plan are
// refused, returns false with planned->err.
static inline bool plan(struct planned *planned, const char *preset, const char *set)
{
    const struct benchmark *const list[] = {planned->benchmark, NULL};
    struct setting setting;
    planned->list = (struct bench_case_list){0};
    if (set)
        assert_true(setting_parse(planned->arena, set, &setting, &planned->err));
    const struct choice_request request = {.benchmarks = list,
                                           .benchmark_count = 1,
                                           .preset = preset,
                                           .settings = &setting,
                                           .setting_count = set != NULL};
    struct bench_choice *choices;
    if (!choices_make(planned->arena, &request, planned->benchmark, &choices, &planned->err))
        return false;
    const struct bench_request bench = {.arena = planned->arena,
                                        .device = &planned->info,
                                        .preset = preset,
                                        .choices = choices,
                                        .choice_count = planned->benchmark->info.param_count};
    return bench_plan(planned->benchmark, &bench, &planned->list, &planned->err);
}

#endif
