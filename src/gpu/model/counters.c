// SPDX-License-Identifier: MIT
// Hardware counters of a simulated device: loads that each level has served, and bytes of streams.
// The first level counts as L1 and the next as L2; a single level with "shared": "chip" is the L2.
// If the L2 is the near half of a cache, the next level is the far half.
#include "gpu/model/backend.h"

#include <string.h>

struct set {
    struct gpu_counter_set base;
    const enum gpu_counter *which;
    // before[b][c] and after[b][c] are the values of counter c before and after batch b runs
    double before[GPU_COUNTER_BATCHES_MAX][GPU_COUNTER_COUNT];
    double after[GPU_COUNTER_BATCHES_MAX][GPU_COUNTER_COUNT];
};

static const struct gpu_counter_source sources[GPU_COUNTER_COUNT] = {
    [GPU_COUNTER_DRAM_READ] = {"dram_read", 1},   [GPU_COUNTER_DRAM_WRITTEN] = {"dram_written", 1},
    [GPU_COUNTER_L2_READ] = {"l2_read", 1},       [GPU_COUNTER_L2_READ_HIT] = {"l2_read_hit", 1},
    [GPU_COUNTER_L2_FAR_HIT] = {"l2_far_hit", 1}, [GPU_COUNTER_L2_WRITTEN] = {"l2_written", 1},
    [GPU_COUNTER_L1_READ] = {"l1_read", 1},       [GPU_COUNTER_L1_READ_HIT] = {"l1_read_hit", 1},
    [GPU_COUNTER_L1_WRITTEN] = {"l1_written", 1}, [GPU_COUNTER_L1_REQUESTS] = {"l1_requests", 1},
};

// ---------------------------------------------------------------- what is counted

// Returns the index of the level that counts as L2; level_count if the device has only an L1.
static uint32_t l2_of(const struct model_machine *machine)
{
    bool has_l1 = machine->level_count > 1 || machine->levels[0].sharers != 0;
    return has_l1 ? 1 : 0;
}

// Returns the index of the level that is the far half of the L2; level_count + 1 if no level is.
static uint32_t far_of(const struct model_machine *machine)
{
    uint32_t l2 = l2_of(machine), count = machine->level_count;
    return l2 < count && machine->levels[l2].is_near ? l2 + 1 : count + 1;
}

void model_count_streams(struct model_device *device, const struct model_execution *execution)
{
    uint32_t l2 = l2_of(&device->machine), level = execution->stream_level;
    double *streamed = device->streamed;
    for (size_t i = 0; i < execution->stream_count; i++) {
        const struct model_stream *stream = &execution->streams[i];
        double bytes = (double)stream->groups * (double)stream->group_bytes;
        bool writes = stream->writes != 0;
        if (l2 == 1 && !stream->past_core)
            streamed[writes ? GPU_COUNTER_L1_WRITTEN : GPU_COUNTER_L1_READ] += bytes;
        if (l2 == 1 && level == 0 && !writes)
            streamed[GPU_COUNTER_L1_READ_HIT] += bytes;
        if (level >= l2)
            streamed[writes ? GPU_COUNTER_L2_WRITTEN : GPU_COUNTER_L2_READ] += bytes;
        if (level == l2 && !writes)
            streamed[GPU_COUNTER_L2_READ_HIT] += bytes;
        if (level == far_of(&device->machine) && !writes)
            streamed[GPU_COUNTER_L2_FAR_HIT] += bytes;
        if (level == device->machine.level_count)
            streamed[writes ? GPU_COUNTER_DRAM_WRITTEN : GPU_COUNTER_DRAM_READ] += bytes;
    }
}

// Sets now[c] to the present value of counter c, for all counters. A simulated load counts as one
// sector at each level that it reaches. DRAM has the sector size of the last level; all other
// levels have the sector size of the first level.
static void count(const struct model_device *device, double now[GPU_COUNTER_COUNT])
{
    const struct model_machine *machine = &device->machine;
    const uint64_t *served = model_caches_served(device->caches);
    uint32_t l2 = l2_of(machine), last = machine->level_count;
    double past_l1 = 0;
    for (int i = 0; i < GPU_COUNTER_COUNT; i++)
        now[i] = device->streamed[i];
    for (uint32_t i = l2; i <= last; i++)
        past_l1 += (double)served[i];
    now[GPU_COUNTER_L1_REQUESTS] = past_l1 + (l2 == 1 ? (double)served[0] : 0);
    double sector = machine->levels[0].sector_bytes;
    if (l2 == 1) {
        now[GPU_COUNTER_L1_READ] += ((double)served[0] + past_l1) * sector;
        now[GPU_COUNTER_L1_READ_HIT] += (double)served[0] * sector;
    }
    now[GPU_COUNTER_L2_READ] += past_l1 * sector;
    if (l2 < last)
        now[GPU_COUNTER_L2_READ_HIT] += (double)served[l2] * sector;
    if (far_of(machine) < last)
        now[GPU_COUNTER_L2_FAR_HIT] += (double)served[l2 + 1] * sector;
    now[GPU_COUNTER_DRAM_READ] += (double)served[last] * machine->levels[last - 1].sector_bytes;
}

// ---------------------------------------------------------------- the slots

static struct gpu_counters *counters_open(struct gpu_device *device, struct arena *arena,
                                          struct error *err)
{
    (void)err;
    struct gpu_counters *counters = ARENA_NEW(arena, struct gpu_counters);
    counters->device = device;
    counters->natives = ARENA_ARRAY(arena, GPU_COUNTER_COUNT, const char *);
    memcpy(counters->sources, sources, sizeof sources);
    for (int i = 0; i < GPU_COUNTER_COUNT; i++)
        if (sources[i].native)
            counters->natives[counters->native_count++] = sources[i].native;
    return counters;
}

static void counters_close(struct gpu_counters *counters)
{
    (void)counters; // nothing to free, because all memory is in the arena
}

static bool find_counter(const char *native, enum gpu_counter *which, struct error *err)
{
    for (int i = 0; i < GPU_COUNTER_COUNT; i++)
        if (sources[i].native && strcmp(sources[i].native, native) == 0) {
            *which = (enum gpu_counter)i;
            return true;
        }
    return error_set(err, ERROR_UNSUPPORTED, "a model has no counter %s", native);
}

static enum gpu_counter_unit native_unit(const struct gpu_counters *counters, const char *native)
{
    (void)counters;
    enum gpu_counter which;
    return find_counter(native, &which, NULL) ? gpu_counter_info(which)->unit : GPU_COUNTER_EVENTS;
}

static struct gpu_counter_set *set_create(struct gpu_counters *base,
                                          const struct gpu_counter_source *asked, size_t count,
                                          struct error *err)
{
    struct set *set = ARENA_NEW(base->arena, struct set);
    enum gpu_counter *which = ARENA_ARRAY(base->arena, count, enum gpu_counter);
    for (size_t i = 0; i < count; i++)
        if (!find_counter(asked[i].native, &which[i], err))
            return NULL;
    set->which = which;
    set->base.passes = 1;
    return &set->base;
}

static const struct model_device *device_of(const struct gpu_counter_set *set)
{
    return (const struct model_device *)set->counters->device;
}

static bool set_begin(struct gpu_counter_set *set, struct error *err)
{
    (void)set, (void)err;
    return true;
}

static bool batch_begin(struct gpu_counter_set *set, size_t batch, struct error *err)
{
    (void)err;
    count(device_of(set), ((struct set *)set)->before[batch]);
    return true;
}

static bool batch_end(struct gpu_counter_set *set, size_t batch, struct error *err)
{
    (void)err;
    count(device_of(set), ((struct set *)set)->after[batch]);
    return true;
}

static bool pass_end(struct gpu_counter_set *set, bool *more, struct error *err)
{
    (void)set, (void)err;
    *more = false;
    return true;
}

static bool set_read(struct gpu_counter_set *base, size_t batch, double *values, struct error *err)
{
    (void)err;
    const struct set *set = (const struct set *)base;
    for (size_t i = 0; i < base->count; i++)
        values[i] = set->after[batch][set->which[i]] - set->before[batch][set->which[i]];
    return true;
}

static void set_end(struct gpu_counter_set *set)
{
    (void)set;
}

const struct gpu_counting model_counting = {
    .open = counters_open,
    .close = counters_close,
    .native_unit = native_unit,
    .set_create = set_create,
    .set_begin = set_begin,
    .batch_begin = batch_begin,
    .batch_end = batch_end,
    .pass_end = pass_end,
    .set_read = set_read,
    .set_end = set_end,
};
