// SPDX-License-Identifier: MIT
// A double of libcupti.so.13: counts the kernels that the double of libcuda runs in a range. Value
// of counter number i of a set: (i + 1) × 100 for each kernel. It checks the size of every struct
// and the order of calls. Set by environment variables, read at each call:
//
//   FAKE_CUPTI_FAIL_CALL    number of the call that fails, from 1; none by default
//   FAKE_CUPTI_FAIL_RESULT  with which CUptiResult (999)
//   FAKE_CUPTI_PASSES       passes that a set needs (1). A pass counts every counter whose number
//                           divided by the number of passes leaves the number of the pass
//   FAKE_CUPTI_NEWER        1: a later library, whose structs have another member at their end, and
//                           which takes both sizes
//   FAKE_CUPTI_DENIED       1: the user may not read counters
//   FAKE_CUPTI_NO_VALUES    1: no counter has a value; 2: the values are not written
//   FAKE_CUPTI_FIRST_SET    1: a profiler knows only the set that is configured first
//
// and written at each call: FAKE_CUPTI_CALLS, their number; FAKE_CUPTI_OPEN, how many host objects
// and profilers are open; FAKE_CUPTI_MISUSE, the function that was called with a wrong size or in a
// wrong order.
#include "gpu/counters.h"
#include "gpu/cuda/cupti.h"

#include "doubles/world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NAMES_MAX = 64,
    CONFIG_BYTES = 32,
    DATA_BYTES = 48,
    MISUSED = 15
};

struct cupti_host {
    const char *names[NAMES_MAX];
    size_t count;
};

struct cupti_range {
    bool configured, started, pushed;
};

static struct {
    int calls, open;
    bool initialized;
    struct cupti_range range;
    bool enabled;
    size_t counters;       // of the configured set
    size_t first_counters; // of the set that the profiler began with
    int pass, began;
    size_t pushed; // ranges that were pushed in this pass
    double values[GPU_COUNTER_BATCHES_MAX][NAMES_MAX];
    bool decoded;
} world;

static const char *counter_names[] = {"dram__bytes_read",
                                      "dram__bytes_write",
                                      "lts__t_sectors_srcunit_tex_op_read",
                                      "lts__t_sectors_srcunit_tex_op_write",
                                      "smsp__inst_executed",
                                      "smsp__warps_issue_stalled_long_scoreboard",
                                      "vendor__only"};
static const char *ratio_names[] = {
    "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active"};

static void put(const char *name, int value)
{
    char text[16];
    snprintf(text, sizeof text, "%d", value);
    setenv(name, text, 1);
}

static int misuse(const char *function)
{
    setenv("FAKE_CUPTI_MISUSE", function, 1);
    return MISUSED;
}

static void open_objects(int change)
{
    world.open += change;
    put("FAKE_CUPTI_OPEN", world.open);
}

// Counts the call, and checks the size that it passes.
static int enter(const char *function, const struct cupti_head *head, size_t size)
{
    bool newer = fake_setting("FAKE_CUPTI_NEWER", 0) && head->size == size + sizeof(void *);
    put("FAKE_CUPTI_CALLS", ++world.calls);
    if (world.calls == fake_setting("FAKE_CUPTI_FAIL_CALL", 0))
        return fake_setting("FAKE_CUPTI_FAIL_RESULT", 999);
    if ((head->size != size && !newer) || head->reserved)
        return misuse(function);
    return CUPTI_SUCCESS;
}

#define ENTER(size)                                                                                \
    do {                                                                                           \
        int result_ = enter(__func__, &params->head, size);                                        \
        if (result_ != CUPTI_SUCCESS)                                                              \
            return result_;                                                                        \
    } while (0)

#define X(name, type) int name(struct type *params);
CUPTI_FUNCTIONS(X)
#undef X
int cuptiGetResultString(int result, const char **text);

int cuptiGetResultString(int result, const char **text)
{
    *text = result == 999 ? "CUPTI_ERROR_UNKNOWN" : "CUPTI_ERROR_FAKE";
    return CUPTI_SUCCESS;
}

// ---------------------------------------------------------------- the library and its host objects

int cuptiProfilerInitialize(struct cupti_initialize *params)
{
    ENTER(16);
    world.initialized = true;
    return CUPTI_SUCCESS;
}

int cuptiProfilerDeInitialize(struct cupti_initialize *params)
{
    ENTER(16);
    world.initialized = false;
    return CUPTI_SUCCESS;
}

int cuptiDeviceGetChipName(struct cupti_chip_name *params)
{
    ENTER(32);
    params->name = "fake100";
    return CUPTI_SUCCESS;
}

int cuptiProfilerGetCounterAvailability(struct cupti_availability *params)
{
    ENTER(40);
    if (!world.initialized || !params->context)
        return misuse(__func__);
    if (fake_setting("FAKE_CUPTI_DENIED", 0))
        return CUPTI_INSUFFICIENT_PRIVILEGES;
    if (!params->image)
        params->image_bytes = 8;
    else
        memcpy(params->image, "fakeable", 8);
    return CUPTI_SUCCESS;
}

int cuptiProfilerHostInitialize(struct cupti_host_initialize *params)
{
    ENTER(48);
    if (strcmp(params->chip, "fake100") != 0 || memcmp(params->availability, "fakeable", 8) != 0 ||
        params->type != CUPTI_RANGE_PROFILER)
        return misuse(__func__);
    params->host = calloc(1, sizeof *params->host);
    open_objects(1);
    return params->host ? CUPTI_SUCCESS : CUPTI_NOT_SUPPORTED;
}

// The object is freed even if the call then reports an error, as in a real library.
int cuptiProfilerHostDeinitialize(struct cupti_host_only *params)
{
    free(params->host);
    open_objects(-1);
    ENTER(24);
    return CUPTI_SUCCESS;
}

int cuptiProfilerHostGetBaseMetrics(struct cupti_base_metrics *params)
{
    ENTER(48);
    bool ratios = params->type == CUPTI_METRIC_RATIO;
    params->names = ratios ? ratio_names : counter_names;
    params->count = ratios ? COUNT(ratio_names) : COUNT(counter_names);
    return CUPTI_SUCCESS;
}

int cuptiProfilerHostConfigAddMetrics(struct cupti_add_metrics *params)
{
    ENTER(40);
    for (size_t i = 0; i < params->count; i++) {
        bool is_ratio = strncmp(params->names[i], ratio_names[0], strlen(ratio_names[0])) == 0;
        if (!strstr(params->names[i], is_ratio ? ".ratio" : ".sum"))
            return misuse(__func__);
        params->host->names[params->host->count++] = params->names[i];
    }
    return CUPTI_SUCCESS;
}

int cuptiProfilerHostGetConfigImageSize(struct cupti_config_size *params)
{
    ENTER(32);
    params->bytes = CONFIG_BYTES;
    return CUPTI_SUCCESS;
}

int cuptiProfilerHostGetConfigImage(struct cupti_config *params)
{
    ENTER(40);
    if (params->bytes != CONFIG_BYTES)
        return misuse(__func__);
    memset(params->image, 0, CONFIG_BYTES);
    memcpy(params->image, &params->host->count, sizeof params->host->count);
    return CUPTI_SUCCESS;
}

int cuptiProfilerHostGetNumOfPasses(struct cupti_passes *params)
{
    ENTER(40);
    params->passes = (size_t)fake_setting("FAKE_CUPTI_PASSES", 1);
    return params->bytes == CONFIG_BYTES ? CUPTI_SUCCESS : misuse(__func__);
}

static bool has_values(void)
{
    return !fake_setting("FAKE_CUPTI_NO_VALUES", 0) &&
           (!fake_setting("FAKE_CUPTI_FIRST_SET", 0) || world.first_counters == world.counters);
}

int cuptiProfilerHostEvaluateToGpuValues(struct cupti_evaluate *params)
{
    ENTER(72);
    if (!world.decoded || params->count != params->host->count || params->range >= world.pushed ||
        params->data_bytes != DATA_BYTES)
        return misuse(__func__);
    for (size_t i = 0; i < params->count; i++) {
        if (strcmp(params->names[i], params->host->names[i]) != 0)
            return misuse(__func__);
        if (fake_setting("FAKE_CUPTI_NO_VALUES", 0) == 2)
            continue;
        params->values[i] = has_values() ? world.values[params->range][i] : NAN;
    }
    return CUPTI_SUCCESS;
}

// ---------------------------------------------------------------- the profiler of the device

int cuptiRangeProfilerEnable(struct cupti_enable *params)
{
    ENTER(32);
    if (world.enabled || !world.initialized || !params->context)
        return misuse(__func__);
    world.enabled = true;
    world.range = (struct cupti_range){false, false, false};
    world.first_counters = 0;
    params->range = &world.range;
    open_objects(1);
    return CUPTI_SUCCESS;
}

int cuptiRangeProfilerDisable(struct cupti_range_only *params)
{
    if (!world.enabled || params->range != &world.range)
        return misuse(__func__);
    world.enabled = false;
    open_objects(-1);
    ENTER(24);
    return CUPTI_SUCCESS;
}

int cuptiRangeProfilerGetCounterDataSize(struct cupti_data_size *params)
{
    ENTER(64);
    if (params->ranges_max != GPU_COUNTER_BATCHES_MAX || params->nodes_max < params->ranges_max ||
        params->count == 0)
        return misuse(__func__);
    params->bytes = DATA_BYTES;
    return CUPTI_SUCCESS;
}

int cuptiRangeProfilerCounterDataImageInitialize(struct cupti_data *params)
{
    ENTER(40);
    memset(params->image, 0, DATA_BYTES);
    return params->bytes == DATA_BYTES ? CUPTI_SUCCESS : misuse(__func__);
}

int cuptiRangeProfilerSetConfig(struct cupti_set_config *params)
{
    ENTER(90);
    if (params->range_mode != CUPTI_USER_RANGE || params->replay_mode != CUPTI_USER_REPLAY ||
        params->levels != 1 || params->first_level != 1 || params->pass != 0 ||
        params->ranges_max != GPU_COUNTER_BATCHES_MAX || params->config_bytes != CONFIG_BYTES ||
        params->data_bytes != DATA_BYTES)
        return misuse(__func__);
    memcpy(&world.counters, params->config, sizeof world.counters);
    if (world.first_counters == 0)
        world.first_counters = world.counters;
    world.range.configured = true;
    world.pass = 0;
    world.decoded = false;
    return CUPTI_SUCCESS;
}

int cuptiRangeProfilerStart(struct cupti_range_only *params)
{
    ENTER(24);
    if (!params->range->configured || params->range->started)
        return misuse(__func__);
    params->range->started = true;
    world.pushed = 0;
    return CUPTI_SUCCESS;
}

int cuptiRangeProfilerPushRange(struct cupti_push *params)
{
    ENTER(32);
    if (!params->range->started || params->range->pushed || !params->name ||
        world.pushed == GPU_COUNTER_BATCHES_MAX)
        return misuse(__func__);
    params->range->pushed = true;
    world.pushed++;
    world.began = fake_launches();
    return CUPTI_SUCCESS;
}

// The range ends even if the call then reports an error.
int cuptiRangeProfilerPopRange(struct cupti_range_only *params)
{
    bool pushed = params->range->pushed;
    params->range->pushed = false;
    ENTER(24);
    if (!pushed)
        return misuse(__func__);
    int passes = fake_setting("FAKE_CUPTI_PASSES", 1), launches = fake_launches() - world.began;
    for (int i = 0; i < (int)world.counters; i++)
        if (i % passes == world.pass)
            world.values[world.pushed - 1][i] = (i + 1) * 100.0 * launches;
    return CUPTI_SUCCESS;
}

int cuptiRangeProfilerStop(struct cupti_stop *params)
{
    ENTER(41);
    if (!params->range->started || params->range->pushed)
        return misuse(__func__);
    params->range->started = false;
    world.pass++;
    params->pass = (size_t)world.pass;
    params->all_passes = world.pass >= fake_setting("FAKE_CUPTI_PASSES", 1);
    return CUPTI_SUCCESS;
}

int cuptiRangeProfilerDecodeData(struct cupti_decode *params)
{
    ENTER(32);
    if (params->range->started || world.pass < fake_setting("FAKE_CUPTI_PASSES", 1))
        return misuse(__func__);
    params->dropped = 0;
    world.decoded = true;
    return CUPTI_SUCCESS;
}

int cuptiRangeProfilerGetCounterDataInfo(struct cupti_data_info *params)
{
    ENTER(40);
    params->ranges = world.pushed;
    return CUPTI_SUCCESS;
}
