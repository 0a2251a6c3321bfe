// SPDX-License-Identifier: MIT
#include "measure/count.h"

#include <math.h>
#include <string.h>

// A selection of counters that are read together.
struct selection {
    struct selection *older;
    unsigned groups;
    // First the wanted counters of GPU_COUNTERS that the device has, then the named native ones.
    struct counted {
        const char *name;
        struct gpu_counter_source source;
        enum gpu_counter_unit unit;
        // number of the counter in enum gpu_counter; -1 for a vendor's own (native) counter
        int neutral;
        double value;
    } * all;
    size_t count;
    struct gpu_counter_set *set;
};

struct measure_count {
    struct gpu_counters *counters;
    struct arena *arena;
    const struct gpu_info *info;
    const char *const *names; // names of the counters that the user asked for
    size_t name_count;
    // number of units of work in the batch `once` of the last measure_count_run
    double units;
    struct selection *made; // selections made so far, the newest first
    struct selection *selected;
};

// ---------------------------------------------------------------- selecting counters

// The group of each counter; a counter that is not listed belongs to MEASURE_COUNT_MEMORY.
static const unsigned groups_of[GPU_COUNTER_COUNT] = {
    [GPU_COUNTER_SHARED_WAVEFRONTS] = MEASURE_COUNT_SHARED,
    [GPU_COUNTER_SHARED_CONFLICTS] = MEASURE_COUNT_SHARED,
    [GPU_COUNTER_TEXTURE_READ] = MEASURE_COUNT_TEXTURES,
    [GPU_COUNTER_INSTRUCTIONS_FP32] = MEASURE_COUNT_FLOATS,
    [GPU_COUNTER_INSTRUCTIONS_FP64] = MEASURE_COUNT_FLOATS,
    [GPU_COUNTER_INSTRUCTIONS_FP16] = MEASURE_COUNT_FLOATS,
    [GPU_COUNTER_LOAD_RETURNS] = MEASURE_COUNT_UNITS,
    [GPU_COUNTER_TEXTURE_FILTER] = MEASURE_COUNT_UNITS,
    [GPU_COUNTER_TEXTURE_RETURNS] = MEASURE_COUNT_UNITS,
    [GPU_COUNTER_ACTIVE_CYCLES] = MEASURE_COUNT_UNITS,
    [GPU_COUNTER_ISSUE_SLOTS] = MEASURE_COUNT_UNITS,
    [GPU_COUNTER_RESIDENT_CYCLES] = MEASURE_COUNT_NAMED,
    [GPU_COUNTER_STALL_MEMORY] = MEASURE_COUNT_NAMED,
    [GPU_COUNTER_STALL_SHARED] = MEASURE_COUNT_NAMED,
    [GPU_COUNTER_STALL_QUEUE] = MEASURE_COUNT_NAMED,
    [GPU_COUNTER_STALL_UNITS] = MEASURE_COUNT_NAMED,
    [GPU_COUNTER_STALL_BARRIER] = MEASURE_COUNT_NAMED,
    [GPU_COUNTER_STALL_FETCH] = MEASURE_COUNT_NAMED,
};

// Returns true if the counter belongs to one of the groups, or if the user named it.
static bool is_wanted(const struct measure_count *count, unsigned groups, enum gpu_counter counter)
{
    unsigned group = groups_of[counter] ? groups_of[counter] : MEASURE_COUNT_MEMORY;
    bool wanted = group & groups;
    for (size_t i = 0; i < count->name_count; i++)
        wanted = wanted || strcmp(count->names[i], gpu_counter_info(counter)->name) == 0;
    return wanted;
}

static void add_neutral(const struct measure_count *count, struct selection *to)
{
    for (int i = 0; i < GPU_COUNTER_COUNT; i++) {
        const struct gpu_counter_source *source =
            gpu_counters_source(count->counters, (enum gpu_counter)i);
        const struct gpu_counter_info *info = gpu_counter_info((enum gpu_counter)i);
        if (source && is_wanted(count, to->groups, (enum gpu_counter)i))
            to->all[to->count++] = (struct counted){.name = info->name,
                                                    .source = *source,
                                                    .unit = info->unit,
                                                    .neutral = i,
                                                    .value = NAN};
    }
}

// Returns true for a counter of GPU_COUNTERS that the device has. A native counter of the same name
// comes first.
static bool is_neutral(const struct measure_count *count, const char *name)
{
    size_t natives;
    const char *const *list = gpu_counters_natives(count->counters, &natives);
    for (size_t i = 0; i < natives; i++)
        if (strcmp(list[i], name) == 0)
            return false;
    for (int i = 0; i < GPU_COUNTER_COUNT; i++)
        if (strcmp(gpu_counter_info((enum gpu_counter)i)->name, name) == 0 &&
            gpu_counters_source(count->counters, (enum gpu_counter)i))
            return true;
    return false;
}

static void add_native(const struct measure_count *count, const char *native, struct selection *to)
{
    if (is_neutral(count, native))
        return;
    to->all[to->count++] =
        (struct counted){.name = arena_printf(count->arena, "native:%s", native),
                         .source = {.native = native, .factor = 1},
                         .unit = gpu_counters_native_unit(count->counters, native),
                         .neutral = -1,
                         .value = NAN};
}

static bool make_set(const struct measure_count *count, struct selection *of, struct error *err)
{
    struct gpu_counter_source *sources =
        ARENA_ARRAY(count->arena, of->count, struct gpu_counter_source);
    if (of->count == 0)
        return error_set(err, ERROR_UNSUPPORTED,
                         "the device has no counters that fathom knows: --native names others");
    for (size_t i = 0; i < of->count; i++)
        sources[i] = of->all[i].source;
    of->set = gpu_counter_set_create(count->counters, sources, of->count, err);
    return of->set != NULL;
}

bool measure_count_select(struct measure_count *count, unsigned groups, struct error *err)
{
    struct selection *selection = count->made;
    while (selection && selection->groups != groups)
        selection = selection->older;
    if (!selection) {
        selection = ARENA_NEW(count->arena, struct selection);
        *selection = (struct selection){.older = count->made, .groups = groups};
        selection->all =
            ARENA_ARRAY(count->arena, GPU_COUNTER_COUNT + count->name_count, struct counted);
        add_neutral(count, selection);
        for (size_t i = 0; i < count->name_count; i++)
            add_native(count, count->names[i], selection);
        if (!make_set(count, selection, err))
            return false;
        count->made = selection;
    }
    count->selected = selection;
    return true;
}

// ---------------------------------------------------------------- opening and closing counters

struct measure_count *measure_count_open(struct gpu_device *device, const char *const *names,
                                         size_t name_count, struct error *err)
{
    struct gpu_counters *counters = gpu_counters_open(device, err);
    if (!counters)
        return NULL;
    struct arena *arena = arena_create();
    struct measure_count *count = ARENA_NEW(arena, struct measure_count);
    const char **copies = ARENA_ARRAY(arena, name_count, const char *);
    for (size_t i = 0; i < name_count; i++)
        copies[i] = arena_strdup(arena, names[i]);
    *count = (struct measure_count){.counters = counters,
                                    .arena = arena,
                                    .info = gpu_device_info(device),
                                    .names = copies,
                                    .name_count = name_count};
    return count;
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

// ---------------------------------------------------------------- counting the work

static bool run_both(struct measure_count *count, const struct measure_count_desc *desc,
                     struct error *err)
{
    const struct gpu_counter_run run = {
        .batches = {desc->once, desc->twice},
        .count = 2,
        .before = desc->before,
        .timeout_ns = desc->timeout_ns,
    };
    const struct selection *selected = count->selected;
    double *once = ARENA_ARRAY(count->arena, 2 * selected->count, double),
           *twice = once + selected->count;
    if (!gpu_counter_set_run(selected->set, &run, once, err))
        return false;
    for (size_t i = 0; i < selected->count; i++) {
        bool is_ratio = selected->all[i].unit == GPU_COUNTER_RATIO;
        selected->all[i].value = is_ratio ? twice[i] : (twice[i] - once[i]) / desc->units;
    }
    return true;
}

bool measure_count_run(struct measure_count *count, const struct measure_count_desc *desc,
                       struct error *err)
{
    struct arena_mark mark = arena_mark(count->arena);
    bool done = (desc->before || gpu_batch_run(desc->twice, desc->timeout_ns, err)) &&
                run_both(count, desc, err);
    arena_rewind(count->arena, mark);
    count->units = desc->units;
    return done;
}

// ---------------------------------------------------------------- reporting what was counted

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
    const struct selection *selected = count->selected;
    for (size_t i = 0; i < selected->count; i++) {
        const struct counted *one = &selected->all[i];
        double claimed = one->neutral < 0 ? NAN : claims->of[one->neutral];
        if (isfinite(one->value))
            visit_counter(visit,
                          &(struct counter){.name = one->name,
                                            .unit = units[one->unit],
                                            .counted = one->value,
                                            .claimed = claimed,
                                            .units = count->units,
                                            .passes = gpu_counter_set_passes(selected->set)});
    }
}
