// SPDX-License-Identifier: MIT
// Hardware counters through CUPTI, NVIDIA's profiling library, which is loaded when counters are
// opened. The first run of a set creates the device's profiler, which takes tenths of a second;
// later runs of the set use it again. The profiler is closed if another set runs, or if a run
// fails.
#include "gpu/cuda/cuda.h"
#include "gpu/cuda/cupti.h"

#include <math.h>
#include <string.h>

enum {
    SECTOR_BYTES = 32,
    SUBGROUP_THREADS = 32
};

struct counters {
    struct gpu_counters base;
    struct cuda_device *device;
    struct cupti_api api;
    bool initialized;
    const char *chip;
    // data from CUPTI that says which counters can be read; learn_availability() sets it
    const uint8_t *availability;
    size_t native_capacity;    // capacity of the array base.natives, in elements
    struct set *sets;          // list of all counter sets, which begins with the newest
    struct cupti_range *range; // CUPTI's range profiler; NULL if none is open
    const struct set *own;     // the counter set for which the profiler `range` was created
};

struct set {
    struct gpu_counter_set base;
    struct set *older;
    struct cupti_host *host;
    const char **names;
    uint8_t *config, *data;
    size_t config_bytes, data_bytes;
};

#define CALL(counters, name, params)                                                               \
    cupti_check(&(counters)->api, (counters)->api.name(params), #name, err)

// ---------------------------------------------------------------- names

// The native counters (metrics of Nsight Compute) for GPU_COUNTERS. Of several rows for one
// counter, the first row is used whose native counter the chip has. `factor` converts sectors to
// bytes.
static const struct native {
    enum gpu_counter counter;
    const char *name;
    double factor;
} natives[] = {
    {GPU_COUNTER_DRAM_READ, "dram__bytes_read.sum", 1},
    {GPU_COUNTER_DRAM_READ, "dram__sectors_read.sum", SECTOR_BYTES},
    {GPU_COUNTER_DRAM_WRITTEN, "dram__bytes_write.sum", 1},
    {GPU_COUNTER_DRAM_WRITTEN, "dram__sectors_write.sum", SECTOR_BYTES},
    {GPU_COUNTER_L2_READ, "lts__t_sectors_srcunit_tex_op_read.sum", SECTOR_BYTES},
    {GPU_COUNTER_L2_READ_HIT, "lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum", SECTOR_BYTES},
    {GPU_COUNTER_L2_FAR_HIT, "lts__t_sectors_srcunit_ltcfabric_op_read_lookup_hit.sum",
     SECTOR_BYTES},
    {GPU_COUNTER_L2_WRITTEN, "lts__t_sectors_srcunit_tex_op_write.sum", SECTOR_BYTES},
    {GPU_COUNTER_L2_FAR, "lts__t_sectors_srcunit_ltcfabric.sum", SECTOR_BYTES},
    {GPU_COUNTER_L1_READ, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", SECTOR_BYTES},
    {GPU_COUNTER_L1_READ_HIT, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
     SECTOR_BYTES},
    {GPU_COUNTER_L1_READ_MISS, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss.sum",
     SECTOR_BYTES},
    {GPU_COUNTER_L1_WRITTEN, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", SECTOR_BYTES},
    {GPU_COUNTER_L1_REQUESTS, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", 1},
    {GPU_COUNTER_L1_DATA, "l1tex__data_pipe_lsu_wavefronts.sum", 1},
    {GPU_COUNTER_LOAD_RETURNS, "l1tex__lsu_writeback_active.sum", 1},
    {GPU_COUNTER_TEXTURE_FILTER, "l1tex__f_wavefronts.sum", 1},
    {GPU_COUNTER_TEXTURE_RETURNS, "l1tex__tex_writeback_active.sum", 1},
    {GPU_COUNTER_TEXTURE_READ, "l1tex__t_sectors_pipe_tex_mem_texture.sum", SECTOR_BYTES},
    {GPU_COUNTER_SHARED_WAVEFRONTS, "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", 1},
    {GPU_COUNTER_SHARED_CONFLICTS, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", 1},
    {GPU_COUNTER_INSTRUCTIONS, "smsp__inst_executed.sum", 1},
    {GPU_COUNTER_INSTRUCTIONS, "sm__inst_executed.sum", 1},
    // sass_thread counters count threads, but the instruction counters of GPU_COUNTERS count
    // subgroups
    {GPU_COUNTER_INSTRUCTIONS_FP32, "smsp__sass_thread_inst_executed_op_fp32_pred_on.sum",
     1.0 / SUBGROUP_THREADS},
    {GPU_COUNTER_INSTRUCTIONS_FP32, "sm__sass_thread_inst_executed_op_fp32_pred_on.sum",
     1.0 / SUBGROUP_THREADS},
    {GPU_COUNTER_INSTRUCTIONS_FMA, "smsp__inst_executed_pipe_fma.sum", 1},
    {GPU_COUNTER_INSTRUCTIONS_FMA, "sm__inst_executed_pipe_fma.sum", 1},
    {GPU_COUNTER_INSTRUCTIONS_FP64, "smsp__sass_thread_inst_executed_op_fp64_pred_on.sum",
     1.0 / SUBGROUP_THREADS},
    {GPU_COUNTER_INSTRUCTIONS_FP64, "smsp__inst_executed_pipe_fp64.sum", 1},
    {GPU_COUNTER_INSTRUCTIONS_FP64, "sm__inst_executed_pipe_fp64.sum", 1},
    // FP16 instructions run in the FP32 units and in the matrix units. The first of these rows
    // counts the instructions in both; each later row counts the instructions in one kind of unit.
    {GPU_COUNTER_INSTRUCTIONS_FP16, "smsp__sass_thread_inst_executed_op_fp16_pred_on.sum",
     1.0 / SUBGROUP_THREADS},
    {GPU_COUNTER_INSTRUCTIONS_FP16, "smsp__inst_executed_pipe_fma_type_fp16.sum", 1},
    {GPU_COUNTER_INSTRUCTIONS_FP16, "smsp__inst_executed_pipe_fp16.sum", 1},
    {GPU_COUNTER_INSTRUCTIONS_FP16, "sm__inst_executed_pipe_fp16.sum", 1},
    {GPU_COUNTER_INSTRUCTIONS_INT, "smsp__inst_executed_pipe_alu.sum", 1},
    {GPU_COUNTER_INSTRUCTIONS_INT, "sm__inst_executed_pipe_alu.sum", 1},
    {GPU_COUNTER_INSTRUCTIONS_MATRIX, "sm__inst_executed_pipe_tensor.sum", 1},
    {GPU_COUNTER_INSTRUCTIONS_MATRIX, "smsp__inst_executed_pipe_tensor.sum", 1},
    {GPU_COUNTER_INSTRUCTIONS_MEMORY, "smsp__inst_executed_pipe_lsu.sum", 1},
    {GPU_COUNTER_INSTRUCTIONS_MEMORY, "sm__inst_executed_pipe_lsu.sum", 1},
    {GPU_COUNTER_INSTRUCTIONS_TEXTURE, "smsp__inst_executed_pipe_tex.sum", 1},
    {GPU_COUNTER_INSTRUCTIONS_TEXTURE, "sm__inst_executed_pipe_tex.sum", 1},
    {GPU_COUNTER_ACTIVE_CYCLES, "sm__cycles_active.sum", 1},
    {GPU_COUNTER_RESIDENT_CYCLES, "sm__warps_active.sum", 1},
    {GPU_COUNTER_RESIDENT_CYCLES, "smsp__warps_active.sum", 1},
    {GPU_COUNTER_ISSUE_SLOTS, "smsp__issue_active.sum", 1},
    {GPU_COUNTER_STALL_MEMORY, "smsp__warps_issue_stalled_long_scoreboard.sum", 1},
    {GPU_COUNTER_STALL_SHARED, "smsp__warps_issue_stalled_short_scoreboard.sum", 1},
    {GPU_COUNTER_STALL_QUEUE, "smsp__warps_issue_stalled_lg_throttle.sum", 1},
    {GPU_COUNTER_STALL_UNITS, "smsp__warps_issue_stalled_math_pipe_throttle.sum", 1},
    {GPU_COUNTER_STALL_BARRIER, "smsp__warps_issue_stalled_barrier.sum", 1},
    {GPU_COUNTER_STALL_FETCH, "smsp__warps_issue_stalled_no_instruction.sum", 1},
};

// Returns true if the device has the native counter `name`. `name` may have any suffix, which
// begins at its first dot. The name of a ratio must have a suffix.
static bool has_native(const struct counters *counters, const char *name)
{
    size_t bytes = strcspn(name, ".");
    for (size_t i = 0; i < counters->base.native_count; i++) {
        const char *native = counters->base.natives[i];
        if (strcspn(native, ".") == bytes && strncmp(native, name, bytes) == 0 &&
            (name[bytes] == '.' || native[bytes] == '\0'))
            return true;
    }
    return false;
}

static void find_sources(struct counters *counters)
{
    for (size_t i = 0; i < COUNT(natives); i++) {
        struct gpu_counter_source *source = &counters->base.sources[natives[i].counter];
        if (!source->native && has_native(counters, natives[i].name))
            *source = (struct gpu_counter_source){natives[i].name, natives[i].factor};
    }
}

// ---------------------------------------------------------------- host objects

static struct cupti_host *open_host(const struct counters *counters, struct error *err)
{
    struct cupti_host_initialize params = {CUPTI_HEAD(cupti_host_initialize, host),
                                           .type = CUPTI_RANGE_PROFILER, .chip = counters->chip,
                                           .availability = counters->availability};
    return CALL(counters, cuptiProfilerHostInitialize, &params) ? params.host : NULL;
}

static void close_host(const struct counters *counters, struct cupti_host *host)
{
    struct cupti_host_only params = {CUPTI_HEAD(cupti_host_only, host), .host = host};
    if (host)
        counters->api.cuptiProfilerHostDeinitialize(&params);
}

// Copies the names of CUPTI's metrics of one type, because CUPTI may free its names with the host
// object. The name of a ratio gets a suffix, because a ratio has no sum.
static bool add_natives(struct counters *counters, struct cupti_host *host, int type,
                        struct error *err)
{
    struct cupti_base_metrics params = {CUPTI_HEAD(cupti_base_metrics, count), .host = host,
                                        .type = type};
    struct gpu_counters *base = &counters->base;
    if (!CALL(counters, cuptiProfilerHostGetBaseMetrics, &params))
        return false;
    for (size_t i = 0; i < params.count; i++) {
        base->natives = arena_grow(base->arena, base->natives, base->native_count,
                                   &counters->native_capacity, sizeof *base->natives);
        base->natives[base->native_count++] = arena_printf(
            base->arena, type == CUPTI_METRIC_RATIO ? "%s.ratio" : "%s", params.names[i]);
    }
    return true;
}

static bool list_natives(struct counters *counters, struct error *err)
{
    struct cupti_host *host = open_host(counters, err);
    bool listed = host && add_natives(counters, host, CUPTI_METRIC_COUNTER, err) &&
                  add_natives(counters, host, CUPTI_METRIC_RATIO, err);
    close_host(counters, host);
    return listed;
}

// ---------------------------------------------------------------- opening

// Asks which counters this user can read. If the user can read no counters, this is the first CUPTI
// call that fails.
static bool learn_availability(struct counters *counters, struct error *err)
{
    struct cupti_availability params = {CUPTI_HEAD(cupti_availability, image),
                                        .context = counters->device->context};
    if (!CALL(counters, cuptiProfilerGetCounterAvailability, &params))
        return false;
    params.image = ARENA_ARRAY(counters->base.arena, params.image_bytes, uint8_t);
    counters->availability = params.image;
    return CALL(counters, cuptiProfilerGetCounterAvailability, &params);
}

static bool open_library(struct counters *counters, struct error *err)
{
    struct cupti_initialize params = {.head = {.size = sizeof params}};
    struct cupti_chip_name chip = {CUPTI_HEAD(cupti_chip_name, name),
                                   .device = (size_t)counters->device->device};
    if (!cupti_load(counters->base.arena, &counters->api, err) ||
        !CALL(counters, cuptiProfilerInitialize, &params))
        return false;
    counters->initialized = true;
    if (!CALL(counters, cuptiDeviceGetChipName, &chip))
        return false;
    counters->chip = arena_strdup(counters->base.arena, chip.name);
    return true;
}

static void end_profiler(struct counters *counters)
{
    struct cupti_range_only params = {CUPTI_HEAD(cupti_range_only, range),
                                      .range = counters->range};
    if (counters->range)
        counters->api.cuptiRangeProfilerDisable(&params);
    counters->range = NULL;
    counters->own = NULL;
    counters->base.kept = false;
}

static void counters_close(struct gpu_counters *base)
{
    struct counters *counters = (struct counters *)base;
    struct cupti_initialize params = {.head = {.size = sizeof params}};
    end_profiler(counters);
    for (struct set *set = counters->sets; set; set = set->older)
        close_host(counters, set->host);
    if (counters->initialized)
        counters->api.cuptiProfilerDeInitialize(&params);
}

static struct gpu_counters *counters_open(struct gpu_device *device, struct arena *arena,
                                          struct error *err)
{
    struct counters *counters = ARENA_NEW(arena, struct counters);
    counters->base = (struct gpu_counters){.device = device, .arena = arena};
    counters->device = (struct cuda_device *)device;
    if (cuda_enter(counters->device, err) && open_library(counters, err) &&
        learn_availability(counters, err) && list_natives(counters, err)) {
        find_sources(counters);
        return &counters->base;
    }
    counters_close(&counters->base);
    return NULL;
}

static enum gpu_counter_unit native_unit(const struct gpu_counters *counters, const char *native)
{
    (void)counters;
    return strstr(native, ".ratio") || strstr(native, ".pct") ? GPU_COUNTER_RATIO
                                                              : GPU_COUNTER_EVENTS;
}

// ---------------------------------------------------------------- sets

static bool make_config(struct counters *counters, struct set *set, struct error *err)
{
    struct cupti_add_metrics add = {CUPTI_HEAD(cupti_add_metrics, count), .host = set->host,
                                    .names = set->names, .count = set->base.count};
    struct cupti_config_size size = {CUPTI_HEAD(cupti_config_size, bytes), .host = set->host};
    if (!CALL(counters, cuptiProfilerHostConfigAddMetrics, &add))
        return set->base.count == 1 &&
               error_prefix(err,
                            "cannot count %.128s (after its name a counter takes .sum, .avg, "
                            ".min or .max, a ratio .ratio, .pct or .max_rate)",
                            set->names[0]);
    if (!CALL(counters, cuptiProfilerHostGetConfigImageSize, &size))
        return false;
    set->config_bytes = size.bytes;
    set->config = ARENA_ARRAY(counters->base.arena, size.bytes, uint8_t);
    struct cupti_config config = {CUPTI_HEAD(cupti_config, image), .host = set->host,
                                  .bytes = size.bytes, .image = set->config};
    struct cupti_passes passes = {CUPTI_HEAD(cupti_passes, passes), .bytes = size.bytes,
                                  .image = set->config};
    if (!CALL(counters, cuptiProfilerHostGetConfigImage, &config) ||
        !CALL(counters, cuptiProfilerHostGetNumOfPasses, &passes))
        return false;
    set->base.passes = (unsigned)passes.passes;
    return true;
}

static struct gpu_counter_set *set_create(struct gpu_counters *base,
                                          const struct gpu_counter_source *sources, size_t count,
                                          struct error *err)
{
    struct counters *counters = (struct counters *)base;
    struct set *set = ARENA_NEW(base->arena, struct set);
    set->base.count = count;
    set->names = ARENA_ARRAY(base->arena, count, const char *);
    for (size_t i = 0; i < count; i++) {
        if (!has_native(counters, sources[i].native)) {
            error_set(err, ERROR_UNSUPPORTED,
                      "the device has no counter %.128s: `fathom devices --counters --json` "
                      "lists them",
                      sources[i].native);
            return NULL;
        }
        // The default suffix adds up all hardware units.
        set->names[i] = arena_printf(base->arena, "%s%s", sources[i].native,
                                     strchr(sources[i].native, '.') ? "" : ".sum");
    }
    set->host = open_host(counters, err);
    set->older = counters->sets;
    counters->sets = set;
    if (set->host && make_config(counters, set, err))
        return &set->base;
    // CUPTI does not say which metric it refuses, so this loop asks for each metric alone.
    for (size_t i = 0; count > 1 && i < count && set_create(base, &sources[i], 1, err);)
        i++;
    return NULL;
}

// ---------------------------------------------------------------- counting

static struct counters *counters_of(const struct gpu_counter_set *set)
{
    return (struct counters *)set->counters;
}

// Prepares the memory for the values. Asks CUPTI for its size only if the profiler is new, because
// the answer takes long.
static bool prepare_data(struct counters *counters, struct set *set, struct error *err)
{
    struct cupti_data_size size = {CUPTI_HEAD(cupti_data_size, bytes),
                                   .range = counters->range,
                                   .names = set->names,
                                   .count = set->base.count,
                                   .ranges_max = GPU_COUNTER_BATCHES_MAX,
                                   .nodes_max = GPU_COUNTER_BATCHES_MAX};
    if (counters->own != set) {
        if (!CALL(counters, cuptiRangeProfilerGetCounterDataSize, &size))
            return false;
        if (!set->data || set->data_bytes != size.bytes)
            set->data = ARENA_ARRAY(counters->base.arena, size.bytes, uint8_t);
        set->data_bytes = size.bytes;
        counters->own = set;
    }
    struct cupti_data data = {CUPTI_HEAD(cupti_data, image), .range = counters->range,
                              .bytes = set->data_bytes, .image = set->data};
    struct cupti_set_config config = {CUPTI_HEAD(cupti_set_config, target_level),
                                      .range = counters->range,
                                      .config_bytes = set->config_bytes,
                                      .config = set->config,
                                      .data_bytes = set->data_bytes,
                                      .data = set->data,
                                      .range_mode = CUPTI_USER_RANGE,
                                      .replay_mode = CUPTI_USER_REPLAY,
                                      .ranges_max = GPU_COUNTER_BATCHES_MAX,
                                      .levels = 1,
                                      .first_level = 1,
                                      .target_level = 1};
    return CALL(counters, cuptiRangeProfilerCounterDataImageInitialize, &data) &&
           CALL(counters, cuptiRangeProfilerSetConfig, &config);
}

static bool begin_profiler(struct counters *counters, struct error *err)
{
    struct cupti_enable params = {CUPTI_HEAD(cupti_enable, range),
                                  .context = counters->device->context};
    if (counters->range)
        return true;
    if (!CALL(counters, cuptiRangeProfilerEnable, &params))
        return false;
    counters->range = params.range;
    return true;
}

static void set_end(struct gpu_counter_set *base)
{
    struct counters *counters = counters_of(base);
    counters->base.kept = base->done;
    if (!base->done)
        end_profiler(counters);
}

static bool set_begin(struct gpu_counter_set *base, struct error *err)
{
    struct counters *counters = counters_of(base);
    struct set *set = (struct set *)base;
    if (counters->own != set)
        end_profiler(counters);
    if (cuda_enter(counters->device, err) && begin_profiler(counters, err) &&
        prepare_data(counters, set, err))
        return true;
    end_profiler(counters);
    return false;
}

static bool pass_begin(struct gpu_counter_set *base, struct error *err)
{
    struct counters *counters = counters_of(base);
    struct cupti_range_only start = {CUPTI_HEAD(cupti_range_only, range), .range = counters->range};
    return CALL(counters, cuptiRangeProfilerStart, &start);
}

// Begins the range in which a batch is counted. CUPTI numbers ranges in the order in which they
// begin.
static bool batch_begin(struct gpu_counter_set *base, size_t batch, struct error *err)
{
    static const char *const names[GPU_COUNTER_BATCHES_MAX] = {"first", "second"};
    struct counters *counters = counters_of(base);
    struct cupti_push push = {CUPTI_HEAD(cupti_push, name), .range = counters->range,
                              .name = names[batch]};
    return CALL(counters, cuptiRangeProfilerPushRange, &push);
}

static bool batch_end(struct gpu_counter_set *base, size_t batch, struct error *err)
{
    (void)batch;
    struct counters *counters = counters_of(base);
    struct cupti_range_only pop = {CUPTI_HEAD(cupti_range_only, range), .range = counters->range};
    return CALL(counters, cuptiRangeProfilerPopRange, &pop);
}

static bool pass_end(struct gpu_counter_set *base, bool *more, struct error *err)
{
    struct counters *counters = counters_of(base);
    struct cupti_stop stop = {CUPTI_HEAD(cupti_stop, all_passes), .range = counters->range};
    if (!CALL(counters, cuptiRangeProfilerStop, &stop))
        return false;
    *more = !stop.all_passes;
    return true;
}

// Fails if no value is finite. Then CUPTI could not read the counters, although its functions
// succeeded.
static bool check_values(const struct set *set, const double *values, struct error *err)
{
    for (size_t i = 0; i < set->base.count; i++)
        if (isfinite(values[i]))
            return true;
    return error_set(err, ERROR_UNSUPPORTED,
                     "hardware counters: the library has no value of %s and %zu others",
                     set->names[0], set->base.count - 1);
}

// Makes CUPTI decode the counter values. Fails unless it counted exactly one range for each batch.
static bool decode(struct counters *counters, const struct set *set, struct error *err)
{
    struct cupti_decode decode = {CUPTI_HEAD(cupti_decode, dropped), .range = counters->range};
    struct cupti_data_info info = {CUPTI_HEAD(cupti_data_info, ranges), .data = set->data,
                                   .data_bytes = set->data_bytes};
    if (!CALL(counters, cuptiRangeProfilerDecodeData, &decode) ||
        !CALL(counters, cuptiRangeProfilerGetCounterDataInfo, &info))
        return false;
    return (decode.dropped == 0 && info.ranges == set->base.batches) ||
           error_set(err, ERROR_UNSUPPORTED,
                     "hardware counters: the library counted %zu ranges and dropped %zu",
                     info.ranges, decode.dropped);
}

static bool set_read(struct gpu_counter_set *base, size_t batch, double *values, struct error *err)
{
    struct counters *counters = counters_of(base);
    struct set *set = (struct set *)base;
    struct cupti_evaluate evaluate = {CUPTI_HEAD(cupti_evaluate, values),
                                      .host = set->host,
                                      .data = set->data,
                                      .data_bytes = set->data_bytes,
                                      .range = batch,
                                      .names = set->names,
                                      .count = base->count,
                                      .values = values};
    for (size_t i = 0; i < base->count; i++)
        values[i] = (double)NAN; // stays if the library does not write the value
    return (batch > 0 || decode(counters, set, err)) &&
           CALL(counters, cuptiProfilerHostEvaluateToGpuValues, &evaluate) &&
           check_values(set, values, err);
}

const struct gpu_counting cuda_counting = {
    .open = counters_open,
    .close = counters_close,
    .native_unit = native_unit,
    .set_create = set_create,
    .set_begin = set_begin,
    .pass_begin = pass_begin,
    .batch_begin = batch_begin,
    .batch_end = batch_end,
    .pass_end = pass_end,
    .set_read = set_read,
    .set_end = set_end,
};
