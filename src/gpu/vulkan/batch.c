// SPDX-License-Identifier: MIT
// Command buffers, their submission, and holds. Each batch has a timeline semaphore that counts its
// finished submissions. A submission is one vkQueueSubmit2. It is prepared when the batch is
// created; later, only the semaphores to wait for and the values of all semaphores are set.
#include "base/clock.h"
#include "gpu/vulkan/graphics.h"
#include "gpu/vulkan/rays.h"

#include <string.h>

static bool begin_commands(const struct vulkan_device *device, struct vulkan_batch *batch,
                           struct error *err)
{
    const VkCommandBufferInheritanceInfo nothing = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
    VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    // if `whole` exists, one or two primary command buffers execute `commands`
    if (batch->whole) {
        info.flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT;
        info.pInheritanceInfo = &nothing;
    }
    VkResult result = device->vk.vkBeginCommandBuffer(batch->commands, &info);
    // In an ordered batch, a barrier makes the first command wait for earlier batches.
    batch->barrier_due = !batch->base.desc.unordered;
    batch->last_program = NULL;
    if (batch->pass)
        vulkan_pass_forget(batch->pass);
    return result == VK_SUCCESS || vulkan_error(err, result, "batch: vkBeginCommandBuffer");
}

static VkResult create_commands(struct vulkan_device *device, struct vulkan_batch *batch)
{
    VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                    .queueFamilyIndex = batch->queue->family};
    VkResult result = device->vk.vkCreateCommandPool(device->handle, &pool, NULL, &batch->pool);
    if (result != VK_SUCCESS)
        return result;
    VkCommandBufferAllocateInfo commands = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = batch->pool,
        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
        .commandBufferCount = 1,
    };
    if (device->counters_open) {
        result = device->vk.vkAllocateCommandBuffers(device->handle, &commands, &batch->whole);
        commands.level = VK_COMMAND_BUFFER_LEVEL_SECONDARY;
    }
    if (result != VK_SUCCESS)
        return result;
    return device->vk.vkAllocateCommandBuffers(device->handle, &commands, &batch->commands);
}

// Creates the pool of time stamps. The host resets the pool, here and after each wait, because a
// reset by the device would be among the timed commands, and transfer queues cannot reset a pool.
static VkResult create_stamps(struct vulkan_device *device, struct vulkan_batch *batch)
{
    uint32_t count = 2 * batch->base.desc.span_count;
    if (count == 0)
        return VK_SUCCESS;
    VkQueryPoolCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
        .queryType = VK_QUERY_TYPE_TIMESTAMP,
        .queryCount = count,
    };
    VkResult result = device->vk.vkCreateQueryPool(device->handle, &info, NULL, &batch->stamps);
    if (result == VK_SUCCESS)
        device->vk.vkResetQueryPool(device->handle, batch->stamps, 0, count);
    return result;
}

static VkResult create_timeline(struct vulkan_device *device, VkSemaphore *semaphore)
{
    VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                      .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
    VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
    return device->vk.vkCreateSemaphore(device->handle, &info, NULL, semaphore);
}

static VkResult create_splits(struct vulkan_device *device, struct vulkan_batch *batch,
                              struct arena *arena)
{
    VkEventCreateInfo info = {.sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO};
    VkResult result = VK_SUCCESS;
    // Events that were not created are NULL, so vulkan_batch_destroy also works after a failure.
    batch->splits = ARENA_ARRAY(arena, batch->base.desc.split_count, VkEvent);
    for (unsigned i = 0; i < batch->base.desc.split_count && result == VK_SUCCESS; i++)
        result = device->vk.vkCreateEvent(device->handle, &info, NULL, &batch->splits[i]);
    return result;
}

static VkResult create_parts(struct vulkan_device *device, struct vulkan_batch *batch)
{
    if (vulkan_spare_take(device, batch))
        return VK_SUCCESS;
    VkResult result = create_commands(device, batch);
    if (result == VK_SUCCESS)
        result = create_stamps(device, batch);
    return result == VK_SUCCESS ? create_timeline(device, &batch->done) : result;
}

static void prepare_submit(struct vulkan_batch *batch)
{
    batch->signal = (VkSemaphoreSubmitInfo){.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
                                            .semaphore = batch->done,
                                            .value = batch->signal.value,
                                            .stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT};
    for (unsigned i = 0; i < 1 + GPU_AFTER_MAX; i++)
        batch->waits[i] = batch->signal;
    batch->commands_info =
        (VkCommandBufferSubmitInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO,
                                    .commandBuffer = batch->whole ? batch->whole : batch->commands};
    batch->submit = (VkSubmitInfo2){.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
                                    .pWaitSemaphoreInfos = batch->waits,
                                    .commandBufferInfoCount = 1,
                                    .pCommandBufferInfos = &batch->commands_info,
                                    .signalSemaphoreInfoCount = 1,
                                    .pSignalSemaphoreInfos = &batch->signal};
}

struct gpu_batch *vulkan_batch_create(struct gpu_scope *scope, const struct gpu_batch_desc *desc,
                                      struct error *err)
{
    struct vulkan_device *device = vulkan_scope_device(scope);
    struct vulkan_batch *batch = ARENA_NEW(scope->arena, struct vulkan_batch);
    // The functions below read the scope and the description before the front end sets them.
    batch->base = (struct gpu_batch){.object.scope = scope, .desc = *desc};
    batch->queue = (const struct vulkan_queue *)desc->queue;
    batch->stages = batch->queue->stages;
    if (desc->rays)
        batch->stages |= vulkan_ray_stages(device);
    if (desc->draws) {
        batch->stages |= VK_PIPELINE_STAGE_2_ALL_GRAPHICS_BIT;
        batch->pass = vulkan_pass_create(scope->arena);
    }
    batch->stamp_values =
        ARENA_ARRAY(scope->arena, (size_t)2 * batch->base.desc.span_count, struct vulkan_stamp);
    VkResult result = create_parts(device, batch);
    if (result == VK_SUCCESS)
        result = create_splits(device, batch, scope->arena);
    bool ok = result == VK_SUCCESS || vulkan_error(err, result, "batch");
    if (!ok || !begin_commands(device, batch, err)) {
        vulkan_batch_destroy(device, batch);
        return NULL;
    }
    prepare_submit(batch);
    return &batch->base;
}

void vulkan_batch_destroy(struct vulkan_device *device, struct vulkan_batch *batch)
{
    for (unsigned i = 0; batch->splits && i < batch->base.desc.split_count; i++)
        device->vk.vkDestroyEvent(device->handle, batch->splits[i], NULL);
    vulkan_spare_put(device, batch);
}

// Lets the host see what the batch wrote to mapped memory. After draws and rays, the barrier also
// covers later batches, whose own barriers may not cover these stages.
static void record_host_barrier(const struct vulkan_device *device,
                                const struct vulkan_batch *batch)
{
    VkMemoryBarrier2 barrier = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
        .srcStageMask = batch->stages,
        .srcAccessMask = VK_ACCESS_2_MEMORY_WRITE_BIT,
        .dstStageMask = VK_PIPELINE_STAGE_2_HOST_BIT,
        .dstAccessMask = VK_ACCESS_2_HOST_READ_BIT,
    };
    if (batch->stages != batch->queue->stages) {
        barrier.dstStageMask |= batch->queue->stages;
        barrier.dstAccessMask |= VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT;
    }
    VkDependencyInfo dependency = {.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
                                   .memoryBarrierCount = 1,
                                   .pMemoryBarriers = &barrier};
    device->vk.vkCmdPipelineBarrier2(batch->commands, &dependency);
}

// Records the primary command buffer, which only executes the batch's secondary command buffer.
static VkResult record_whole(const struct vulkan_device *device, const struct vulkan_batch *batch)
{
    VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    VkResult result = device->vk.vkBeginCommandBuffer(batch->whole, &info);
    if (result != VK_SUCCESS)
        return result;
    device->vk.vkCmdExecuteCommands(batch->whole, 1, &batch->commands);
    return device->vk.vkEndCommandBuffer(batch->whole);
}

bool vulkan_batch_end(struct gpu_batch *base, struct error *err)
{
    struct vulkan_batch *batch = (struct vulkan_batch *)base;
    struct vulkan_device *device = vulkan_device_of(&base->object);
    vulkan_pass_end_batch(batch);
    record_host_barrier(device, batch);
    VkResult result = device->vk.vkEndCommandBuffer(batch->commands);
    if (result == VK_SUCCESS && batch->whole)
        result = record_whole(device, batch);
    return result == VK_SUCCESS || vulkan_error(err, result, "batch: vkEndCommandBuffer");
}

bool vulkan_batch_reset(struct gpu_batch *base, struct error *err)
{
    struct vulkan_batch *batch = (struct vulkan_batch *)base;
    struct vulkan_device *device = vulkan_device_of(&base->object);
    vulkan_descriptors_reset(device, &batch->descriptors);
    VkResult result = device->vk.vkResetCommandPool(device->handle, batch->pool, 0);
    if (result != VK_SUCCESS)
        return vulkan_error(err, result, "batch: vkResetCommandPool");
    return begin_commands(device, batch, err);
}

static void add_wait(struct vulkan_batch *batch, VkSemaphore semaphore, uint64_t value)
{
    VkSemaphoreSubmitInfo *wait = &batch->waits[batch->submit.waitSemaphoreInfoCount++];
    wait->semaphore = semaphore;
    wait->value = value;
}

bool vulkan_batch_submit(struct gpu_batch *base, struct gpu_hold *hold, struct error *err)
{
    struct vulkan_batch *batch = (struct vulkan_batch *)base;
    struct vulkan_device *device = vulkan_device_of(&base->object);
    batch->submit.waitSemaphoreInfoCount = 0;
    if (hold)
        add_wait(batch, ((struct vulkan_hold *)hold)->semaphore, 1);
    for (unsigned i = 0; i < base->after_count; i++) {
        const struct vulkan_batch *other = (const struct vulkan_batch *)base->after[i];
        add_wait(batch, other->done, other->signal.value);
    }
    const VkSubmitInfo2 *submit = &batch->submit;
    if (device->counted && !(submit = vulkan_counted_submit(device->counted, batch, err)))
        return false;
    batch->signal.value++;
    VkResult result = device->vk.vkQueueSubmit2(batch->queue->handle, 1, submit, VK_NULL_HANDLE);
    if (result == VK_SUCCESS)
        return true;
    batch->signal.value--;
    return vulkan_error(err, result, "%s: vkQueueSubmit2", device->info->id);
}

static bool fetch_stamps(struct vulkan_device *device, struct vulkan_batch *batch,
                         struct error *err)
{
    uint32_t count = 2 * batch->base.desc.span_count;
    if (count == 0)
        return true;
    // A driver that writes nothing must not leave the time stamps of an earlier submission.
    memset(batch->stamp_values, 0, count * sizeof *batch->stamp_values);
    VkResult result = device->vk.vkGetQueryPoolResults(
        device->handle, batch->stamps, 0, count, (size_t)count * sizeof *batch->stamp_values,
        batch->stamp_values, sizeof *batch->stamp_values,
        VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT);
    // VK_NOT_READY is no error. It means that a span was not recorded.
    if (result != VK_SUCCESS && result != VK_NOT_READY)
        return vulkan_error(err, result, "%s: vkGetQueryPoolResults", device->info->id);
    device->vk.vkResetQueryPool(device->handle, batch->stamps, 0, count);
    return true;
}

// Polls before the blocking wait, because drivers wake a blocked caller late. Does nothing on CPU
// devices.
static void look_first(struct vulkan_device *device, const struct vulkan_batch *batch,
                       uint64_t timeout_ns)
{
    uint64_t value = 0,
             end_ns = clock_deadline_ns(timeout_ns < VULKAN_LOOK_NS ? timeout_ns : VULKAN_LOOK_NS);
    if (device->info->kind == GPU_KIND_CPU)
        return;
    while (clock_left_ns(end_ns) > 0)
        if (device->vk.vkGetSemaphoreCounterValue(device->handle, batch->done, &value) !=
                VK_SUCCESS ||
            value >= batch->signal.value)
            return;
}

bool vulkan_batch_wait(struct gpu_batch *base, uint64_t timeout_ns, struct error *err)
{
    struct vulkan_batch *batch = (struct vulkan_batch *)base;
    struct vulkan_device *device = vulkan_device_of(&base->object);
    VkSemaphoreWaitInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                .semaphoreCount = 1,
                                .pSemaphores = &batch->done,
                                .pValues = &batch->signal.value};
    look_first(device, batch, timeout_ns);
    VkResult result = device->vk.vkWaitSemaphores(device->handle, &info, timeout_ns);
    if (result == VK_TIMEOUT)
        return error_set(err, ERROR_TIMEOUT, "%s: a batch of %u commands was not done in %.3g s",
                         device->info->id, base->commands, (double)timeout_ns * 1e-9);
    if (result != VK_SUCCESS)
        return vulkan_error(err, result, "%s: vkWaitSemaphores", device->info->id);
    for (unsigned i = 0; i < batch->base.desc.split_count; i++)
        device->vk.vkResetEvent(device->handle, batch->splits[i]);
    return fetch_stamps(device, batch, err);
}

bool vulkan_batch_span_ns(struct gpu_batch *base, unsigned span, double *ns, struct error *err)
{
    const struct vulkan_batch *batch = (const struct vulkan_batch *)base;
    const struct vulkan_device *device = vulkan_device_of(&base->object);
    const struct vulkan_stamp *begin = &batch->stamp_values[(size_t)2 * span];
    const struct vulkan_stamp *end = begin + 1;
    if (!begin->available || !end->available)
        return error_set(err, ERROR_INTERNAL, "%s: the driver wrote no time stamps for span %u",
                         device->info->id, span);
    unsigned bits = device->info->families[batch->queue->base.family].stamp_bits;
    uint64_t mask = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
    *ns = (double)((end->value - begin->value) & mask) * device->physical->stamp_ns;
    return gpu_span_check(base, *ns, err);
}

// ---------------------------------------------------------------- holds

struct gpu_hold *vulkan_hold_create(struct gpu_scope *scope, struct error *err)
{
    struct vulkan_device *device = vulkan_scope_device(scope);
    struct vulkan_hold *hold = ARENA_NEW(scope->arena, struct vulkan_hold);
    VkResult result = create_timeline(device, &hold->semaphore);
    if (result != VK_SUCCESS) {
        vulkan_error(err, result, "hold");
        return NULL;
    }
    return &hold->base;
}

bool vulkan_hold_release(struct gpu_hold *base, struct error *err)
{
    struct vulkan_device *device = vulkan_device_of(&base->object);
    VkSemaphoreSignalInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO,
                                  .semaphore = ((struct vulkan_hold *)base)->semaphore,
                                  .value = 1};
    VkResult result = device->vk.vkSignalSemaphore(device->handle, &info);
    return result == VK_SUCCESS || vulkan_error(err, result, "hold: vkSignalSemaphore");
}

void vulkan_hold_destroy(struct vulkan_device *device, struct vulkan_hold *hold)
{
    device->vk.vkDestroySemaphore(device->handle, hold->semaphore, NULL);
}
