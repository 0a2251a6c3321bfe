// SPDX-License-Identifier: MIT
// Reuses the Vulkan objects of destroyed batches, because creating them for each of the few batches
// of a visit would often take longer than the measured work.
#include "gpu/vulkan/api.h"

// Returns the link to the first spare with the batch's queue family and number of spans.
static struct vulkan_spare **find(struct vulkan_device *device, const struct vulkan_batch *batch)
{
    struct vulkan_spare **link = &device->spare;
    while (*link && ((*link)->family != batch->queue->family ||
                     (*link)->span_count != batch->base.desc.span_count))
        link = &(*link)->next;
    return link;
}

static void destroy(const struct vulkan_device *device, struct vulkan_spare *spare)
{
    vulkan_descriptors_fini(device, &spare->descriptors);
    device->vk.vkDestroySemaphore(device->handle, spare->done, NULL);
    device->vk.vkDestroyQueryPool(device->handle, spare->stamps, NULL);
    device->vk.vkDestroyCommandPool(device->handle, spare->pool, NULL);
}

static struct vulkan_spare *take_place(struct vulkan_device *device)
{
    struct vulkan_spare *place = device->empty;
    if (!place)
        return ARENA_NEW(device->base.arena, struct vulkan_spare);
    device->empty = place->next;
    return place;
}

static void leave_place(struct vulkan_device *device, struct vulkan_spare *place)
{
    *place = (struct vulkan_spare){.next = device->empty};
    device->empty = place;
}

bool vulkan_spare_take(struct vulkan_device *device, struct vulkan_batch *batch)
{
    struct vulkan_spare **link = find(device, batch), *spare = *link;
    if (!spare || device->counters_open)
        return false;
    *link = spare->next;
    if (device->vk.vkResetCommandPool(device->handle, spare->pool, 0) != VK_SUCCESS) {
        destroy(device, spare);
        leave_place(device, spare);
        return false;
    }
    batch->pool = spare->pool;
    batch->commands = spare->commands;
    batch->stamps = spare->stamps;
    batch->descriptors = spare->descriptors;
    batch->done = spare->done;
    batch->signal.value = spare->submissions;
    leave_place(device, spare);
    vulkan_descriptors_reset(device, &batch->descriptors);
    if (batch->stamps)
        device->vk.vkResetQueryPool(device->handle, batch->stamps, 0,
                                    2 * batch->base.desc.span_count);
    return true;
}

void vulkan_spare_put(struct vulkan_device *device, const struct vulkan_batch *batch)
{
    struct vulkan_spare *place = take_place(device);
    *place = (struct vulkan_spare){.next = device->spare,
                                   .family = batch->queue->family,
                                   .span_count = batch->base.desc.span_count,
                                   .pool = batch->pool,
                                   .commands = batch->commands,
                                   .stamps = batch->stamps,
                                   .descriptors = batch->descriptors,
                                   .done = batch->done,
                                   .submissions = batch->signal.value};
    // The objects of these batches cannot be used again: an incomplete batch, a batch with a
    // secondary command buffer, and a batch on a lost device, whose semaphore may never reach
    // `submissions`.
    if (!batch->commands || batch->whole || !batch->done || device->base.lost) {
        destroy(device, place);
        leave_place(device, place);
        return;
    }
    device->spare = place;
}

void vulkan_spare_fini(struct vulkan_device *device)
{
    for (struct vulkan_spare *spare = device->spare; spare; spare = spare->next)
        destroy(device, spare);
    device->spare = NULL;
}
