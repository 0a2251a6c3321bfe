// SPDX-License-Identifier: MIT
// What batches leave behind for the next ones of their kind. A visit of a case records a handful of
// batches; a command pool, a semaphore and pools of stamps and descriptors for each would cost the
// host more than the work that is measured.
#include "gpu/vulkan/api.h"

// The place before the one that suits.
static struct vulkan_kept **find(struct vulkan_device *device, const struct vulkan_batch *batch)
{
    struct vulkan_kept **link = &device->kept;
    while (*link &&
           ((*link)->family != batch->queue->family || (*link)->span_count != batch->span_count))
        link = &(*link)->next;
    return link;
}

static void destroy(const struct vulkan_device *device, struct vulkan_kept *kept)
{
    vulkan_descriptors_fini(device, &kept->descriptors);
    device->vk.vkDestroySemaphore(device->handle, kept->done, NULL);
    device->vk.vkDestroyQueryPool(device->handle, kept->stamps, NULL);
    device->vk.vkDestroyCommandPool(device->handle, kept->pool, NULL);
}

static struct vulkan_kept *take_place(struct vulkan_device *device)
{
    struct vulkan_kept *place = device->empty;
    if (!place)
        return ARENA_NEW(device->base.arena, struct vulkan_kept);
    device->empty = place->next;
    return place;
}

static void leave_place(struct vulkan_device *device, struct vulkan_kept *place)
{
    *place = (struct vulkan_kept){.next = device->empty};
    device->empty = place;
}

bool vulkan_kept_take(struct vulkan_device *device, struct vulkan_batch *batch)
{
    struct vulkan_kept **link = find(device, batch), *kept = *link;
    if (!kept)
        return false;
    *link = kept->next;
    if (device->vk.vkResetCommandPool(device->handle, kept->pool, 0) != VK_SUCCESS) {
        destroy(device, kept);
        leave_place(device, kept);
        return false;
    }
    batch->pool = kept->pool;
    batch->commands = kept->commands;
    batch->stamps = kept->stamps;
    batch->descriptors = kept->descriptors;
    batch->done = kept->done;
    batch->signal.value = kept->submissions;
    leave_place(device, kept);
    vulkan_descriptors_reset(device, &batch->descriptors);
    if (batch->stamps)
        device->vk.vkResetQueryPool(device->handle, batch->stamps, 0, 2 * batch->span_count);
    return true;
}

void vulkan_kept_put(struct vulkan_device *device, const struct vulkan_batch *batch)
{
    struct vulkan_kept *place = take_place(device);
    *place = (struct vulkan_kept){.next = device->kept,
                                  .family = batch->queue->family,
                                  .span_count = batch->span_count,
                                  .pool = batch->pool,
                                  .commands = batch->commands,
                                  .stamps = batch->stamps,
                                  .descriptors = batch->descriptors,
                                  .done = batch->done,
                                  .submissions = batch->signal.value};
    // Half made, or of a device that is lost: its semaphore may never reach that number.
    if (!batch->commands || !batch->done || device->base.lost) {
        destroy(device, place);
        leave_place(device, place);
        return;
    }
    device->kept = place;
}

void vulkan_kept_fini(struct vulkan_device *device)
{
    for (struct vulkan_kept *kept = device->kept; kept; kept = kept->next)
        destroy(device, kept);
    device->kept = NULL;
}
