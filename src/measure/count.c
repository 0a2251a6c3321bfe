// SPDX-License-Identifier: MIT
#include "measure/count.h"

#include <math.h>
#include <string.h>

struct measure_count {
    struct gpu_counters *counters;
    struct arena *arena;
    const struct gpu_info *info;
    double units; // units of work of the last run
    // The neutral counters that the device has, then the native ones.
    struct counted {
        const char *name;
        struct gpu_counter_source source;
        enum gpu_counter_group group;
        enum gpu_counter_unit unit;
        int neutral; // its enum gpu_counter; -1 for a native counter
        double value;
    } * all;
    size_t count;
    struct gpu_counter_set *sets[GPU_COUNTER_GROUPS]; // NULL: the group has no counters
};

// ---------------------------------------------------------------- opening

static void add_neutral(struct measure_count *count)
{
    for (int i = 0; i < GPU_COUNTER_COUNT; i++) {
        const struct gpu_counter_source *source =
            gpu_counters_source(count->counters, (enum gpu_counter)i);
        const struct gpu_counter_info *info = gpu_counter_info((enum gpu_counter)i);
        if (source)
            count->all[count->count++] = (struct counted){.name = info->name,
                                                          .source = *source,
                                                          .group = info->group,
                                                          .unit = info->unit,
                                                          .neutral = i,
                                                          .value = NAN};
    }
}

static void add_native(struct measure_count *count, const char *native)
{
    bool is_ratio = strstr(native, ".ratio") || strstr(native, ".pct");
    count->all[count->count++] =
        (struct counted){.name = arena_printf(count->arena, "native:%s", native),
                         .source = {.native = arena_strdup(count->arena, native), .factor = 1},
                         .group = GPU_COUNTERS_OTHERS,
                         .unit = is_ratio ? GPU_COUNTER_RATIO : GPU_COUNTER_EVENTS,
                         .neutral = -1,
                         .value = NAN};
}

// Makes the set of a group, unless the group has no counters.
static bool make_set(struct measure_count *count, enum gpu_counter_group group, struct error *err)
{
    struct gpu_counter_source *sources =
        ARENA_ARRAY(count->arena, count->count, struct gpu_counter_source);
    size_t found = 0;
    for (size_t i = 0; i < count->count; i++)
        if (count->all[i].group == group)
            sources[found++] = count->all[i].source;
    if (found > 0)
        count->sets[group] = gpu_counter_set_create(count->counters, sources, found, err);
    return found == 0 || count->sets[group];
}

struct measure_count *measure_count_open(struct gpu_device *device, const char *const *natives,
                                         size_t native_count, struct error *err)
{
    struct gpu_counters *counters = gpu_counters_open(device, err);
    if (!counters)
        return NULL;
    struct arena *arena = arena_create();
    struct measure_count *count = ARENA_NEW(arena, struct measure_count);
    *count = (struct measure_count){
        .counters = counters, .arena = arena, .info = gpu_device_info(device)};
    count->all = ARENA_ARRAY(arena, GPU_COUNTER_COUNT + native_count, struct counted);
    add_neutral(count);
    for (size_t i = 0; i < native_count; i++)
        add_native(count, natives[i]);
    bool made = true;
    for (int group = 0; made && group < GPU_COUNTER_GROUPS; group++)
        made = make_set(count, (enum gpu_counter_group)group, err);
    if (made)
        return count;
    measure_count_close(count);
    return NULL;
}

void measure_count_close(struct measure_count *count)
{
    if (!count)
        return;
    gpu_counters_close(count->counters);
    arena_destroy(count->arena);
}

const struct gpu_info *measure_count_info(const struct measure_count *count)
{
    return count->info;
}

// ---------------------------------------------------------------- counting

static bool run_group(struct measure_count *count, enum gpu_counter_group group,
                      const struct measure_count_desc *desc, struct error *err)
{
    // The same work precedes both runs, so that both find the caches in the same state.
    struct gpu_counter_run run = {desc->once, desc->before ? desc->before : desc->once,
                                  desc->timeout_ns};
    double *once = ARENA_ARRAY(count->arena, 2 * count->count, double),
           *twice = once + count->count;
    struct gpu_counter_set *set = count->sets[group];
    if (!set)
        return true;
    if (!gpu_counter_set_run(set, &run, once, err))
        return false;
    run.batch = desc->twice;
    if (!gpu_counter_set_run(set, &run, twice, err))
        return false;
    size_t at = 0;
    for (size_t i = 0; i < count->count; i++) {
        struct counted *one = &count->all[i];
        if (one->group != group)
            continue;
        bool is_ratio = one->unit == GPU_COUNTER_RATIO;
        one->value = is_ratio ? twice[at] : (twice[at] - once[at]) / desc->units;
        at++;
    }
    return true;
}

bool measure_count_run(struct measure_count *count, const struct measure_count_desc *desc,
                       struct error *err)
{
    struct arena_mark mark = arena_mark(count->arena);
    bool done = true;
    for (int group = 0; done && group < GPU_COUNTER_GROUPS; group++)
        done = run_group(count, (enum gpu_counter_group)group, desc, err);
    arena_rewind(count->arena, mark);
    count->units = desc->units;
    return done;
}

// ---------------------------------------------------------------- reporting

const struct measure_count_claims measure_count_no_claims = {{
#define X(counter, name, group, unit, help) [GPU_COUNTER_##counter] = NAN,
    GPU_COUNTERS(X)
#undef X
}};

static unsigned passes_of(const struct measure_count *count, const struct counted *one)
{
    return gpu_counter_set_passes(count->sets[one->group]);
}

void measure_count_report(const struct measure_count *count,
                          const struct measure_count_claims *claims, struct measure_visit *visit)
{
    static const enum unit units[] = {[GPU_COUNTER_BYTES] = UNIT_BYTE,
                                      [GPU_COUNTER_EVENTS] = UNIT_NONE,
                                      [GPU_COUNTER_CYCLES] = UNIT_CYCLE,
                                      [GPU_COUNTER_RATIO] = UNIT_NONE};
    if (visit->counter_count > 0)
        return;
    for (size_t i = 0; i < count->count; i++) {
        const struct counted *one = &count->all[i];
        double claimed = one->neutral < 0 ? NAN : claims->of[one->neutral];
        if (isfinite(one->value))
            visit_counter(visit, &(struct counter){.name = one->name,
                                                   .unit = units[one->unit],
                                                   .counted = one->value,
                                                   .claimed = claimed,
                                                   .units = count->units,
                                                   .passes = passes_of(count, one)});
    }
}
