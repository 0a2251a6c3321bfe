// SPDX-License-Identifier: MIT
// Creates images and samplers, and copies into images.
#include "gpu/front.h"

#include <inttypes.h>

enum gpu_channel_type gpu_format_channel_type(enum gpu_format format)
{
    unsigned bytes = gpu_format_bytes(format) / gpu_format_channels(format);
    if (bytes < 4)
        return bytes == 1 ? GPU_CHANNEL_UNORM8 : GPU_CHANNEL_HALF;
    return format < GPU_FORMAT_R32_UINT ? GPU_CHANNEL_FLOAT : GPU_CHANNEL_UINT32;
}

static const char *image_kind_name(enum gpu_image_kind kind)
{
    static const char *const names[] = {[GPU_IMAGE_1D] = "1-D",
                                        [GPU_IMAGE_2D] = "2-D",
                                        [GPU_IMAGE_3D] = "3-D",
                                        [GPU_IMAGE_CUBE] = "cube"};
    return names[kind];
}

static uint64_t side_limit(const struct gpu_limits *limits, enum gpu_image_kind kind)
{
    switch (kind) {
    case GPU_IMAGE_1D:
        return limits->image_1d;
    case GPU_IMAGE_3D:
        return limits->image_3d;
    case GPU_IMAGE_2D:
    case GPU_IMAGE_CUBE:
        break;
    }
    return limits->image_2d;
}

static uint32_t one_at_least(uint32_t value)
{
    return value ? value : 1;
}

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static struct gpu_image_desc resolve(const struct gpu_image_desc *desc)
{
    struct gpu_image_desc resolved = *desc;
    resolved.width = one_at_least(desc->width);
    resolved.height = one_at_least(desc->height);
    resolved.depth = one_at_least(desc->depth);
    resolved.mips = one_at_least(desc->mips);
    if (desc->layers == 0)
        resolved.layers = desc->kind == GPU_IMAGE_CUBE ? 6 : 1;
    return resolved;
}

static bool check_shape(const struct gpu_image_desc *desc, struct error *err)
{
    const char *rule = NULL;
    if ((unsigned)desc->format >= GPU_FORMAT_COUNT)
        return error_set(err, ERROR_INTERNAL, "image: no such format %d", (int)desc->format);
    if (desc->kind == GPU_IMAGE_1D && desc->height > 1)
        rule = "height must be 1";
    else if (desc->kind != GPU_IMAGE_3D && desc->depth > 1)
        rule = "depth must be 1";
    else if (desc->kind == GPU_IMAGE_3D && desc->layers > 1)
        rule = "layers must be 1";
    else if (desc->kind == GPU_IMAGE_CUBE && (desc->width != desc->height || desc->layers % 6))
        rule = "faces must be square and a multiple of 6";
    else if (desc->mips > 32 ||
             larger(larger(desc->width, desc->height), desc->depth) >> (desc->mips - 1) == 0)
        rule = "too many mip levels for its size";
    if (!rule)
        return true;
    return error_set(err, ERROR_INTERNAL,
                     "%s image of %" PRIu32 "x%" PRIu32 "x%" PRIu32 ", %" PRIu32 " layers, %" PRIu32
                     " mips: %s",
                     image_kind_name(desc->kind), desc->width, desc->height, desc->depth,
                     desc->layers, desc->mips, rule);
}

static bool check_size(const struct gpu_info *info, const struct gpu_image_desc *desc,
                       struct error *err)
{
    uint64_t side = side_limit(&info->limits, desc->kind);
    uint64_t layers = info->limits.image_layers;
    uint32_t longest = larger(larger(desc->width, desc->height), desc->depth);
    if (side && longest > side)
        return error_set(err, ERROR_UNSUPPORTED,
                         "%s image of %" PRIu32 " texels a side: %s allows %" PRIu64,
                         image_kind_name(desc->kind), longest, info->id, side);
    if (layers && desc->layers > layers)
        return error_set(err, ERROR_UNSUPPORTED, "image of %" PRIu32 " layers: %s allows %" PRIu64,
                         desc->layers, info->id, layers);
    return true;
}

struct gpu_image *gpu_image_create(struct gpu_scope *scope, const struct gpu_image_desc *desc,
                                   struct error *err)
{
    struct gpu_device *device = scope->device;
    struct gpu_image_desc resolved = resolve(desc);
    if (!gpu_require(device->info, GPU_CAP(IMAGES), err) || !check_shape(&resolved, err) ||
        !check_size(device->info, &resolved, err) || !gpu_host_copy_check(device, err))
        return NULL;
    struct gpu_image *image = device->backend->image_create(scope, &resolved, err);
    if (!gpu_device_note(device, image, err))
        return NULL;
    image->desc = resolved;
    gpu_object_adopt(scope, &image->object, GPU_OBJECT_IMAGE);
    return image;
}

static uint64_t level_bytes(const struct gpu_image_desc *desc, uint32_t mip)
{
    uint32_t side = gpu_format_block(desc->format);
    uint64_t columns = (gpu_level_side(desc->width, mip) + side - 1) / side;
    uint64_t rows = (gpu_level_side(desc->height, mip) + side - 1) / side;
    return columns * rows * gpu_level_side(desc->depth, mip) * gpu_format_bytes(desc->format);
}

bool gpu_image_write(struct gpu_image *image, uint32_t mip, uint32_t layer, const void *texels,
                     uint64_t bytes, struct error *err)
{
    struct gpu_device *device = image->object.scope->device;
    const struct gpu_image_desc *desc = &image->desc;
    if (mip >= desc->mips || layer >= desc->layers)
        return error_set(err, ERROR_INTERNAL,
                         "gpu_image_write: mip %" PRIu32 ", layer %" PRIu32
                         " of an image with %" PRIu32 " mips, %" PRIu32 " layers",
                         mip, layer, desc->mips, desc->layers);
    if (bytes != level_bytes(desc, mip))
        return error_set(err, ERROR_INTERNAL,
                         "gpu_image_write: %" PRIu64 " bytes for mip %" PRIu32
                         ", which has %" PRIu64,
                         bytes, mip, level_bytes(desc, mip));
    return gpu_host_copy_check(device, err) &&
           gpu_host_copy_note(
               device, device->backend->image_write(image, mip, layer, texels, bytes, err), err);
}

bool gpu_image_copy_from(struct gpu_image *image, struct gpu_buffer *source, uint64_t offset,
                         struct error *err)
{
    struct gpu_device *device = image->object.scope->device;
    unsigned texel_bytes = gpu_format_bytes(image->desc.format);
    unsigned align = texel_bytes < 4 ? 4 : texel_bytes;
    if (offset % align)
        return error_set(err, ERROR_INTERNAL,
                         "gpu_image_copy_from: offset %" PRIu64 " is not a multiple of %u", offset,
                         align);
    return gpu_object_check(device, source, "gpu_image_copy_from: buffer", err) &&
           gpu_range_check(source, offset, level_bytes(&image->desc, 0), "gpu_image_copy_from",
                           err) &&
           gpu_host_copy_check(device, err) &&
           gpu_host_copy_note(device, device->backend->image_copy_from(image, source, offset, err),
                              err);
}

// ---------------------------------------------------------------- samplers

struct gpu_sampler *gpu_sampler_create(struct gpu_scope *scope, const struct gpu_sampler_desc *desc,
                                       struct error *err)
{
    struct gpu_device *device = scope->device;
    if (!gpu_device_check(device, err) || !gpu_require(device->info, GPU_CAP(SAMPLERS), err))
        return NULL;
    if (!(desc->anisotropy >= 0.0f)) {
        error_set(err, ERROR_INTERNAL, "sampler: anisotropy %g", (double)desc->anisotropy);
        return NULL;
    }
    struct gpu_sampler *sampler = device->backend->sampler_create(scope, desc, err);
    if (!gpu_device_note(device, sampler, err))
        return NULL;
    sampler->desc = *desc;
    gpu_object_adopt(scope, &sampler->object, GPU_OBJECT_SAMPLER);
    return sampler;
}
