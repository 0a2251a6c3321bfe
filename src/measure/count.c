// SPDX-License-Identifier: MIT
#include "measure/count.h"

#include <math.h>

struct measure_count {
    struct gpu_counters *counters;
    struct arena *arena;
    const struct gpu_info *info;
    double units; // number of units of work in the last run
    // All counters: first the neutral ones that the device has, then the native ones.
    struct counted {
        const char *name;
        struct gpu_counter_source source;
        enum gpu_counter_unit unit;
        int neutral; // the counter's enum gpu_counter; -1 for a native counter
        double value;
    } * all;
    size_t count;
    struct gpu_counter_set *set;
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
                                                          .unit = info->unit,
                                                          .neutral = i,
                                                          .value = NAN};
    }
}

static void add_native(struct measure_count *count, const char *native)
{
    count->all[count->count++] =
        (struct counted){.name = arena_printf(count->arena, "native:%s", native),
                         .source = {.native = arena_strdup(count->arena, native), .factor = 1},
                         .unit = gpu_counters_native_unit(count->counters, native),
                         .neutral = -1,
                         .value = NAN};
}

static bool make_set(struct measure_count *count, struct error *err)
{
    struct gpu_counter_source *sources =
        ARENA_ARRAY(count->arena, count->count, struct gpu_counter_source);
    if (count->count == 0)
        return error_set(err, ERROR_UNSUPPORTED,
                         "the device has no counters that fathom knows: --native names others");
    for (size_t i = 0; i < count->count; i++)
        sources[i] = count->all[i].source;
    count->set = gpu_counter_set_create(count->counters, sources, count->count, err);
    return count->set != NULL;
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
    if (make_set(count, err))
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

static bool run_both(struct measure_count *count, const struct measure_count_desc *desc,
                     struct error *err)
{
    struct gpu_counter_run run = {desc->once, desc->before, desc->timeout_ns};
    double *once = ARENA_ARRAY(count->arena, 2 * count->count, double),
           *twice = once + count->count;
    if (!gpu_counter_set_run(count->set, &run, once, err))
        return false;
    run.batch = desc->twice;
    if (!gpu_counter_set_run(count->set, &run, twice, err))
        return false;
    for (size_t i = 0; i < count->count; i++) {
        bool is_ratio = count->all[i].unit == GPU_COUNTER_RATIO;
        count->all[i].value = is_ratio ? twice[i] : (twice[i] - once[i]) / desc->units;
    }
    return true;
}

bool measure_count_run(struct measure_count *count, const struct measure_count_desc *desc,
                       struct error *err)
{
    struct arena_mark mark = arena_mark(count->arena);
    bool done = (desc->before || gpu_batch_run(desc->once, desc->timeout_ns, err)) &&
                run_both(count, desc, err);
    arena_rewind(count->arena, mark);
    count->units = desc->units;
    return done;
}

// ---------------------------------------------------------------- reporting

const struct measure_count_claims measure_count_no_claims = {{
#define X(counter, name, unit, help) [GPU_COUNTER_##counter] = NAN,
    GPU_COUNTERS(X)
#undef X
}};

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
                                                   .passes = gpu_counter_set_passes(count->set)});
    }
}
