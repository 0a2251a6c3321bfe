// SPDX-License-Identifier: MIT
#include "gpu/counters.h"
#include "gpu/front.h"

enum {
    // maximum number of passes of one run; otherwise a run might never end
    PASSES_MAX = 1000
};

const struct gpu_counter_info *gpu_counter_info(enum gpu_counter counter)
{
    static const struct gpu_counter_info table[GPU_COUNTER_COUNT] = {
#define X(counter, name, unit, help) [GPU_COUNTER_##counter] = {name, GPU_COUNTER_##unit, help},
        GPU_COUNTERS(X)
#undef X
    };
    return &table[counter];
}

struct gpu_counters *gpu_counters_open(struct gpu_device *device, struct error *err)
{
    if (!gpu_device_check(device, err))
        return NULL;
    const struct gpu_counting *slots = device->backend->counting;
    if (!slots) {
        error_set(err, ERROR_UNSUPPORTED,
                  "fathom reads hardware counters through CUDA and Vulkan, not through %s",
                  device->info->api);
        return NULL;
    }
    struct arena *arena = arena_create();
    struct gpu_counters *counters = slots->open(device, arena, err);
    if (!gpu_device_note(device, counters, err)) {
        arena_destroy(arena);
        return NULL;
    }
    counters->device = device;
    counters->arena = arena;
    return counters;
}

void gpu_counters_close(struct gpu_counters *counters)
{
    if (!counters)
        return;
    struct arena *arena = counters->arena;
    counters->device->backend->counting->close(counters);
    arena_destroy(arena);
}

const struct gpu_counter_source *gpu_counters_source(const struct gpu_counters *counters,
                                                     enum gpu_counter counter)
{
    return counters->sources[counter].native ? &counters->sources[counter] : NULL;
}

const char *const *gpu_counters_natives(const struct gpu_counters *counters, size_t *count)
{
    *count = counters->native_count;
    return counters->natives;
}

enum gpu_counter_unit gpu_counters_native_unit(const struct gpu_counters *counters,
                                               const char *native)
{
    return counters->device->backend->counting->native_unit(counters, native);
}

struct gpu_counter_set *gpu_counter_set_create(struct gpu_counters *counters,
                                               const struct gpu_counter_source *sources,
                                               size_t count, struct error *err)
{
    if (!gpu_device_check(counters->device, err))
        return NULL;
    struct gpu_counter_set *set =
        counters->device->backend->counting->set_create(counters, sources, count, err);
    if (!gpu_device_note(counters->device, set, err))
        return NULL;
    double *factors = ARENA_ARRAY(counters->arena, count, double);
    for (size_t i = 0; i < count; i++)
        factors[i] = sources[i].factor;
    set->counters = counters;
    set->factors = factors;
    set->count = count;
    return set;
}

unsigned gpu_counter_set_passes(const struct gpu_counter_set *set)
{
    return set->passes;
}

// Runs the batch. If the wait for it fails, ends it by gpu_batch_finish, so that it does not stay
// in flight.
static bool run_to_end(struct gpu_batch *batch, uint64_t timeout_ns, struct error *err)
{
    bool ran = gpu_batch_run(batch, timeout_ns, err);
    if (batch->state == GPU_BATCH_IN_FLIGHT && !gpu_batch_device(batch)->lost)
        gpu_batch_finish(batch);
    return ran;
}

static bool run_batch(struct gpu_counter_set *set, const struct gpu_counter_run *run, size_t batch,
                      struct error *err)
{
    const struct gpu_counting *slots = set->counters->device->backend->counting;
    if ((run->before && !run_to_end(run->before, run->timeout_ns, err)) ||
        !slots->batch_begin(set, batch, err))
        return false;
    // Calls batch_end even after an error, because otherwise the device would continue to count.
    struct error unheard;
    bool ran = run_to_end(run->batches[batch], run->timeout_ns, err);
    return slots->batch_end(set, batch, ran ? err : &unheard) && ran;
}

static bool run_pass(struct gpu_counter_set *set, const struct gpu_counter_run *run, bool *more,
                     struct error *err)
{
    const struct gpu_counting *slots = set->counters->device->backend->counting;
    if (slots->pass_begin && !slots->pass_begin(set, err))
        return false;
    bool ran = true;
    for (size_t i = 0; ran && i < run->count; i++)
        ran = run_batch(set, run, i, err);
    // Calls pass_end even after an error, because otherwise the backend's pass would stay open.
    struct error unheard;
    return slots->pass_end(set, more, ran ? err : &unheard) && ran;
}

static bool run_passes(struct gpu_counter_set *set, const struct gpu_counter_run *run,
                       struct error *err)
{
    bool more = true;
    for (unsigned pass = 0; more; pass++) {
        if (pass == PASSES_MAX)
            return error_set(err, ERROR_INTERNAL, "the counters want more than %d passes",
                             PASSES_MAX);
        if (!run_pass(set, run, &more, err))
            return false;
    }
    return true;
}

static bool read_values(struct gpu_counter_set *set, double *values, struct error *err)
{
    for (size_t i = 0; i < set->batches; i++)
        if (!set->counters->device->backend->counting->set_read(set, i, &values[i * set->count],
                                                                err))
            return false;
    return true;
}

static bool run_set(struct gpu_counter_set *set, const struct gpu_counter_run *run, double *values,
                    struct error *err)
{
    const struct gpu_counting *slots = set->counters->device->backend->counting;
    set->batches = run->count;
    if (!slots->set_begin(set, err))
        return false;
    set->done = run_passes(set, run, err) && read_values(set, values, err);
    slots->set_end(set);
    return set->done;
}

bool gpu_counter_set_run(struct gpu_counter_set *set, const struct gpu_counter_run *run,
                         double *values, struct error *err)
{
    struct gpu_device *device = set->counters->device;
    if (!gpu_device_check(device, err))
        return false;
    bool kept = set->counters->kept;
    bool done = gpu_device_note(device, run_set(set, run, values, err), err);
    if (!done && kept && err && err->code == ERROR_UNSUPPORTED)
        done = gpu_device_note(device, run_set(set, run, values, err), err);
    for (size_t i = 0; done && i < run->count * set->count; i++)
        values[i] *= set->factors[i % set->count];
    return done;
}
