// SPDX-License-Identifier: MIT
// Images that are drawn into.
#include "gpu/vulkan/graphics.h"

void vulkan_image_barrier(const struct vulkan_device *device, VkCommandBuffer commands,
                          const struct vulkan_image_change *change)
{
    VkImageMemoryBarrier2 barrier = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2,
        .srcStageMask = change->after,
        .srcAccessMask = change->written,
        .dstStageMask = change->before,
        .dstAccessMask = change->used,
        .oldLayout = change->from,
        .newLayout = change->to,
        .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .image = change->image,
        .subresourceRange = {.aspectMask =
                                 change->aspect ? change->aspect : VK_IMAGE_ASPECT_COLOR_BIT,
                             .levelCount = VK_REMAINING_MIP_LEVELS,
                             .layerCount = VK_REMAINING_ARRAY_LAYERS},
    };
    VkDependencyInfo dependency = {.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
                                   .imageMemoryBarrierCount = 1,
                                   .pImageMemoryBarriers = &barrier};
    device->vk.vkCmdPipelineBarrier2(commands, &dependency);
}

static bool check_format(const struct vulkan_device *device, const struct gpu_target_desc *desc,
                         VkFormatFeatureFlags features, struct error *err)
{
    const char *lacking = NULL;
    VkFormatFeatureFlags depth = vulkan_format_features(device, VULKAN_DEPTH_FORMAT);
    if (!(features & VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT))
        lacking = "VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT";
    else if (!(features & VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT))
        lacking = "VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT";
    else if (!(features & VK_FORMAT_FEATURE_TRANSFER_SRC_BIT))
        lacking = "VK_FORMAT_FEATURE_TRANSFER_SRC_BIT";
    else if (desc->depth && !(depth & VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT))
        lacking = "depth buffers of VK_FORMAT_D32_SFLOAT";
    return !lacking || error_set(err, ERROR_UNSUPPORTED, "target of %s: %s lacks %s",
                                 gpu_format_name(desc->format), device->info->id, lacking);
}

struct surface {
    VkFormat format;
    VkImageUsageFlags usage;
    VkImageAspectFlags aspect;
    uint32_t width, height;
    VkImage *image;
    VkDeviceMemory *memory;
    VkImageView *view;
};

static bool check_size(const struct vulkan_device *device, const VkImageCreateInfo *info,
                       struct error *err)
{
    VkImageFormatProperties most;
    VkResult result = vkGetPhysicalDeviceImageFormatProperties(
        device->physical->handle, info->format, info->imageType, info->tiling, info->usage,
        info->flags, &most);
    if (result != VK_SUCCESS)
        return vulkan_error(err, result, "target on %s", device->info->id);
    if (info->extent.width <= most.maxExtent.width && info->extent.height <= most.maxExtent.height)
        return true;
    return error_set(err, ERROR_UNSUPPORTED, "target of %ux%u pixels: %s allows %ux%u",
                     info->extent.width, info->extent.height, device->info->id,
                     most.maxExtent.width, most.maxExtent.height);
}

static bool make_image(const struct vulkan_device *device, const struct surface *surface,
                       struct error *err)
{
    bool shared = device->family_count > 1;
    VkImageCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
        .imageType = VK_IMAGE_TYPE_2D,
        .format = surface->format,
        .extent = {surface->width, surface->height, 1},
        .mipLevels = 1,
        .arrayLayers = 1,
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .tiling = VK_IMAGE_TILING_OPTIMAL,
        .usage = surface->usage,
        .sharingMode = shared ? VK_SHARING_MODE_CONCURRENT : VK_SHARING_MODE_EXCLUSIVE,
        .queueFamilyIndexCount = shared ? device->family_count : 0,
        .pQueueFamilyIndices = device->families,
        .initialLayout = VK_IMAGE_LAYOUT_UNDEFINED,
    };
    if (!check_size(device, &info, err))
        return false;
    VkResult result = device->vk.vkCreateImage(device->handle, &info, NULL, surface->image);
    if (result != VK_SUCCESS)
        return vulkan_error(err, result, "target: vkCreateImage");
    struct vulkan_allocation allocation = {.memory = GPU_MEMORY_DEVICE, .what = "target"};
    device->vk.vkGetImageMemoryRequirements(device->handle, *surface->image, &allocation.needs);
    if (!vulkan_memory_allocate(device, &allocation, surface->memory, err))
        return false;
    result = device->vk.vkBindImageMemory(device->handle, *surface->image, *surface->memory, 0);
    return result == VK_SUCCESS || vulkan_error(err, result, "target: vkBindImageMemory");
}

static bool make_surface(const struct vulkan_device *device, const struct surface *surface,
                         struct error *err)
{
    if (!make_image(device, surface, err))
        return false;
    VkImageViewCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
        .image = *surface->image,
        .viewType = VK_IMAGE_VIEW_TYPE_2D,
        .format = surface->format,
        .subresourceRange = {.aspectMask = surface->aspect, .levelCount = 1, .layerCount = 1},
    };
    VkResult result = device->vk.vkCreateImageView(device->handle, &info, NULL, surface->view);
    return result == VK_SUCCESS || vulkan_error(err, result, "target: vkCreateImageView");
}

static bool make_surfaces(struct vulkan_device *device, struct vulkan_target *target,
                          const struct gpu_target_desc *desc, struct error *err)
{
    const struct surface color = {
        .format = vulkan_format(desc->format),
        .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT |
                 VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
        .aspect = VK_IMAGE_ASPECT_COLOR_BIT,
        .width = desc->width,
        .height = desc->height,
        .image = &target->color.handle,
        .memory = &target->color.memory,
        .view = &target->color.view,
    };
    const struct surface depth = {
        .format = VULKAN_DEPTH_FORMAT,
        .usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT,
        .aspect = VK_IMAGE_ASPECT_DEPTH_BIT,
        .width = desc->width,
        .height = desc->height,
        .image = &target->depth,
        .memory = &target->depth_memory,
        .view = &target->depth_view,
    };
    return make_surface(device, &color, err) && (!desc->depth || make_surface(device, &depth, err));
}

static bool settle(struct vulkan_device *device, const struct vulkan_target *target,
                   struct error *err)
{
    struct vulkan_image_change change = {
        .image = target->color.handle,
        .from = VK_IMAGE_LAYOUT_UNDEFINED,
        .to = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
        .after = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
        .before = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
        .used = VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT,
    };
    if (!vulkan_transfer_begin(device, err))
        return false;
    vulkan_image_barrier(device, device->transfer.commands, &change);
    if (target->depth) {
        change.image = target->depth;
        change.aspect = VK_IMAGE_ASPECT_DEPTH_BIT;
        change.to = VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL;
        vulkan_image_barrier(device, device->transfer.commands, &change);
    }
    return vulkan_transfer_end(device, err);
}

struct gpu_target *vulkan_target_create(struct gpu_scope *scope, const struct gpu_target_desc *desc,
                                        struct error *err)
{
    struct vulkan_device *device = vulkan_scope_device(scope);
    VkFormatFeatureFlags features = vulkan_format_features(device, vulkan_format(desc->format));
    if (!check_format(device, desc, features, err))
        return NULL;
    struct vulkan_target *target = ARENA_NEW(scope->arena, struct vulkan_target);
    target->base.image = &target->color.base;
    target->base.blends = features & VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BLEND_BIT;
    target->color.base.filterable = features & VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT;
    target->color.layout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
    if (make_surfaces(device, target, desc, err) && settle(device, target, err))
        return &target->base;
    if (!device->base.hung)
        vulkan_target_destroy(device, target);
    return NULL;
}

void vulkan_target_destroy(struct vulkan_device *device, struct vulkan_target *target)
{
    device->vk.vkDestroyImageView(device->handle, target->depth_view, NULL);
    device->vk.vkDestroyImage(device->handle, target->depth, NULL);
    device->vk.vkFreeMemory(device->handle, target->depth_memory, NULL);
    vulkan_image_destroy(device, &target->color);
}
