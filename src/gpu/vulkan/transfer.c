// SPDX-License-Identifier: MIT
// Copies between host and device that block the caller. All copies run on the first queue, with one
// command buffer, one staging buffer and one fence. They are not for timing.
#include "base/clock.h"
#include "gpu/vulkan/api.h"

#include <string.h>

enum {
    TRANSFER_WAIT_S = 10
};

static bool create_commands(struct vulkan_device *device, struct error *err)
{
    struct vulkan_transfer *transfer = &device->transfer;
    VkCommandPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
        .flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT,
        .queueFamilyIndex = device->queues[0].family,
    };
    VkResult result = device->vk.vkCreateCommandPool(device->handle, &pool, NULL, &transfer->pool);
    if (result != VK_SUCCESS)
        return vulkan_error(err, result, "vkCreateCommandPool");
    VkCommandBufferAllocateInfo commands = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = transfer->pool,
        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
        .commandBufferCount = 1,
    };
    result = device->vk.vkAllocateCommandBuffers(device->handle, &commands, &transfer->commands);
    if (result != VK_SUCCESS)
        return vulkan_error(err, result, "vkAllocateCommandBuffers");
    VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    result = device->vk.vkCreateFence(device->handle, &fence, NULL, &transfer->fence);
    return result == VK_SUCCESS || vulkan_error(err, result, "vkCreateFence");
}

static bool create_staging(struct vulkan_device *device, struct error *err)
{
    const struct gpu_buffer_desc desc = {.bytes = VULKAN_STAGING_BYTES,
                                         .memory = GPU_MEMORY_READBACK};
    return vulkan_buffer_init(device, &desc,
                              VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                              "staging buffer", &device->transfer.staging, err);
}

bool vulkan_transfer_need(struct vulkan_device *device, struct error *err)
{
    if (device->transfer.staging.base.mapped ||
        (create_commands(device, err) && create_staging(device, err)))
        return true;
    vulkan_transfer_fini(device);
    return false;
}

void vulkan_transfer_fini(struct vulkan_device *device)
{
    struct vulkan_transfer *transfer = &device->transfer;
    device->vk.vkDestroyFence(device->handle, transfer->fence, NULL);
    device->vk.vkDestroyCommandPool(device->handle, transfer->pool, NULL);
    vulkan_buffer_destroy(device, &transfer->staging);
    *transfer = (struct vulkan_transfer){0};
}

// Records the barrier at both ends of a transfer: the transfer sees what earlier batches wrote, and
// the host and later batches see what the transfer wrote.
static void record_barrier(struct vulkan_device *device)
{
    VkMemoryBarrier2 barrier = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
        .srcStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
        .srcAccessMask = VK_ACCESS_2_MEMORY_WRITE_BIT,
        .dstStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_2_HOST_BIT,
        .dstAccessMask =
            VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT | VK_ACCESS_2_HOST_READ_BIT,
    };
    VkDependencyInfo dependency = {.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
                                   .memoryBarrierCount = 1,
                                   .pMemoryBarriers = &barrier};
    device->vk.vkCmdPipelineBarrier2(device->transfer.commands, &dependency);
}

bool vulkan_transfer_begin(struct vulkan_device *device, struct error *err)
{
    if (!vulkan_transfer_need(device, err))
        return false;
    VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                     .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    VkResult result = device->vk.vkResetCommandPool(device->handle, device->transfer.pool, 0);
    if (result == VK_SUCCESS)
        result = device->vk.vkResetFences(device->handle, 1, &device->transfer.fence);
    if (result == VK_SUCCESS)
        result = device->vk.vkBeginCommandBuffer(device->transfer.commands, &info);
    if (result != VK_SUCCESS)
        return vulkan_error(err, result, "vkBeginCommandBuffer");
    record_barrier(device);
    return true;
}

bool vulkan_transfer_end(struct vulkan_device *device, struct error *err)
{
    struct vulkan_transfer *transfer = &device->transfer;
    record_barrier(device);
    VkResult result = device->vk.vkEndCommandBuffer(transfer->commands);
    if (result != VK_SUCCESS)
        return vulkan_error(err, result, "vkEndCommandBuffer");
    VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                           .commandBufferCount = 1,
                           .pCommandBuffers = &transfer->commands};
    result = device->vk.vkQueueSubmit(device->queues[0].handle, 1, &submit, transfer->fence);
    if (result != VK_SUCCESS)
        return vulkan_error(err, result, "vkQueueSubmit of a copy");
    uint64_t end_ns = clock_deadline_ns(device->info->kind == GPU_KIND_CPU ? 0 : VULKAN_LOOK_NS);
    // Polls first, because drivers wake a blocked caller late (not on CPU devices).
    while (clock_left_ns(end_ns) > 0 &&
           device->vk.vkGetFenceStatus(device->handle, transfer->fence) == VK_NOT_READY)
        continue;
    result = device->vk.vkWaitForFences(device->handle, 1, &transfer->fence, VK_TRUE,
                                        TRANSFER_WAIT_S * UINT64_C(1000000000));
    if (result != VK_SUCCESS && result != VK_ERROR_DEVICE_LOST)
        device->base.lost = device->base.hung = true; // the device may still use the command buffer
    if (result == VK_TIMEOUT)
        return error_set(err, ERROR_TIMEOUT,
                         "%s: a copy between host and device did not end in %d s", device->info->id,
                         TRANSFER_WAIT_S);
    return result == VK_SUCCESS || vulkan_error(err, result, "copy between host and device");
}

// Copies to the buffer from the host memory `from`, or, if `from` is NULL, from the buffer to the
// host memory `to`. Copies in parts of the size of the staging buffer.
static bool copy_staged(const struct gpu_buffer *base, uint64_t offset, const char *from, char *to,
                        uint64_t bytes, struct error *err)
{
    struct vulkan_device *device = vulkan_device_of(&base->object);
    VkBuffer buffer = ((const struct vulkan_buffer *)base)->handle;
    if (!vulkan_transfer_need(device, err))
        return false;
    const struct vulkan_buffer *staging = &device->transfer.staging;
    for (uint64_t done = 0, part; done < bytes; done += part) {
        part = bytes - done < VULKAN_STAGING_BYTES ? bytes - done : VULKAN_STAGING_BYTES;
        const VkBufferCopy region = {.srcOffset = from ? 0 : offset + done,
                                     .dstOffset = from ? offset + done : 0,
                                     .size = part};
        if (from)
            memcpy(staging->base.mapped, from + done, part);
        if (!vulkan_transfer_begin(device, err))
            return false;
        device->vk.vkCmdCopyBuffer(device->transfer.commands, from ? staging->handle : buffer,
                                   from ? buffer : staging->handle, 1, &region);
        if (!vulkan_transfer_end(device, err))
            return false;
        if (to)
            memcpy(to + done, staging->base.mapped, part);
    }
    return true;
}

bool vulkan_buffer_write(struct gpu_buffer *buffer, uint64_t offset, const void *data,
                         uint64_t bytes, struct error *err)
{
    return copy_staged(buffer, offset, data, NULL, bytes, err) ||
           error_prefix(err, "gpu_buffer_write");
}

bool vulkan_buffer_read(struct gpu_buffer *buffer, uint64_t offset, void *data, uint64_t bytes,
                        struct error *err)
{
    return copy_staged(buffer, offset, NULL, data, bytes, err) ||
           error_prefix(err, "gpu_buffer_read");
}
