// SPDX-License-Identifier: MIT
// Typed views, images and samplers. An image stays in the layout that kernels need; a copy into it
// restores the layout. Only images of targets have other layouts (draw.c).
#include "gpu/vulkan/api.h"

#include <inttypes.h>
#include <string.h>

static const VkFormat formats[GPU_FORMAT_COUNT] = {
    [GPU_FORMAT_R8_UNORM] = VK_FORMAT_R8_UNORM,
    [GPU_FORMAT_RG8_UNORM] = VK_FORMAT_R8G8_UNORM,
    [GPU_FORMAT_RGBA8_UNORM] = VK_FORMAT_R8G8B8A8_UNORM,
    [GPU_FORMAT_R16_FLOAT] = VK_FORMAT_R16_SFLOAT,
    [GPU_FORMAT_RG16_FLOAT] = VK_FORMAT_R16G16_SFLOAT,
    [GPU_FORMAT_RGBA16_FLOAT] = VK_FORMAT_R16G16B16A16_SFLOAT,
    [GPU_FORMAT_R32_FLOAT] = VK_FORMAT_R32_SFLOAT,
    [GPU_FORMAT_RG32_FLOAT] = VK_FORMAT_R32G32_SFLOAT,
    [GPU_FORMAT_RGBA32_FLOAT] = VK_FORMAT_R32G32B32A32_SFLOAT,
    [GPU_FORMAT_R32_UINT] = VK_FORMAT_R32_UINT,
    [GPU_FORMAT_RG32_UINT] = VK_FORMAT_R32G32_UINT,
    [GPU_FORMAT_RGBA32_UINT] = VK_FORMAT_R32G32B32A32_UINT,
    [GPU_FORMAT_RGBA8_SRGB] = VK_FORMAT_R8G8B8A8_SRGB,
    [GPU_FORMAT_RGB10A2_UNORM] = VK_FORMAT_A2B10G10R10_UNORM_PACK32,
    [GPU_FORMAT_RG11B10_FLOAT] = VK_FORMAT_B10G11R11_UFLOAT_PACK32,
    [GPU_FORMAT_BC1_UNORM] = VK_FORMAT_BC1_RGBA_UNORM_BLOCK,
    [GPU_FORMAT_BC2_UNORM] = VK_FORMAT_BC2_UNORM_BLOCK,
    [GPU_FORMAT_BC3_UNORM] = VK_FORMAT_BC3_UNORM_BLOCK,
    [GPU_FORMAT_BC4_UNORM] = VK_FORMAT_BC4_UNORM_BLOCK,
    [GPU_FORMAT_BC5_UNORM] = VK_FORMAT_BC5_UNORM_BLOCK,
    [GPU_FORMAT_BC6H_UFLOAT] = VK_FORMAT_BC6H_UFLOAT_BLOCK,
    [GPU_FORMAT_BC7_UNORM] = VK_FORMAT_BC7_UNORM_BLOCK,
};

VkFormat vulkan_format(enum gpu_format format)
{
    return formats[format];
}

VkFormatFeatureFlags vulkan_format_features(const struct vulkan_device *device, VkFormat format)
{
    VkFormatProperties properties;
    vkGetPhysicalDeviceFormatProperties(device->physical->handle, format, &properties);
    return properties.optimalTilingFeatures;
}

// ---------------------------------------------------------------- typed views

struct gpu_typed *vulkan_typed_create(struct gpu_scope *scope, struct gpu_buffer *base,
                                      enum gpu_format format, uint64_t offset, uint64_t elements,
                                      struct error *err)
{
    struct vulkan_device *device = vulkan_scope_device(scope);
    const struct vulkan_buffer *buffer = (const struct vulkan_buffer *)base;
    VkFormatProperties properties;
    vkGetPhysicalDeviceFormatProperties(device->physical->handle, formats[format], &properties);
    VkFormatFeatureFlags features = properties.bufferFeatures;
    if (!(features & VK_FORMAT_FEATURE_UNIFORM_TEXEL_BUFFER_BIT)) {
        error_set(err, ERROR_UNSUPPORTED,
                  "typed view of %s: %s lacks VK_FORMAT_FEATURE_UNIFORM_TEXEL_BUFFER_BIT",
                  gpu_format_name(format), device->info->id);
        return NULL;
    }
    struct vulkan_typed *typed = ARENA_NEW(scope->arena, struct vulkan_typed);
    typed->base.writable = features & VK_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER_BIT;
    // Some formats lack some texel usages, so each view gets its own VkBuffer over the same memory.
    VkBufferUsageFlags usage = VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT;
    if (typed->base.writable)
        usage |= VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT;
    if (!vulkan_buffer_make(device, base->bytes, usage, &typed->alias, err))
        return NULL;
    VkResult result =
        device->vk.vkBindBufferMemory(device->handle, typed->alias, buffer->memory, 0);
    VkBufferViewCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO,
        .buffer = typed->alias,
        .format = formats[format],
        .offset = offset,
        .range = elements * gpu_format_bytes(format),
    };
    if (result == VK_SUCCESS)
        result = device->vk.vkCreateBufferView(device->handle, &info, NULL, &typed->view);
    if (result == VK_SUCCESS)
        return &typed->base;
    vulkan_error(err, result, "typed view of %s, %" PRIu64 " elements", gpu_format_name(format),
                 elements);
    vulkan_typed_destroy(device, typed);
    return NULL;
}

void vulkan_typed_destroy(struct vulkan_device *device, struct vulkan_typed *typed)
{
    device->vk.vkDestroyBufferView(device->handle, typed->view, NULL);
    device->vk.vkDestroyBuffer(device->handle, typed->alias, NULL);
}

// ---------------------------------------------------------------- making images

static VkImageViewType view_type(const struct gpu_image_desc *desc)
{
    bool array = desc->layers > (desc->kind == GPU_IMAGE_CUBE ? 6u : 1u);
    switch (desc->kind) {
    case GPU_IMAGE_1D:
        return array ? VK_IMAGE_VIEW_TYPE_1D_ARRAY : VK_IMAGE_VIEW_TYPE_1D;
    case GPU_IMAGE_3D:
        return VK_IMAGE_VIEW_TYPE_3D;
    case GPU_IMAGE_CUBE:
        return array ? VK_IMAGE_VIEW_TYPE_CUBE_ARRAY : VK_IMAGE_VIEW_TYPE_CUBE;
    case GPU_IMAGE_2D:
        break;
    }
    return array ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D;
}

static bool check_format(const struct vulkan_device *device, const struct gpu_image_desc *desc,
                         VkFormatFeatureFlags features, struct error *err)
{
    const char *lacking = NULL;
    if (!(features & VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT))
        lacking = "VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT";
    else if (!(features & VK_FORMAT_FEATURE_TRANSFER_DST_BIT))
        lacking = "VK_FORMAT_FEATURE_TRANSFER_DST_BIT";
    else if (desc->storage && !(features & VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT))
        lacking = "VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT";
    if (!lacking && desc->kind == GPU_IMAGE_CUBE && desc->layers > 6 &&
        !device->physical->features.core.features.imageCubeArray)
        lacking = "imageCubeArray";
    return !lacking || error_set(err, ERROR_UNSUPPORTED, "image of %s: %s lacks %s",
                                 gpu_format_name(desc->format), device->info->id, lacking);
}

static bool check_size(const struct vulkan_device *device, const VkImageCreateInfo *info,
                       const char *what, struct error *err)
{
    VkImageFormatProperties most;
    VkResult result = vkGetPhysicalDeviceImageFormatProperties(
        device->physical->handle, info->format, info->imageType, info->tiling, info->usage,
        info->flags, &most);
    if (result != VK_SUCCESS)
        return vulkan_error(err, result, "%s on %s", what, device->info->id);
    if (info->extent.width <= most.maxExtent.width &&
        info->extent.height <= most.maxExtent.height &&
        info->extent.depth <= most.maxExtent.depth && info->mipLevels <= most.maxMipLevels &&
        info->arrayLayers <= most.maxArrayLayers)
        return true;
    return error_set(err, ERROR_UNSUPPORTED,
                     "%s of %ux%ux%u, %u mips, %u layers: %s allows %ux%ux%u, %u, %u for its "
                     "format",
                     what, info->extent.width, info->extent.height, info->extent.depth,
                     info->mipLevels, info->arrayLayers, device->info->id, most.maxExtent.width,
                     most.maxExtent.height, most.maxExtent.depth, most.maxMipLevels,
                     most.maxArrayLayers);
}

bool vulkan_image_make(const struct vulkan_device *device, const struct gpu_image_desc *desc,
                       const struct vulkan_image_use *use, struct vulkan_image *image,
                       struct error *err)
{
    static const VkImageType types[] = {[GPU_IMAGE_1D] = VK_IMAGE_TYPE_1D,
                                        [GPU_IMAGE_2D] = VK_IMAGE_TYPE_2D,
                                        [GPU_IMAGE_3D] = VK_IMAGE_TYPE_3D,
                                        [GPU_IMAGE_CUBE] = VK_IMAGE_TYPE_2D};
    bool shared = device->family_count > 1;
    VkImageCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
        .flags = desc->kind == GPU_IMAGE_CUBE ? VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT : 0,
        .imageType = types[desc->kind],
        .format = use->format,
        .extent = {desc->width, desc->height, desc->depth},
        .mipLevels = desc->mips,
        .arrayLayers = desc->layers,
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .tiling = VK_IMAGE_TILING_OPTIMAL,
        .usage = use->usage,
        .sharingMode = shared ? VK_SHARING_MODE_CONCURRENT : VK_SHARING_MODE_EXCLUSIVE,
        .queueFamilyIndexCount = shared ? device->family_count : 0,
        .pQueueFamilyIndices = device->families,
        .initialLayout = VK_IMAGE_LAYOUT_UNDEFINED,
    };
    if (!check_size(device, &info, use->what, err))
        return false;
    VkResult result = device->vk.vkCreateImage(device->handle, &info, NULL, &image->handle);
    if (result != VK_SUCCESS)
        return vulkan_error(err, result, "%s: vkCreateImage", use->what);
    struct vulkan_allocation allocation = {.memory = GPU_MEMORY_DEVICE, .what = use->what};
    device->vk.vkGetImageMemoryRequirements(device->handle, image->handle, &allocation.needs);
    if (!vulkan_memory_allocate(device, &allocation, &image->memory, err))
        return false;
    result = device->vk.vkBindImageMemory(device->handle, image->handle, image->memory, 0);
    if (result != VK_SUCCESS)
        return vulkan_error(err, result, "%s: vkBindImageMemory", use->what);
    VkImageViewCreateInfo view = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
        .image = image->handle,
        .viewType = view_type(desc),
        .format = use->format,
        .subresourceRange = {.aspectMask = use->aspect,
                             .levelCount = desc->mips,
                             .layerCount = desc->layers},
    };
    result = device->vk.vkCreateImageView(device->handle, &view, NULL, &image->view);
    return result == VK_SUCCESS || vulkan_error(err, result, "%s: vkCreateImageView", use->what);
}

// ---------------------------------------------------------------- filling images

void vulkan_image_barrier(const struct vulkan_device *device, VkCommandBuffer commands,
                          const struct vulkan_image_change *change)
{
    static const VkImageSubresourceRange all = {.aspectMask = VK_IMAGE_ASPECT_COLOR_BIT,
                                                .levelCount = VK_REMAINING_MIP_LEVELS,
                                                .layerCount = VK_REMAINING_ARRAY_LAYERS};
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
        .subresourceRange = change->part ? *change->part : all,
    };
    VkDependencyInfo dependency = {.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
                                   .imageMemoryBarrierCount = 1,
                                   .pImageMemoryBarriers = &barrier};
    device->vk.vkCmdPipelineBarrier2(commands, &dependency);
}

// Records a change of layout of an image, or of a part of it, for a transfer.
static void record_layout(const struct vulkan_device *device, const struct vulkan_image *image,
                          const VkImageSubresourceRange *part, VkImageLayout from, VkImageLayout to)
{
    vulkan_image_barrier(device, device->transfer.commands,
                         &(struct vulkan_image_change){
                             .image = image->handle,
                             .part = part,
                             .from = from,
                             .to = to,
                             .after = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
                             .written = VK_ACCESS_2_MEMORY_WRITE_BIT,
                             .before = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
                             .used = VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT,
                         });
}

struct gpu_image *vulkan_image_create(struct gpu_scope *scope, const struct gpu_image_desc *desc,
                                      struct error *err)
{
    struct vulkan_device *device = vulkan_scope_device(scope);
    VkFormatFeatureFlags features = vulkan_format_features(device, formats[desc->format]);
    if (!check_format(device, desc, features, err))
        return NULL;
    const struct vulkan_image_use use = {
        .format = formats[desc->format],
        .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
                 (desc->storage ? VK_IMAGE_USAGE_STORAGE_BIT : 0u),
        .aspect = VK_IMAGE_ASPECT_COLOR_BIT,
        .what = "image",
    };
    struct vulkan_image *image = ARENA_NEW(scope->arena, struct vulkan_image);
    image->base.filterable = features & VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT;
    image->layout =
        desc->storage ? VK_IMAGE_LAYOUT_GENERAL : VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
    if (vulkan_image_make(device, desc, &use, image, err) && vulkan_transfer_begin(device, err)) {
        record_layout(device, image, NULL, VK_IMAGE_LAYOUT_UNDEFINED, image->layout);
        if (vulkan_transfer_end(device, err))
            return &image->base;
    }
    if (!device->base.hung)
        vulkan_image_destroy(device, image);
    return NULL;
}

void vulkan_image_destroy(struct vulkan_device *device, struct vulkan_image *image)
{
    device->vk.vkDestroyImageView(device->handle, image->view, NULL);
    device->vk.vkDestroyImage(device->handle, image->handle, NULL);
    device->vk.vkFreeMemory(device->handle, image->memory, NULL);
}

static bool copy_into(struct vulkan_device *device, const struct vulkan_image *image,
                      VkBuffer source, const VkBufferImageCopy *region, struct error *err)
{
    VkImageSubresourceRange part = {
        .aspectMask = VK_IMAGE_ASPECT_COLOR_BIT,
        .baseMipLevel = region->imageSubresource.mipLevel,
        .levelCount = 1,
        .baseArrayLayer = region->imageSubresource.baseArrayLayer,
        .layerCount = 1,
    };
    if (!vulkan_transfer_begin(device, err))
        return false;
    record_layout(device, image, &part, image->layout, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    device->vk.vkCmdCopyBufferToImage(device->transfer.commands, source, image->handle,
                                      VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, region);
    record_layout(device, image, &part, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, image->layout);
    return vulkan_transfer_end(device, err);
}

bool vulkan_image_write(struct gpu_image *base, uint32_t mip, uint32_t layer, const void *texels,
                        uint64_t bytes, struct error *err)
{
    struct vulkan_device *device = vulkan_device_of(&base->object);
    uint32_t width = gpu_level_side(base->desc.width, mip);
    // In `height`, row_bytes and row_count, a row is a row of blocks of side × side texels.
    uint32_t side = gpu_format_block(base->desc.format);
    uint32_t texel_rows = gpu_level_side(base->desc.height, mip);
    uint32_t height = (texel_rows + side - 1) / side;
    uint64_t row_bytes =
        (uint64_t)((width + side - 1) / side) * gpu_format_bytes(base->desc.format);
    uint32_t rows_at_once = (uint32_t)(VULKAN_STAGING_BYTES / row_bytes);
    uint64_t row_count = bytes / row_bytes; // number of rows of blocks in all slices together
    if (rows_at_once == 0)
        return error_set(err, ERROR_UNSUPPORTED,
                         "gpu_image_write: a row of %" PRIu64 " bytes is longer than the staging "
                         "buffer, which has %d",
                         row_bytes, VULKAN_STAGING_BYTES);
    if (!vulkan_transfer_need(device, err))
        return error_prefix(err, "gpu_image_write");
    for (uint64_t row = 0; row < row_count;) {
        uint32_t y = (uint32_t)(row % height);
        uint32_t rows = height - y < rows_at_once ? height - y : rows_at_once;
        memcpy(device->transfer.staging.base.mapped, (const char *)texels + row * row_bytes,
               rows * row_bytes);
        VkBufferImageCopy region = {
            .imageSubresource = {.aspectMask = VK_IMAGE_ASPECT_COLOR_BIT,
                                 .mipLevel = mip,
                                 .baseArrayLayer = layer,
                                 .layerCount = 1},
            .imageOffset = {.y = (int32_t)(y * side), .z = (int32_t)(row / height)},
            .imageExtent = {width, rows * side, 1},
        };
        if (region.imageExtent.height > texel_rows - y * side)
            region.imageExtent.height = texel_rows - y * side;
        if (!copy_into(device, (struct vulkan_image *)base, device->transfer.staging.handle,
                       &region, err))
            return error_prefix(err, "gpu_image_write");
        row += rows;
    }
    return true;
}

bool vulkan_image_copy_from(struct gpu_image *base, struct gpu_buffer *source, uint64_t offset,
                            struct error *err)
{
    struct vulkan_device *device = vulkan_device_of(&base->object);
    VkBufferImageCopy region = {
        .bufferOffset = offset,
        .imageSubresource = {.aspectMask = VK_IMAGE_ASPECT_COLOR_BIT, .layerCount = 1},
        .imageExtent = {base->desc.width, base->desc.height, base->desc.depth},
    };
    return copy_into(device, (struct vulkan_image *)base, ((struct vulkan_buffer *)source)->handle,
                     &region, err) ||
           error_prefix(err, "gpu_image_copy_from");
}

// ---------------------------------------------------------------- samplers

struct gpu_sampler *vulkan_sampler_create(struct gpu_scope *scope,
                                          const struct gpu_sampler_desc *desc, struct error *err)
{
    struct vulkan_device *device = vulkan_scope_device(scope);
    bool anisotropic = desc->anisotropy > 1.0f;
    float most = device->physical->features.core.features.samplerAnisotropy
                     ? device->physical->max_anisotropy
                     : 1.0f;
    if (anisotropic && desc->anisotropy > most) {
        error_set(err, ERROR_UNSUPPORTED, "sampler: anisotropy %g, %s allows %g",
                  (double)desc->anisotropy, device->info->id, (double)most);
        return NULL;
    }
    VkSamplerAddressMode wrap = desc->wrap == GPU_WRAP_CLAMP ? VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE
                                                             : VK_SAMPLER_ADDRESS_MODE_REPEAT;
    VkFilter filter = desc->filter == GPU_FILTER_LINEAR ? VK_FILTER_LINEAR : VK_FILTER_NEAREST;
    VkSamplerCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
        .magFilter = filter,
        .minFilter = filter,
        .mipmapMode = desc->mip_filter == GPU_FILTER_LINEAR ? VK_SAMPLER_MIPMAP_MODE_LINEAR
                                                            : VK_SAMPLER_MIPMAP_MODE_NEAREST,
        .addressModeU = wrap,
        .addressModeV = wrap,
        .addressModeW = wrap,
        .anisotropyEnable = anisotropic,
        .maxAnisotropy = anisotropic ? desc->anisotropy : 1.0f,
        .maxLod = VK_LOD_CLAMP_NONE,
    };
    struct vulkan_sampler *sampler = ARENA_NEW(scope->arena, struct vulkan_sampler);
    VkResult result = device->vk.vkCreateSampler(device->handle, &info, NULL, &sampler->handle);
    if (result == VK_SUCCESS)
        return &sampler->base;
    vulkan_error(err, result, "vkCreateSampler");
    return NULL;
}

void vulkan_sampler_destroy(struct vulkan_device *device, struct vulkan_sampler *sampler)
{
    device->vk.vkDestroySampler(device->handle, sampler->handle, NULL);
}
