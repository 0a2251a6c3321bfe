// SPDX-License-Identifier: MIT
// Opens and closes the logical device, gets its queues, and takes the driver's profiling lock.
#include "base/clock.h"
#include "gpu/vulkan/api.h"
#include "gpu/vulkan/functions.h"

#include <stdio.h>
#include <string.h>

// What vkCreateDevice needs for one queue family: the number of queues and their priorities.
struct family_plan {
    // global priority of the family's queues; Vulkan allows only one for a family
    enum gpu_priority priority;
    unsigned count;
    float priorities[GPU_QUEUES_MAX];
};

struct plan {
    struct family_plan families[GPU_FAMILIES_MAX];
    // family_of[i]: the family of queue i, as an index in gpu_info.families
    unsigned family_of[GPU_QUEUES_MAX];
    // index_of[i]: index of queue i within its family
    unsigned index_of[GPU_QUEUES_MAX];
};

static const struct {
    const char *name;
    VkQueueGlobalPriorityKHR global;
} priorities[] = {
    [GPU_PRIORITY_MEDIUM] = {"medium", VK_QUEUE_GLOBAL_PRIORITY_MEDIUM_KHR},
    [GPU_PRIORITY_LOW] = {"low", VK_QUEUE_GLOBAL_PRIORITY_LOW_KHR},
    [GPU_PRIORITY_HIGH] = {"high", VK_QUEUE_GLOBAL_PRIORITY_HIGH_KHR},
    [GPU_PRIORITY_REALTIME] = {"realtime", VK_QUEUE_GLOBAL_PRIORITY_REALTIME_KHR},
};

static bool has_room(const struct gpu_queue_family *family, const struct family_plan *plan,
                     const struct gpu_queue_request *request)
{
    return family->kind == request->kind && plan->count < family->count &&
           (plan->count == 0 || plan->priority == request->priority);
}

// Takes a queue of the first family that has room; a family with time stamps goes before one
// without, whose queues cannot be measured.
static bool plan_queue(const struct gpu_info *info, const struct gpu_queue_request *request,
                       struct plan *plan, unsigned number, struct error *err)
{
    unsigned chosen = info->family_count;
    for (unsigned f = 0; f < info->family_count; f++)
        if (has_room(&info->families[f], &plan->families[f], request) &&
            (chosen == info->family_count ||
             (info->families[f].stamp_bits && !info->families[chosen].stamp_bits)))
            chosen = f;
    if (chosen < info->family_count) {
        struct family_plan *family = &plan->families[chosen];
        plan->family_of[number] = chosen;
        plan->index_of[number] = family->count;
        family->priority = request->priority;
        family->priorities[family->count++] = 0.5f;
        return true;
    }
    return error_set(err, ERROR_UNSUPPORTED,
                     "%s: no queue left for request %u with %s priority (Vulkan gives one priority "
                     "to all queues of a family): ask for another kind of queue",
                     info->id, number, priorities[request->priority].name);
}

static bool plan_queues(const struct gpu_info *info, const struct gpu_device_desc *desc,
                        struct plan *plan, struct error *err)
{
    for (unsigned i = 0; i < desc->queue_count; i++)
        if (!plan_queue(info, &desc->queues[i], plan, i, err))
            return false;
    return true;
}

struct queue_infos {
    uint32_t count;
    VkDeviceQueueCreateInfo infos[GPU_FAMILIES_MAX];
    VkDeviceQueueGlobalPriorityCreateInfoKHR priorities[GPU_FAMILIES_MAX];
};

static void fill_queue_infos(struct vulkan_device *device, const struct plan *plan,
                             struct queue_infos *to)
{
    for (unsigned f = 0; f < device->info->family_count; f++) {
        const struct family_plan *family = &plan->families[f];
        if (family->count == 0)
            continue;
        VkDeviceQueueGlobalPriorityCreateInfoKHR *priority = &to->priorities[to->count];
        *priority = (VkDeviceQueueGlobalPriorityCreateInfoKHR){
            .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_GLOBAL_PRIORITY_CREATE_INFO_KHR,
            .globalPriority = priorities[family->priority].global,
        };
        to->infos[to->count++] = (VkDeviceQueueCreateInfo){
            .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
            .pNext = family->priority != GPU_PRIORITY_MEDIUM ? priority : NULL,
            .queueFamilyIndex = device->physical->families[f],
            .queueCount = family->count,
            .pQueuePriorities = family->priorities,
        };
        device->families[device->family_count++] = device->physical->families[f];
    }
}

// Loads the functions of the device. Fails if the driver lacks a function of Vulkan 1.3 or of an
// extension that it reports, because a call of this function would end the process.
static bool load_functions(struct vulkan_device *device, struct error *err)
{
    const struct vulkan_extensions *extensions = &device->physical->extensions;
    const struct {
        const char *name;
        size_t offset;
        bool needed;
    } table[] = {
#define X(name) {#name, offsetof(struct vulkan_functions, name), true},
        VULKAN_CORE_FUNCTIONS(X)
#undef X
#define X(extension, name) {#name, offsetof(struct vulkan_functions, name), extensions->extension},
            VULKAN_EXTENSION_FUNCTIONS(X)
#undef X
    };
    const char *missing = NULL;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        PFN_vkVoidFunction function = vkGetDeviceProcAddr(device->handle, table[i].name);
        memcpy((char *)&device->vk + table[i].offset, &function, sizeof function);
        if (!function && table[i].needed)
            missing = table[i].name;
    }
    return !missing || error_set(err, ERROR_UNSUPPORTED,
                                 "%s: the driver lacks the function %s: update the driver",
                                 device->info->id, missing);
}

static bool create_device(struct vulkan_device *device, const struct gpu_device_desc *desc,
                          const struct plan *plan, struct error *err)
{
    const char *names[sizeof(struct vulkan_extensions)];
    struct vulkan_features features;
    struct queue_infos queues = {0};
    vulkan_features_want(device->physical, desc->robust, &features);
    fill_queue_infos(device, plan, &queues);
    VkDeviceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
        .pNext = &features.core,
        .queueCreateInfoCount = queues.count,
        .pQueueCreateInfos = queues.infos,
        .enabledExtensionCount = vulkan_extensions_list(&device->physical->extensions, names),
        .ppEnabledExtensionNames = names,
    };
    VkResult result = vkCreateDevice(device->physical->handle, &info, NULL, &device->handle);
    if (result == VK_ERROR_NOT_PERMITTED_KHR)
        return error_set(err, ERROR_UNSUPPORTED,
                         "%s: the driver refuses the queue priorities asked for "
                         "(VK_ERROR_NOT_PERMITTED_KHR): run as root or with CAP_SYS_NICE",
                         device->info->id);
    // When memory is full, drivers fail here with any error (NVIDIA:
    // VK_ERROR_INITIALIZATION_FAILED).
    char memory[64] = "";
    if (device->info->memory_free_bytes)
        snprintf(memory, sizeof memory, " (%.0f MiB of its memory are free)",
                 (double)device->info->memory_free_bytes / (1 << 20));
    return result == VK_SUCCESS ||
           vulkan_error(err, result, "%s: vkCreateDevice%s", device->info->id, memory);
}

static void get_queues(struct vulkan_device *device, const struct gpu_device_desc *desc,
                       const struct plan *plan)
{
    for (unsigned i = 0; i < desc->queue_count; i++) {
        struct vulkan_queue *queue = &device->queues[i];
        unsigned family = plan->family_of[i];
        queue->base = (struct gpu_queue){
            .device = &device->base, .request = desc->queues[i], .family = family};
        queue->family = device->physical->families[family];
        queue->stages = VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT;
        if (desc->queues[i].kind != GPU_QUEUE_TRANSFER)
            queue->stages |= VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
        device->vk.vkGetDeviceQueue(device->handle, queue->family, plan->index_of[i],
                                    &queue->handle);
        device->base.queues[i] = &queue->base;
    }
    device->base.queue_count = desc->queue_count;
}

struct gpu_device *vulkan_device_open(void *state, const struct gpu_info *info,
                                      const struct gpu_device_desc *desc, struct arena *arena,
                                      struct error *err)
{
    struct vulkan_device *device = ARENA_NEW(arena, struct vulkan_device);
    struct plan plan = {0};
    device->state = state;
    device->physical = &device->state->physical[info->index];
    device->info = info;
    if (!plan_queues(info, desc, &plan, err) || !create_device(device, desc, &plan, err))
        return NULL;
    if (!load_functions(device, err)) {
        if (device->vk.vkDestroyDevice)
            device->vk.vkDestroyDevice(device->handle, NULL);
        return NULL;
    }
    get_queues(device, desc, &plan);
    return &device->base;
}

void vulkan_device_close(struct gpu_device *base)
{
    struct vulkan_device *device = (struct vulkan_device *)base;
    // A device that hangs is not destroyed, because vkDestroyDevice might not return.
    if (base->hung) {
        device->state->abandoned = true;
        return;
    }
    vulkan_transfer_fini(device);
    vulkan_spare_fini(device);
    device->vk.vkDestroyDevice(device->handle, NULL);
}

// ---------------------------------------------------------------- the profiling lock

// The driver refuses the lock if another program has it, or if the user may not take it.
bool vulkan_profiling_lock(struct vulkan_device *device, struct error *err)
{
    const VkAcquireProfilingLockInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_ACQUIRE_PROFILING_LOCK_INFO_KHR, .timeout = NS_PER_S};
    VkResult result = VK_SUCCESS;
    if (device->locks == 0)
        result = device->vk.vkAcquireProfilingLockKHR(device->handle, &info);
    if (result == VK_SUCCESS) {
        device->locks++;
        return true;
    }
    vulkan_error(err, result,
                 "the driver refuses the profiling lock: end the other program that holds it, or "
                 "run as root (Intel: sysctl dev.i915.perf_stream_paranoid=0 or "
                 "dev.xe.observation_paranoid=0): vkAcquireProfilingLockKHR");
    if (err && (err->code == ERROR_TIMEOUT || err->code == ERROR_INTERNAL))
        err->code = ERROR_UNSUPPORTED;
    return false;
}

void vulkan_profiling_unlock(struct vulkan_device *device)
{
    if (--device->locks == 0)
        device->vk.vkReleaseProfilingLockKHR(device->handle);
}

bool vulkan_device_hold_clock(struct gpu_device *base, struct error *err)
{
    return vulkan_profiling_lock((struct vulkan_device *)base, err);
}

void vulkan_device_free_clock(struct gpu_device *base)
{
    vulkan_profiling_unlock((struct vulkan_device *)base);
}
