// SPDX-License-Identifier: MIT
#include "counters_layer.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PER_PASS = 3, // counters that one pass reads
    RECORDINGS_MAX = 4096,
    SET_MAX = 16
};

// What a command buffer records.
struct work {
    double dispatches, groups;
    unsigned commands;
};

// ---------------------------------------------------------------- counters

// Counters of each storage type. The first five have the names, units and descriptions of RADV's.
static const struct offered {
    const char *name, *category, *description;
    VkPerformanceCounterUnitKHR unit;
    VkPerformanceCounterStorageKHR storage;
    double each_group, each_dispatch, always; // parts of the value
} offered[] = {
#define UNIT(name)    VK_PERFORMANCE_COUNTER_UNIT_##name##_KHR
#define STORAGE(name) VK_PERFORMANCE_COUNTER_STORAGE_##name##_KHR
    {"VRAM read size", "Memory", "Number of bytes read from VRAM", UNIT(BYTES), STORAGE(FLOAT64),
     1000, 0, 0},
    {"VRAM write size", "Memory", "Number of bytes written to VRAM", UNIT(BYTES), STORAGE(UINT64),
     500, 0, 0},
    {"Instructions", "Shaders", "Number of Instructions executed", UNIT(GENERIC), STORAGE(INT64),
     100, 0, 0},
    {"VMEM Load Instructions", "Shaders", "Number of VMEM load instructions executed",
     UNIT(GENERIC), STORAGE(UINT32), 10, 0, 0},
    {"L2 cache hit ratio", "Memory", "Hit ratio of L2 cache", UNIT(BYTES), STORAGE(FLOAT32), 0, 0,
     87.5},
    {"Owed dispatches", "Test", "Dispatches, negative", UNIT(GENERIC), STORAGE(INT32), 0, -1, 0},
    {"GPU Time Elapsed", "GPU", "Time elapsed on the GPU", UNIT(NANOSECONDS), STORAGE(UINT64), 1, 0,
     0},
    {"Groups", "Test", "Workgroups", UNIT(GENERIC), STORAGE(UINT64), 1, 0, 0},
    {"Groups", "Test again", "Workgroups", UNIT(GENERIC), STORAGE(UINT64), 1, 0, 0},
#undef UNIT
#undef STORAGE
};

static uint32_t number_of(const char *setting, uint32_t otherwise)
{
    const char *text = getenv(setting);
    return text ? (uint32_t)strtoul(text, NULL, 10) : otherwise;
}

static bool is_failing(const char *call)
{
    const char *text = getenv("FATHOM_LAYER_FAIL");
    return text && strcmp(text, call) == 0;
}

static uint32_t passes_of(uint32_t counters)
{
    return number_of("FATHOM_LAYER_PASSES", (counters + PER_PASS - 1) / PER_PASS);
}

static VkPerformanceCounterResultKHR stored(const struct offered *counter, const struct work *work)
{
    double value = counter->each_group * work->groups + counter->each_dispatch * work->dispatches +
                   counter->always;
    VkPerformanceCounterResultKHR result = {.uint64 = UINT64_MAX}; // unused bytes are not 0
    if (counter->storage == VK_PERFORMANCE_COUNTER_STORAGE_INT32_KHR)
        result.int32 = (int32_t)value;
    if (counter->storage == VK_PERFORMANCE_COUNTER_STORAGE_INT64_KHR)
        result.int64 = (int64_t)value;
    if (counter->storage == VK_PERFORMANCE_COUNTER_STORAGE_UINT32_KHR)
        result.uint32 = (uint32_t)value;
    if (counter->storage == VK_PERFORMANCE_COUNTER_STORAGE_UINT64_KHR)
        result.uint64 = (uint64_t)value;
    if (counter->storage == VK_PERFORMANCE_COUNTER_STORAGE_FLOAT32_KHR)
        result.float32 = (float)value;
    if (counter->storage == VK_PERFORMANCE_COUNTER_STORAGE_FLOAT64_KHR)
        result.float64 = value;
    return result;
}

// ---------------------------------------------------------------- state

struct queries {
    struct queries *older;
    uint32_t counters[SET_MAX], count;
    VkPerformanceCounterResultKHR results[SET_MAX];
    uint32_t passes_done; // bit i: pass i was submitted
    bool reset;
};

static struct recording {
    VkCommandBuffer commands; // NULL: a free place
    VkCommandPool pool;
    struct work work;
    struct queries *queries; // NULL: no query
    bool begun_locked, ended;
} recordings[RECORDINGS_MAX];

static struct queries *all_queries;
static bool locked;

#define NEXT_CALLS(X)                                                                              \
    X(AllocateCommandBuffers)                                                                      \
    X(BeginCommandBuffer)                                                                          \
    X(CmdBeginQuery)                                                                               \
    X(CmdDispatch)                                                                                 \
    X(CmdEndQuery)                                                                                 \
    X(CmdExecuteCommands)                                                                          \
    X(CreateQueryPool)                                                                             \
    X(DestroyCommandPool)                                                                          \
    X(DestroyDevice)                                                                               \
    X(DestroyQueryPool)                                                                            \
    X(FreeCommandBuffers)                                                                          \
    X(GetQueryPoolResults)                                                                         \
    X(QueueSubmit2)                                                                                \
    X(ResetCommandPool)                                                                            \
    X(ResetQueryPool)

static struct {
#define X(name) PFN_vk##name name;
    NEXT_CALLS(X)
#undef X
} next;

static void complain(const char *what)
{
    const char *path = getenv("FATHOM_LAYER_LOG");
    FILE *file = path ? fopen(path, "a") : NULL;
    if (!file)
        return;
    fprintf(file, "%s\n", what);
    fclose(file);
}

static void check(bool holds, const char *what)
{
    if (!holds)
        complain(what);
}

static struct recording *recording_of(VkCommandBuffer commands)
{
    static struct recording nobody;
    for (size_t i = 0; i < RECORDINGS_MAX; i++)
        if (recordings[i].commands == commands)
            return &recordings[i];
    complain("a command buffer that the layer does not know");
    return &nobody;
}

// Returns the pool of performance queries behind the handle; NULL if it is of another type.
static struct queries *queries_of(VkQueryPool pool)
{
    struct queries *queries = all_queries;
    while (queries && (VkQueryPool)(uintptr_t)queries != pool)
        queries = queries->older;
    return queries;
}

static void forget(struct recording *recording)
{
    *recording = (struct recording){.commands = recording->commands, .pool = recording->pool};
}

// ---------------------------------------------------------------- calls of the extension

static VKAPI_ATTR VkResult VKAPI_CALL enumerate_counters(VkPhysicalDevice device, uint32_t family,
                                                         uint32_t *count,
                                                         VkPerformanceCounterKHR *counters,
                                                         VkPerformanceCounterDescriptionKHR *texts)
{
    (void)device, (void)family;
    uint32_t there = number_of("FATHOM_LAYER_COUNTERS", sizeof offered / sizeof *offered);
    if (is_failing("vkEnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR"))
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    if (!counters && !texts) {
        *count = there;
        return VK_SUCCESS;
    }
    VkResult result = *count < there ? VK_INCOMPLETE : VK_SUCCESS;
    *count = *count < there ? *count : there;
    for (uint32_t i = 0; i < *count; i++) {
        counters[i].unit = offered[i].unit;
        counters[i].scope = VK_PERFORMANCE_COUNTER_SCOPE_COMMAND_BUFFER_KHR;
        counters[i].storage = offered[i].storage;
        snprintf(texts[i].name, sizeof texts[i].name, "%s", offered[i].name);
        snprintf(texts[i].category, sizeof texts[i].category, "%s", offered[i].category);
        snprintf(texts[i].description, sizeof texts[i].description, "%s", offered[i].description);
    }
    return result;
}

static VKAPI_ATTR void VKAPI_CALL get_passes(VkPhysicalDevice device,
                                             const VkQueryPoolPerformanceCreateInfoKHR *info,
                                             uint32_t *passes)
{
    (void)device;
    *passes = passes_of(info->counterIndexCount);
}

static VKAPI_ATTR VkResult VKAPI_CALL acquire_lock(VkDevice device,
                                                   const VkAcquireProfilingLockInfoKHR *info)
{
    (void)device, (void)info;
    const char *setting = getenv("FATHOM_LAYER_LOCK");
    check(!locked, "the lock is acquired twice");
    if (setting && strcmp(setting, "no") == 0)
        return VK_TIMEOUT;
    locked = true;
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL release_lock(VkDevice device)
{
    (void)device;
    check(locked, "a lock is released that is not held");
    locked = false;
    for (size_t i = 0; i < RECORDINGS_MAX; i++)
        check(!recordings[i].queries, "the lock is released before a recorded query is reset");
}

// ---------------------------------------------------------------- query pools

static const void *find_struct(const void *chain, VkStructureType type)
{
    const VkBaseInStructure *at = chain;
    while (at && at->sType != type)
        at = at->pNext;
    return at;
}

static VKAPI_ATTR VkResult VKAPI_CALL layer_CreateQueryPool(VkDevice device,
                                                            const VkQueryPoolCreateInfo *info,
                                                            const VkAllocationCallbacks *allocator,
                                                            VkQueryPool *pool)
{
    if (info->queryType != VK_QUERY_TYPE_PERFORMANCE_QUERY_KHR)
        return next.CreateQueryPool(device, info, allocator, pool);
    if (is_failing("vkCreateQueryPool"))
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    const VkQueryPoolPerformanceCreateInfoKHR *which =
        find_struct(info->pNext, VK_STRUCTURE_TYPE_QUERY_POOL_PERFORMANCE_CREATE_INFO_KHR);
    struct queries *queries = calloc(1, sizeof *queries);
    if (!queries || !which || which->counterIndexCount > SET_MAX)
        abort();
    queries->count = which->counterIndexCount;
    memcpy(queries->counters, which->pCounterIndices, queries->count * sizeof(uint32_t));
    queries->older = all_queries;
    all_queries = queries;
    *pool = (VkQueryPool)(uintptr_t)queries;
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL layer_DestroyQueryPool(VkDevice device, VkQueryPool pool,
                                                         const VkAllocationCallbacks *allocator)
{
    struct queries *queries = queries_of(pool), **link = &all_queries;
    if (!queries) {
        next.DestroyQueryPool(device, pool, allocator);
        return;
    }
    while (*link != queries)
        link = &(*link)->older;
    *link = queries->older;
    free(queries);
}

static VKAPI_ATTR void VKAPI_CALL layer_ResetQueryPool(VkDevice device, VkQueryPool pool,
                                                       uint32_t first, uint32_t count)
{
    struct queries *queries = queries_of(pool);
    if (!queries) {
        next.ResetQueryPool(device, pool, first, count);
        return;
    }
    queries->reset = true;
    queries->passes_done = 0;
}

static VKAPI_ATTR VkResult VKAPI_CALL layer_GetQueryPoolResults(VkDevice device, VkQueryPool pool,
                                                                uint32_t first, uint32_t count,
                                                                size_t bytes, void *data,
                                                                VkDeviceSize stride,
                                                                VkQueryResultFlags flags)
{
    const struct queries *queries = queries_of(pool);
    if (!queries)
        return next.GetQueryPoolResults(device, pool, first, count, bytes, data, stride, flags);
    if (is_failing("vkGetQueryPoolResults"))
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    size_t needed = queries->count * sizeof *queries->results;
    check(bytes >= needed && stride >= needed && flags == 0, "results are asked for wrongly");
    if (queries->passes_done != (1U << passes_of(queries->count)) - 1)
        return VK_NOT_READY;
    memcpy(data, queries->results, needed);
    return VK_SUCCESS;
}

// ---------------------------------------------------------------- command buffers

static VKAPI_ATTR VkResult VKAPI_CALL layer_AllocateCommandBuffers(
    VkDevice device, const VkCommandBufferAllocateInfo *info, VkCommandBuffer *commands)
{
    VkResult result = next.AllocateCommandBuffers(device, info, commands);
    for (uint32_t i = 0; result == VK_SUCCESS && i < info->commandBufferCount; i++)
        *recording_of(NULL) =
            (struct recording){.commands = commands[i], .pool = info->commandPool};
    return result;
}

static VKAPI_ATTR void VKAPI_CALL layer_FreeCommandBuffers(VkDevice device, VkCommandPool pool,
                                                           uint32_t count,
                                                           const VkCommandBuffer *commands)
{
    for (uint32_t i = 0; i < count; i++)
        *recording_of(commands[i]) = (struct recording){0};
    next.FreeCommandBuffers(device, pool, count, commands);
}

static void leave_pool(VkCommandPool pool, bool for_good)
{
    for (size_t i = 0; i < RECORDINGS_MAX; i++)
        if (recordings[i].commands && recordings[i].pool == pool) {
            forget(&recordings[i]);
            if (for_good)
                recordings[i].commands = NULL;
        }
}

static VKAPI_ATTR VkResult VKAPI_CALL layer_ResetCommandPool(VkDevice device, VkCommandPool pool,
                                                             VkCommandPoolResetFlags flags)
{
    leave_pool(pool, false);
    return next.ResetCommandPool(device, pool, flags);
}

static VKAPI_ATTR void VKAPI_CALL layer_DestroyCommandPool(VkDevice device, VkCommandPool pool,
                                                           const VkAllocationCallbacks *allocator)
{
    leave_pool(pool, true);
    next.DestroyCommandPool(device, pool, allocator);
}

static VKAPI_ATTR VkResult VKAPI_CALL layer_BeginCommandBuffer(VkCommandBuffer commands,
                                                               const VkCommandBufferBeginInfo *info)
{
    struct recording *recording = recording_of(commands);
    forget(recording);
    recording->begun_locked = locked;
    return next.BeginCommandBuffer(commands, info);
}

static void add_work(VkCommandBuffer commands, const struct work *more)
{
    struct recording *recording = recording_of(commands);
    check(!recording->ended, "a command follows the end of the query");
    recording->work.dispatches += more->dispatches;
    recording->work.groups += more->groups;
    recording->work.commands++;
}

static VKAPI_ATTR void VKAPI_CALL layer_CmdDispatch(VkCommandBuffer commands, uint32_t x,
                                                    uint32_t y, uint32_t z)
{
    add_work(commands, &(struct work){.dispatches = 1, .groups = (double)x * y * z});
    next.CmdDispatch(commands, x, y, z);
}

static VKAPI_ATTR void VKAPI_CALL layer_CmdExecuteCommands(VkCommandBuffer commands, uint32_t count,
                                                           const VkCommandBuffer *others)
{
    for (uint32_t i = 0; i < count; i++)
        add_work(commands, &recording_of(others[i])->work);
    next.CmdExecuteCommands(commands, count, others);
}

static VKAPI_ATTR void VKAPI_CALL layer_CmdBeginQuery(VkCommandBuffer commands, VkQueryPool pool,
                                                      uint32_t query, VkQueryControlFlags flags)
{
    struct queries *queries = queries_of(pool);
    struct recording *recording = recording_of(commands);
    if (!queries) {
        next.CmdBeginQuery(commands, pool, query, flags);
        return;
    }
    check(recording->begun_locked, "a query is recorded without the lock");
    check(recording->work.commands == 0, "a command precedes the query");
    check(!recording->queries, "a second query in one command buffer");
    recording->queries = queries;
}

static VKAPI_ATTR void VKAPI_CALL layer_CmdEndQuery(VkCommandBuffer commands, VkQueryPool pool,
                                                    uint32_t query)
{
    struct recording *recording = recording_of(commands);
    if (!queries_of(pool)) {
        next.CmdEndQuery(commands, pool, query);
        return;
    }
    check(recording->queries == queries_of(pool), "a query ends that has not begun");
    recording->ended = true;
}

// ---------------------------------------------------------------- submission

static void count(const struct recording *recording, const VkPerformanceQuerySubmitInfoKHR *info)
{
    struct queries *queries = recording->queries;
    uint32_t pass = info ? info->counterPassIndex : 0;
    check(locked, "a query is submitted without the lock");
    check(pass < passes_of(queries->count), "a pass is submitted that the set does not have");
    check(queries->reset, "a query is submitted that was not reset");
    check(!(queries->passes_done >> pass & 1), "a pass is submitted twice");
    queries->passes_done |= 1U << pass;
    for (uint32_t i = 0; i < queries->count; i++)
        if (i / PER_PASS == pass)
            queries->results[i] = stored(&offered[queries->counters[i]], &recording->work);
}

static VKAPI_ATTR VkResult VKAPI_CALL layer_QueueSubmit2(VkQueue queue, uint32_t submits,
                                                         const VkSubmitInfo2 *infos, VkFence fence)
{
    for (uint32_t i = 0; i < submits; i++)
        for (uint32_t c = 0; c < infos[i].commandBufferInfoCount; c++) {
            const VkPerformanceQuerySubmitInfoKHR *info =
                find_struct(infos[i].pNext, VK_STRUCTURE_TYPE_PERFORMANCE_QUERY_SUBMIT_INFO_KHR);
            const struct recording *recording =
                recording_of(infos[i].pCommandBufferInfos[c].commandBuffer);
            check(!info || recording->queries, "a pass is submitted without a query");
            if (recording->queries)
                count(recording, info);
        }
    return next.QueueSubmit2(queue, submits, infos, fence);
}

static VKAPI_ATTR void VKAPI_CALL layer_DestroyDevice(VkDevice device,
                                                      const VkAllocationCallbacks *allocator)
{
    check(!locked, "the device is destroyed with the lock held");
    check(!all_queries, "the device is destroyed before its queries");
    next.DestroyDevice(device, allocator);
}

// ---------------------------------------------------------------- for counters_layer.c

PFN_vkVoidFunction counters_instance_call(const char *name)
{
    if (strcmp(name, "vkEnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR") == 0)
        return (PFN_vkVoidFunction)enumerate_counters;
    if (strcmp(name, "vkGetPhysicalDeviceQueueFamilyPerformanceQueryPassesKHR") == 0)
        return (PFN_vkVoidFunction)get_passes;
    return NULL;
}

PFN_vkVoidFunction counters_device_call(const char *name)
{
    if (strcmp(name, "vkAcquireProfilingLockKHR") == 0)
        return (PFN_vkVoidFunction)acquire_lock;
    if (strcmp(name, "vkReleaseProfilingLockKHR") == 0)
        return (PFN_vkVoidFunction)release_lock;
#define X(call)                                                                                    \
    if (strcmp(name, "vk" #call) == 0)                                                             \
        return (PFN_vkVoidFunction)layer_##call;
    NEXT_CALLS(X)
#undef X
    return NULL;
}

void counters_use_device(VkDevice device, PFN_vkGetDeviceProcAddr proc)
{
#define X(name) next.name = (PFN_vk##name)proc(device, "vk" #name);
    NEXT_CALLS(X)
#undef X
}
