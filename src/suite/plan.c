// SPDX-License-Identifier: MIT
#include "suite/plan.h"

#include <string.h>

struct preset_plan {
    // this member must be the first, because preset_next() casts a pointer to it
    struct plan plan;
    // Cases of the plan. A case that another device's co-run took (preset_take) has no `benchmark`.
    struct plan_case *cases;
    size_t count, capacity;
    size_t at;
    size_t block; // number of cases returned since the last PLAN_PAUSE
    const struct benchmark *block_benchmark;
};

static void pass_over_taken(struct preset_plan *preset)
{
    while (preset->at < preset->count && !preset->cases[preset->at].benchmark)
        preset->at++;
}

static enum plan_step preset_next(struct plan *plan, const struct run *so_far,
                                  struct plan_case *next)
{
    (void)so_far; // the results are not needed, because a preset's cases do not depend on them
    struct preset_plan *preset = (struct preset_plan *)plan;
    pass_over_taken(preset);
    if (preset->at == preset->count)
        return PLAN_END;
    bool new_benchmark =
        preset->block && preset->cases[preset->at].benchmark != preset->block_benchmark;
    if (new_benchmark || preset->block == PLAN_BLOCK_CASES) {
        preset->block = 0;
        return PLAN_PAUSE;
    }
    preset->block++;
    preset->block_benchmark = preset->cases[preset->at].benchmark;
    *next = preset->cases[preset->at++];
    return PLAN_CASE;
}

static size_t preset_left(const struct plan *plan, const struct benchmark *benchmark)
{
    const struct preset_plan *preset = (const struct preset_plan *)plan;
    size_t left = 0;
    for (size_t i = preset->at; i < preset->count; i++)
        left += preset->cases[i].benchmark == benchmark;
    return left;
}

static bool preset_take(struct plan *plan, const char *key, struct plan_case *taken)
{
    struct preset_plan *preset = (struct preset_plan *)plan;
    for (size_t i = preset->at; i < preset->count; i++)
        if (preset->cases[i].benchmark && strcmp(preset->cases[i].key, key) == 0) {
            *taken = preset->cases[i];
            preset->cases[i].benchmark = NULL;
            preset->plan.total--;
            return true;
        }
    return false;
}

static bool is_planned(const struct preset_plan *preset, const char *key)
{
    for (size_t i = 0; i < preset->count; i++)
        if (strcmp(preset->cases[i].key, key) == 0)
            return true;
    return false;
}

static bool add_cases(struct arena *arena, struct preset_plan *preset,
                      const struct benchmark *benchmark, const struct bench_case_list *list,
                      struct error *err)
{
    if (list->count > PLAN_CASES_MAX - preset->count)
        return error_set(err, ERROR_USAGE,
                         "%zu cases are more than a run takes (%d): --set fewer values",
                         preset->count + list->count, PLAN_CASES_MAX);
    for (size_t i = 0; i < list->count; i++) {
        const char *key = case_key(arena, benchmark->info.name, &list->cases[i]);
        if (is_planned(preset, key))
            continue; // the device's limits can make a case equal to an earlier case of the plan
        preset->cases = arena_grow(arena, preset->cases, preset->count, &preset->capacity,
                                   sizeof *preset->cases);
        preset->cases[preset->count] = (struct plan_case){.benchmark = benchmark,
                                                          .bench_case = &list->cases[i],
                                                          .key = key,
                                                          .index = preset->count};
        preset->count++;
    }
    return true;
}

struct plan *plan_preset_create(struct arena *arena, const struct choice_request *request,
                                const struct gpu_info *device, struct run *run, struct error *err)
{
    struct preset_plan *preset = ARENA_NEW(arena, struct preset_plan);
    for (size_t i = 0; i < request->benchmark_count; i++) {
        const struct benchmark *benchmark = request->benchmarks[i];
        struct bench_request asked = {.arena = arena,
                                      .device = device,
                                      .system = request->system,
                                      .preset = request->preset,
                                      .choice_count = benchmark->info.param_count};
        struct bench_choice *choices;
        struct bench_case_list list = {0};
        struct error why = {.code = ERROR_NONE};
        if (!choices_make(arena, request, benchmark, &choices, err))
            return NULL;
        asked.choices = choices;
        if (bench_plan(benchmark, &asked, &list, &why)) {
            if (!add_cases(arena, preset, benchmark, &list, err)) {
                error_prefix(err, "%s on %s", benchmark->info.name, device->id);
                return NULL;
            }
        } else if (why.code == ERROR_UNSUPPORTED) {
            run_add_note(run, "left-out", device->id,
                         arena_printf(run->arena, "%s on %s: %s", benchmark->info.name, device->id,
                                      why.message));
        } else {
            *err = why;
            error_prefix(err, "%s on %s", benchmark->info.name, device->id);
            return NULL;
        }
    }
    preset->plan = (struct plan){
        .next = preset_next, .total = preset->count, .left = preset_left, .take = preset_take};
    return &preset->plan;
}
