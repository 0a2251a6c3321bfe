// SPDX-License-Identifier: MIT
// Render targets (gpu/graphics.h): images to draw into, with or without a depth buffer.
#include "gpu/vulkan/graphics.h"

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

static bool make_images(struct vulkan_device *device, struct vulkan_target *target,
                        const struct gpu_target_desc *desc, struct error *err)
{
    const struct gpu_image_desc size = {
        .width = desc->width, .height = desc->height, .depth = 1, .mips = 1, .layers = 1};
    const struct vulkan_image_use color = {
        .format = vulkan_format(desc->format),
        .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT |
                 VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
        .aspect = VK_IMAGE_ASPECT_COLOR_BIT,
        .what = "target",
    };
    const struct vulkan_image_use depth = {
        .format = VULKAN_DEPTH_FORMAT,
        .usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT,
        .aspect = VK_IMAGE_ASPECT_DEPTH_BIT,
        .what = "depth buffer",
    };
    return vulkan_image_make(device, &size, &color, &target->color, err) &&
           (!desc->depth || vulkan_image_make(device, &size, &depth, &target->depth, err));
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
    if (target->depth.handle) {
        const VkImageSubresourceRange depth = {
            .aspectMask = VK_IMAGE_ASPECT_DEPTH_BIT, .levelCount = 1, .layerCount = 1};
        change.image = target->depth.handle;
        change.part = &depth;
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
    if (make_images(device, target, desc, err) && settle(device, target, err))
        return &target->base;
    if (!device->base.hung)
        vulkan_target_destroy(device, target);
    return NULL;
}

void vulkan_target_destroy(struct vulkan_device *device, struct vulkan_target *target)
{
    vulkan_image_destroy(device, &target->depth);
    vulkan_image_destroy(device, &target->color);
}
