// SPDX-License-Identifier: MIT
// Defines what a check measures, and how long the measurements may take.
#include "analysis/check_cases.h"
#include "base/clock.h"
#include "base/text.h"
#include "bench/bench.h"
#include "suite/budget.h"
#include "suite/check.h"
#include "suite/plan.h"

#include <string.h>

static const char *const check_presets[] = {[CHECK_ALONE] = "check",
                                            [CHECK_ALONE_QUICK] = "check-quick",
                                            [CHECK_AT_ONCE] = "check-at-once"};

enum {
    // largest number of devices for which a check measures CHECK_PEER_READ and CHECK_PEER_BOTH
    FEW = 4
};

// ---------------------------------------------------------------- choosing the cases

// True if the run has all devices of `system` that have the API of the run's first device.
static bool has_all(const struct run *run, const struct gpu_system *system)
{
    size_t api = strcspn(run->devices[0].id, ":") + 1, chosen = 0, there = 0;
    for (size_t i = 0; i < run->device_count; i++)
        chosen += strncmp(run->devices[i].id, run->devices[0].id, api) == 0;
    for (size_t i = 0; i < gpu_system_device_count(system); i++)
        there += strncmp(gpu_system_info(system, i)->id, run->devices[0].id, api) == 0;
    return chosen == there;
}

static bool is_wanted(const struct check_case *of, const struct run *run, enum check_part part,
                      const struct gpu_system *system)
{
    if (part != CHECK_AT_ONCE)
        return !of->at_once && (of->quick || part == CHECK_ALONE);
    bool another_way = of->metric == CHECK_PEER_READ || of->metric == CHECK_PEER_BOTH;
    return of->at_once && !(another_way && run->device_count > FEW) &&
           (of->metric != CHECK_PEER_ALL || has_all(run, system));
}

// Adds a value to the setting of a benchmark's parameter, unless the setting already has it.
static void add_value(struct arena *arena, struct choice_request *request, struct setting *settings,
                      const char *benchmark, const char *key, const char *value)
{
    for (size_t i = 0; i < request->setting_count; i++) {
        struct setting *setting = &settings[i];
        if (strcmp(setting->benchmark, benchmark) != 0 || strcmp(setting->key, key) != 0)
            continue;
        if (!text_list_has(setting->values, value))
            setting->values = text_join(arena, setting->values, ",", value);
        return;
    }
    settings[request->setting_count++] =
        (struct setting){.benchmark = benchmark, .key = key, .values = value, .text = benchmark};
}

static void add_case(struct arena *arena, struct choice_request *request, struct setting *settings,
                     const struct check_case *of, uint64_t bytes)
{
    for (const char *at = of->values; *at; at += strcspn(at, ","), at += *at == ',') {
        size_t key = strcspn(at, "!="), value = strcspn(at + key + 1, ",");
        const char *name = arena_printf(arena, "%.*s", (int)key, at);
        // "key!=value" selects cases without this parameter: cases with the value
        // param_info.unsaid.
        if (at[key] == '!')
            add_value(arena, request, settings, of->benchmark, name,
                      benchmark_param(&benchmark_find(of->benchmark)->info, name)->unsaid);
        else
            add_value(arena, request, settings, of->benchmark, name,
                      arena_printf(arena, "%.*s", (int)value, at + key + 1));
    }
    if (bytes)
        add_value(arena, request, settings, of->benchmark, "bytes",
                  arena_printf(arena, "%llu", (unsigned long long)bytes));
}

static void add_benchmark(struct choice_request *request, const struct benchmark **chosen,
                          const struct benchmark *benchmark)
{
    for (size_t i = 0; i < request->benchmark_count; i++)
        if (chosen[i] == benchmark)
            return;
    chosen[request->benchmark_count++] = benchmark;
}

// Restricts the benchmark transfer to copies between devices of the run.
static void add_devices(struct choice_request *request, struct setting *settings,
                        const struct run *run)
{
    for (size_t i = 0; i < run->device_count; i++) {
        add_value(run->arena, request, settings, "transfer", "from", run->devices[i].id);
        add_value(run->arena, request, settings, "transfer", "to", run->devices[i].id);
    }
}

void check_choose(struct run *run, enum check_part part, struct choice_request *request)
{
    struct arena *arena = run->arena;
    enum {
        VALUES_MAX = 12 // maximum number of values that a case of a check sets
    };
    const struct benchmark **chosen =
        ARENA_ARRAY(arena, check_case_count, const struct benchmark *);
    struct setting *settings = ARENA_ARRAY(arena, check_case_count * VALUES_MAX, struct setting);
    request->preset = check_presets[part];
    request->benchmarks = chosen;
    request->settings = settings;
    for (size_t i = 0; i < check_case_count; i++) {
        const struct check_case *of = &check_cases[i];
        const struct benchmark *benchmark = benchmark_find(of->benchmark);
        if (!benchmark || !is_wanted(of, run, part, request->system))
            continue;
        add_benchmark(request, chosen, benchmark);
        add_case(arena, request, settings, of, of->bytes ? check_bytes(of, &run->devices[0]) : 0);
    }
    if (part == CHECK_AT_ONCE)
        add_devices(request, settings, run);
}

// Makes the plan of one device for CHECK_AT_ONCE. In the benchmark transfer, the first device of an
// API measures the copies between all pairs, so the other devices measure only "h2d".
struct plan *check_plan_at_once(struct arena *arena, const struct choice_request *request,
                                const struct gpu_info *device, struct run *run, struct error *err)
{
    const struct gpu_info *first = NULL;
    for (size_t i = 0; !first; i++)
        if (strcmp(gpu_system_info(request->system, i)->api, device->api) == 0)
            first = gpu_system_info(request->system, i);
    struct choice_request own = *request;
    struct setting *settings = ARENA_ARRAY(arena, request->setting_count, struct setting);
    bool pairs_are_measured = first != device && run_find_device(run, first->id);
    for (size_t i = 0; i < request->setting_count; i++) {
        settings[i] = request->settings[i];
        if (pairs_are_measured && strcmp(settings[i].key, "direction") == 0)
            settings[i].values = "h2d";
    }
    own.settings = settings;
    return plan_preset_create(arena, &own, device, run, err);
}

// ---------------------------------------------------------------- the time of a plan

static double most_s(enum check_part part)
{
    static const struct gpu_info card = {.kind = GPU_KIND_DISCRETE};
    struct budget budget;
    budget_of(check_presets[part], &card, &budget);
    return (double)budget.time_most_ns / NS_PER_S;
}

double check_plan_s(size_t devices, enum check_part part)
{
    if (part == CHECK_AT_ONCE)
        return devices > 1 ? CHECK_START_S + most_s(part) : 0;
    const struct benchmark *last = NULL;
    double seconds = CHECK_START_S;
    // Cases of one benchmark are neighbours, so a benchmark counts only at its first case.
    for (size_t i = 0; i < check_case_count; i++) {
        const struct check_case *of = &check_cases[i];
        const struct benchmark *benchmark = benchmark_find(of->benchmark);
        bool counts = !of->at_once && (of->quick || part == CHECK_ALONE) && benchmark != last;
        if (benchmark && counts)
            seconds += most_s(part) * (benchmark->link ? (double)devices : 1);
        last = counts ? benchmark : last;
    }
    return seconds;
}
