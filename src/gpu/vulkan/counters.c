// SPDX-License-Identifier: MIT
// Hardware counters through VK_KHR_performance_query. A query must be in the command buffer whose
// work it counts, but counter sets are not known when a batch is recorded. So while counters are
// open, a batch is a secondary command buffer. A counter set has a primary command buffer, which
// executes the batch within a query; each pass submits it. The driver's profiling lock is held
// while a set runs, and for a moment when counters are opened.
#include "base/text.h"
#include "gpu/vulkan/api.h"

#include <string.h>

struct native {
    const char *name;
    const char *description;
    VkPerformanceCounterUnitKHR unit;
    VkPerformanceCounterStorageKHR storage;
    bool time; // true if the counter measures a time; fathom does not list such counters
};

struct counters {
    struct gpu_counters base;
    struct vulkan_device *device;
    uint32_t family; // Vulkan's index of the queue family that has these counters
    // all native counters, in the order of Vulkan's indices
    struct native *all;
    uint32_t count;                  // number of elements of `all`
    struct vulkan_counter_set *sets; // list of all counter sets, which begins with the newest
};

struct vulkan_counter_set {
    struct gpu_counter_set base;
    struct vulkan_counter_set *older;
    // Vulkan's indices of the counters in the set. Each index occurs only once, even if the set
    // names a counter twice.
    uint32_t *indices;
    uint32_t index_count;
    uint32_t *places; // places[i] is the index in `indices` of counter i of the set
    VkCommandPool pool;
    // A counted batch of a run, with the query that counts it and the command buffer of this query.
    struct counted_batch {
        VkQueryPool queries;
        VkCommandBuffer commands; // command buffer with the query; NULL until it is recorded
        const struct vulkan_batch *recorded; // the batch that `commands` executes
        VkCommandBufferSubmitInfo commands_info;
        // submission of the counted batch; it points to commands_info and to the set's `pass`
        VkSubmitInfo2 submit;
    } batches[GPU_COUNTER_BATCHES_MAX];
    struct counted_batch *now; // element of `batches` for the batch that is counted at present
    VkPerformanceQuerySubmitInfoKHR pass;
    VkPerformanceCounterResultKHR *results;
};

enum {
    // maximum number of native counters that a driver may list
    NATIVES_MAX = 16384
};
// A value that results have before the driver writes them.
static const uint64_t unwritten = UINT64_C(0xa5a5a5a5a5a5a5a5);

// ---------------------------------------------------------------- names

// Counters of Mesa's drivers for GPU_COUNTERS. For each counter, the first row is used whose name
// and unit equal the driver's and whose text is part of the driver's description. Sources: RADV's
// radv_perfcounter.c; for Intel the metric sets in src/intel/perf. Turnip's counters have no units.
static const struct known {
    enum gpu_counter counter;
    const char *name;
    VkPerformanceCounterUnitKHR unit;
    const char *description;
    double factor;
} known[] = {
#define BYTES   VK_PERFORMANCE_COUNTER_UNIT_BYTES_KHR
#define GENERIC VK_PERFORMANCE_COUNTER_UNIT_GENERIC_KHR
    {GPU_COUNTER_DRAM_READ, "VRAM read size", BYTES, "", 1},
    {GPU_COUNTER_DRAM_READ, "GPU Memory Byte Read", BYTES, "", 1},
    {GPU_COUNTER_DRAM_READ, "GTI Read Throughput", BYTES, "bytes read", 1},
    {GPU_COUNTER_DRAM_WRITTEN, "VRAM write size", BYTES, "", 1},
    {GPU_COUNTER_DRAM_WRITTEN, "GPU Memory Byte Write", BYTES, "", 1},
    {GPU_COUNTER_DRAM_WRITTEN, "GTI Write Throughput", BYTES, "bytes written", 1},
    {GPU_COUNTER_L2_READ, "L3 Read", GENERIC, "64B read requests", 64},
    {GPU_COUNTER_L2_WRITTEN, "L3 Write", GENERIC, "64B write requests", 64},
    {GPU_COUNTER_L1_READ, "Load Store Cache Byte Read", BYTES, "", 1},
    {GPU_COUNTER_L1_WRITTEN, "Load Store Cache Byte Write", BYTES, "", 1},
    {GPU_COUNTER_L1_REQUESTS, "VMEM Load Instructions", GENERIC, "", 1},
    {GPU_COUNTER_INSTRUCTIONS, "Instructions", GENERIC, "", 1},
#undef BYTES
#undef GENERIC
};

static bool is_known(const struct native *native, const struct known *as)
{
    return strcmp(native->name, as->name) == 0 && native->unit == as->unit &&
           text_contains(native->description, as->description);
}

static const struct native *find_native(const struct counters *counters, const char *name)
{
    for (uint32_t i = 0; i < counters->count; i++)
        if (!counters->all[i].time && strcmp(counters->all[i].name, name) == 0)
            return &counters->all[i];
    return NULL;
}

static void find_sources(struct counters *counters)
{
    for (size_t k = 0; k < COUNT(known); k++) {
        const struct native *native = find_native(counters, known[k].name);
        struct gpu_counter_source *source = &counters->base.sources[known[k].counter];
        if (!source->native && native && is_known(native, &known[k]))
            *source = (struct gpu_counter_source){native->name, known[k].factor};
    }
}

// Returns the unit. Bytes, cycles and events are sums; all other values are averages (also RADV's
// ratios, which RADV reports as bytes).
static enum gpu_counter_unit unit_of(const struct native *native)
{
    if (text_contains(native->name, "ratio"))
        return GPU_COUNTER_RATIO;
    if (native->unit == VK_PERFORMANCE_COUNTER_UNIT_BYTES_KHR)
        return GPU_COUNTER_BYTES;
    if (native->unit == VK_PERFORMANCE_COUNTER_UNIT_CYCLES_KHR)
        return GPU_COUNTER_CYCLES;
    return native->unit == VK_PERFORMANCE_COUNTER_UNIT_GENERIC_KHR ? GPU_COUNTER_EVENTS
                                                                   : GPU_COUNTER_RATIO;
}

static enum gpu_counter_unit native_unit(const struct gpu_counters *base, const char *name)
{
    const struct native *native = find_native((const struct counters *)base, name);
    return native ? unit_of(native) : GPU_COUNTER_EVENTS;
}

// ---------------------------------------------------------------- opening

static bool refuse_extension(const struct gpu_info *info, struct error *err)
{
    const char *advice = "";
    if (info->vendor_id == GPU_VENDOR_NVIDIA)
        advice = ": NVIDIA's counters are read through CUDA (-d cuda)";
    else if (info->vendor_id == GPU_VENDOR_AMD)
        advice = ": Mesa's RADV has it for RDNA 2, new versions also for RDNA 3";
    else if (info->vendor_id == GPU_VENDOR_INTEL)
        advice = ": Mesa's ANV has it if the kernel offers its counters (i915 or xe)";
    else if (strcmp(info->vendor, "Qualcomm") == 0)
        advice = ": Mesa's Turnip has it if TU_DEBUG=perfc is set";
    return error_set(err, ERROR_UNSUPPORTED,
                     "hardware counters need the Vulkan extension VK_KHR_performance_query, which "
                     "the driver (%s) lacks%s",
                     info->driver, advice);
}

// Copies the driver's list of counters. A name that is already taken gets the counter's category as
// a prefix.
static void copy_natives(struct counters *counters, const VkPerformanceCounterKHR *told,
                         const VkPerformanceCounterDescriptionKHR *texts)
{
    struct arena *arena = counters->base.arena;
    for (uint32_t i = 0; i < counters->count; i++) {
        struct native *native = &counters->all[i];
        *native = (struct native){
            .name = text_printable(arena, texts[i].name, VK_MAX_DESCRIPTION_SIZE),
            .description = text_printable(arena, texts[i].description, VK_MAX_DESCRIPTION_SIZE),
            .unit = told[i].unit,
            .storage = told[i].storage,
            .time = told[i].unit == VK_PERFORMANCE_COUNTER_UNIT_NANOSECONDS_KHR};
        for (uint32_t before = 0; before < i; before++)
            if (strcmp(counters->all[before].name, native->name) == 0) {
                native->name =
                    arena_printf(arena, "%s/%s",
                                 text_printable(arena, texts[i].category, VK_MAX_DESCRIPTION_SIZE),
                                 native->name);
                break;
            }
        if (!native->time)
            counters->base.natives[counters->base.native_count++] = native->name;
    }
}

static bool list_natives(struct counters *counters, struct error *err)
{
    VkPhysicalDevice physical = counters->device->physical->handle;
    struct arena *arena = counters->base.arena;
    uint32_t count = 0;
    VkResult result = vkEnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR(
        physical, counters->family, &count, NULL, NULL);
    if (result == VK_SUCCESS && (count == 0 || count > NATIVES_MAX))
        return error_set(err, ERROR_UNSUPPORTED,
                         "the driver lists %u hardware counters for the first queue", count);
    const uint32_t room = count; // a driver may report more in the second call
    VkPerformanceCounterKHR *told = ARENA_ARRAY(arena, room, VkPerformanceCounterKHR);
    VkPerformanceCounterDescriptionKHR *texts =
        ARENA_ARRAY(arena, room, VkPerformanceCounterDescriptionKHR);
    for (uint32_t i = 0; i < room; i++) {
        told[i].sType = VK_STRUCTURE_TYPE_PERFORMANCE_COUNTER_KHR;
        texts[i].sType = VK_STRUCTURE_TYPE_PERFORMANCE_COUNTER_DESCRIPTION_KHR;
    }
    if (result == VK_SUCCESS)
        result = vkEnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR(
            physical, counters->family, &count, told, texts);
    if (result != VK_SUCCESS)
        return vulkan_error(err, result,
                            "vkEnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR");
    counters->count = count < room ? count : room;
    counters->all = ARENA_ARRAY(arena, room, struct native);
    counters->base.natives = ARENA_ARRAY(arena, room, const char *);
    copy_natives(counters, told, texts);
    return true;
}

static struct gpu_counters *counters_open(struct gpu_device *base, struct arena *arena,
                                          struct error *err)
{
    struct vulkan_device *device = (struct vulkan_device *)base;
    struct counters *counters = ARENA_NEW(arena, struct counters);
    *counters = (struct counters){.base = {.device = base, .arena = arena},
                                  .device = device,
                                  .family = device->queues[0].family};
    if (!device->physical->features.counters.performanceCounterQueryPools) {
        refuse_extension(device->info, err);
        return NULL;
    }
    // Takes the profiling lock for a moment, which fails if the user may not read counters.
    if (!list_natives(counters, err) || !vulkan_profiling_lock(device, err))
        return NULL;
    vulkan_profiling_unlock(device);
    find_sources(counters);
    device->counters_open = true;
    return &counters->base;
}

static void counters_close(struct gpu_counters *base)
{
    struct counters *counters = (struct counters *)base;
    const struct vulkan_device *device = counters->device;
    for (struct vulkan_counter_set *set = counters->sets; set; set = set->older) {
        if (base->device->hung)
            break;
        device->vk.vkDestroyCommandPool(device->handle, set->pool, NULL);
        for (size_t i = 0; i < GPU_COUNTER_BATCHES_MAX; i++)
            device->vk.vkDestroyQueryPool(device->handle, set->batches[i].queries, NULL);
    }
    counters->device->counters_open = false;
}

// ---------------------------------------------------------------- sets

static bool add_counter(const struct counters *counters, struct vulkan_counter_set *set, size_t at,
                        const char *name, struct error *err)
{
    const struct native *native = find_native(counters, name);
    if (!native)
        return error_set(err, ERROR_UNSUPPORTED,
                         "the device has no counter %.128s: `fathom devices --counters --json` "
                         "lists them",
                         name);
    uint32_t index = (uint32_t)(native - counters->all), place = 0;
    while (place < set->index_count && set->indices[place] != index)
        place++;
    if (place == set->index_count)
        set->indices[set->index_count++] = index;
    set->places[at] = place;
    return true;
}

static bool create_queries(const struct counters *counters, struct vulkan_counter_set *set,
                           struct error *err)
{
    const struct vulkan_device *device = counters->device;
    const VkQueryPoolPerformanceCreateInfoKHR which = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_PERFORMANCE_CREATE_INFO_KHR,
        .queueFamilyIndex = counters->family,
        .counterIndexCount = set->index_count,
        .pCounterIndices = set->indices};
    vkGetPhysicalDeviceQueueFamilyPerformanceQueryPassesKHR(device->physical->handle, &which,
                                                            &set->base.passes);
    if (set->base.passes == 0)
        return error_set(err, ERROR_UNSUPPORTED,
                         "the driver cannot read these %u counters together", set->index_count);
    const VkQueryPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                        .pNext = &which,
                                        .queryType = VK_QUERY_TYPE_PERFORMANCE_QUERY_KHR,
                                        .queryCount = 1};
    VkResult result = VK_SUCCESS;
    for (size_t i = 0; result == VK_SUCCESS && i < GPU_COUNTER_BATCHES_MAX; i++)
        result =
            device->vk.vkCreateQueryPool(device->handle, &info, NULL, &set->batches[i].queries);
    return result == VK_SUCCESS || vulkan_error(err, result, "counters: vkCreateQueryPool");
}

static bool create_pool(const struct counters *counters, struct vulkan_counter_set *set,
                        struct error *err)
{
    const struct vulkan_device *device = counters->device;
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                          .queueFamilyIndex = counters->family};
    VkResult result = device->vk.vkCreateCommandPool(device->handle, &pool, NULL, &set->pool);
    return result == VK_SUCCESS || vulkan_error(err, result, "counters: vkCreateCommandPool");
}

// Creates a set. If this fails, counters_close later destroys what was created.
static struct gpu_counter_set *set_create(struct gpu_counters *base,
                                          const struct gpu_counter_source *sources, size_t count,
                                          struct error *err)
{
    struct counters *counters = (struct counters *)base;
    struct vulkan_counter_set *set = ARENA_NEW(base->arena, struct vulkan_counter_set);
    set->indices = ARENA_ARRAY(base->arena, count, uint32_t);
    set->places = ARENA_ARRAY(base->arena, count, uint32_t);
    set->results = ARENA_ARRAY(base->arena, count, VkPerformanceCounterResultKHR);
    for (size_t i = 0; i < count; i++)
        if (!add_counter(counters, set, i, sources[i].native, err))
            return NULL;
    set->older = counters->sets;
    counters->sets = set;
    bool made = create_queries(counters, set, err) && create_pool(counters, set, err);
    return made ? &set->base : NULL;
}

// ---------------------------------------------------------------- counting

static struct counters *counters_of(const struct gpu_counter_set *set)
{
    return (struct counters *)set->counters;
}

static bool set_begin(struct gpu_counter_set *base, struct error *err)
{
    struct vulkan_counter_set *set = (struct vulkan_counter_set *)base;
    struct vulkan_device *device = counters_of(base)->device;
    if (!vulkan_profiling_lock(device, err))
        return false;
    for (size_t i = 0; i < base->batches; i++)
        device->vk.vkResetQueryPool(device->handle, set->batches[i].queries, 0, 1);
    set->pass = (VkPerformanceQuerySubmitInfoKHR){
        .sType = VK_STRUCTURE_TYPE_PERFORMANCE_QUERY_SUBMIT_INFO_KHR};
    return true;
}

// A command buffer with a query must not exist without the profiling lock.
static void set_end(struct gpu_counter_set *base)
{
    struct vulkan_counter_set *set = (struct vulkan_counter_set *)base;
    struct vulkan_device *device = counters_of(base)->device;
    if (device->base.hung)
        return;
    for (size_t i = 0; i < GPU_COUNTER_BATCHES_MAX; i++) {
        struct counted_batch *batch = &set->batches[i];
        if (batch->commands)
            device->vk.vkFreeCommandBuffers(device->handle, set->pool, 1, &batch->commands);
        batch->commands = VK_NULL_HANDLE;
    }
    vulkan_profiling_unlock(device);
}

static bool batch_begin(struct gpu_counter_set *base, size_t batch, struct error *err)
{
    (void)err;
    struct vulkan_counter_set *set = (struct vulkan_counter_set *)base;
    set->now = &set->batches[batch];
    counters_of(base)->device->counted = set;
    return true;
}

static bool batch_end(struct gpu_counter_set *base, size_t batch, struct error *err)
{
    (void)batch, (void)err;
    counters_of(base)->device->counted = NULL;
    return true;
}

static bool pass_end(struct gpu_counter_set *base, bool *more, struct error *err)
{
    (void)err;
    struct vulkan_counter_set *set = (struct vulkan_counter_set *)base;
    *more = ++set->pass.counterPassIndex < base->passes;
    return true;
}

static bool record(const struct vulkan_device *device, const struct vulkan_counter_set *set,
                   const struct vulkan_batch *batch, struct error *err)
{
    struct counted_batch *counted = set->now;
    const VkCommandBufferAllocateInfo commands = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = set->pool,
        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
        .commandBufferCount = 1};
    VkResult result =
        device->vk.vkAllocateCommandBuffers(device->handle, &commands, &counted->commands);
    if (result != VK_SUCCESS)
        return vulkan_error(err, result, "counters: vkAllocateCommandBuffers");
    counted->recorded = batch;
    counted->commands_info = (VkCommandBufferSubmitInfo){
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO, .commandBuffer = counted->commands};
    const VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    result = device->vk.vkBeginCommandBuffer(counted->commands, &info);
    if (result != VK_SUCCESS)
        return vulkan_error(err, result, "counters: vkBeginCommandBuffer");
    device->vk.vkCmdBeginQuery(counted->commands, counted->queries, 0, 0);
    device->vk.vkCmdExecuteCommands(counted->commands, 1, &batch->commands);
    device->vk.vkCmdEndQuery(counted->commands, counted->queries, 0);
    result = device->vk.vkEndCommandBuffer(counted->commands);
    return result == VK_SUCCESS || vulkan_error(err, result, "counters: vkEndCommandBuffer");
}

const VkSubmitInfo2 *vulkan_counted_submit(struct vulkan_counter_set *set,
                                           const struct vulkan_batch *batch, struct error *err)
{
    const struct counters *counters = counters_of(&set->base);
    struct counted_batch *counted = set->now;
    if (!batch->whole || batch->queue->family != counters->family) {
        error_set(err, ERROR_INTERNAL,
                  "a counted batch must be created after the counters were opened, for the "
                  "device's first queue");
        return NULL;
    }
    if (counted->commands && counted->recorded != batch) {
        error_set(err, ERROR_INTERNAL, "all passes of a run must count the same batches");
        return NULL;
    }
    if (!counted->commands && !record(counters->device, set, batch, err))
        return NULL;
    counted->submit = batch->submit;
    counted->submit.pNext = &set->pass;
    counted->submit.pCommandBufferInfos = &counted->commands_info;
    return &counted->submit;
}

static double value_of(const VkPerformanceCounterResultKHR *result,
                       VkPerformanceCounterStorageKHR storage)
{
    switch (storage) {
    case VK_PERFORMANCE_COUNTER_STORAGE_INT32_KHR:
        return result->int32;
    case VK_PERFORMANCE_COUNTER_STORAGE_INT64_KHR:
        return (double)result->int64;
    case VK_PERFORMANCE_COUNTER_STORAGE_UINT32_KHR:
        return result->uint32;
    case VK_PERFORMANCE_COUNTER_STORAGE_UINT64_KHR:
        return (double)result->uint64;
    case VK_PERFORMANCE_COUNTER_STORAGE_FLOAT32_KHR:
        return (double)result->float32;
    case VK_PERFORMANCE_COUNTER_STORAGE_FLOAT64_KHR:
    case VK_PERFORMANCE_COUNTER_STORAGE_MAX_ENUM_KHR:
        break;
    }
    return result->float64;
}

static bool set_read(struct gpu_counter_set *base, size_t batch, double *values, struct error *err)
{
    const struct vulkan_counter_set *set = (const struct vulkan_counter_set *)base;
    const struct counters *counters = counters_of(base);
    const struct vulkan_device *device = counters->device;
    size_t bytes = set->index_count * sizeof *set->results;
    for (uint32_t i = 0; i < set->index_count; i++)
        set->results[i].uint64 = unwritten;
    VkResult result = device->vk.vkGetQueryPoolResults(device->handle, set->batches[batch].queries,
                                                       0, 1, bytes, set->results, bytes, 0);
    if (result == VK_NOT_READY)
        return error_set(err, ERROR_UNSUPPORTED,
                         "the driver has no values of its hardware counters after %u passes",
                         base->passes);
    if (result != VK_SUCCESS)
        return vulkan_error(err, result, "counters: vkGetQueryPoolResults");
    for (size_t i = 0; i < base->count; i++) {
        uint32_t place = set->places[i];
        if (set->results[place].uint64 == unwritten)
            return error_set(err, ERROR_UNSUPPORTED,
                             "the driver wrote no value of its hardware counter %.128s",
                             counters->all[set->indices[place]].name);
        values[i] = value_of(&set->results[place], counters->all[set->indices[place]].storage);
    }
    return true;
}

const struct gpu_counting vulkan_counting = {
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
