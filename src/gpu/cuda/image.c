// SPDX-License-Identifier: MIT
// Typed views, images and samplers. Kernels get the 64-bit handle of a texture object, which
// includes the sampler, or of a surface object if they write the image.
#include "gpu/cuda/cuda.h"

enum {
    ANISOTROPY_MOST = 16,
};

static int array_format(enum gpu_format format)
{
    static const int formats[] = {
        [GPU_CHANNEL_UNORM8] = CU_FORMAT_UINT8,
        [GPU_CHANNEL_HALF] = CU_FORMAT_HALF,
        [GPU_CHANNEL_FLOAT] = CU_FORMAT_FLOAT,
        [GPU_CHANNEL_UINT32] = CU_FORMAT_UINT32,
    };
    return formats[gpu_format_channel_type(format)];
}

// Returns the flag of UINT formats, whose reads return integers; 0 for other formats. Without the
// flag, reads of a UNORM format return floats in [0, 1].
static unsigned read_flags(enum gpu_format format)
{
    return array_format(format) == CU_FORMAT_UINT32 ? CU_TEXTURE_READ_AS_INTEGER : 0;
}

static bool check_format(enum gpu_format format, struct error *err)
{
    return !gpu_format_is_packed(format) ||
           error_set(err, ERROR_UNSUPPORTED,
                     "%s: not offered through CUDA here, only through Vulkan",
                     gpu_format_name(format));
}

// ---------------------------------------------------------------- typed views

struct gpu_typed *cuda_typed_create(struct gpu_scope *scope, struct gpu_buffer *buffer,
                                    enum gpu_format format, uint64_t offset, uint64_t elements,
                                    struct error *err)
{
    struct cuda_device *device = (struct cuda_device *)scope->device;
    struct cuda_typed *typed = ARENA_NEW(scope->arena, struct cuda_typed);
    struct cu_resource resource = {
        .type = CU_RESOURCE_LINEAR,
        .of.linear = {.device = buffer->address + offset,
                      .format = array_format(format),
                      .channels = gpu_format_channels(format),
                      .bytes = elements * gpu_format_bytes(format)},
    };
    struct cu_texture texture = {.flags = read_flags(format)};
    if (!check_format(format, err) || !cuda_enter(device, err) ||
        !cuda_check(device->api,
                    device->api->cuTexObjectCreate(&typed->texture, &resource, &texture, NULL),
                    "cuTexObjectCreate", err)) {
        error_prefix(err, "typed view of %s", gpu_format_name(format));
        return NULL;
    }
    // `writable` stays false: CUDA kernels cannot write to typed views of buffers.
    return &typed->base;
}

void cuda_typed_destroy(struct cuda_typed *typed)
{
    cuda_device_of(&typed->base.object)->api->cuTexObjectDestroy(typed->texture);
}

// ---------------------------------------------------------------- images

static struct cu_array_desc array_desc(const struct gpu_image_desc *desc)
{
    bool cube = desc->kind == GPU_IMAGE_CUBE;
    struct cu_array_desc array = {
        .width = desc->width,
        .height = desc->kind == GPU_IMAGE_1D ? 0 : desc->height,
        .depth = desc->kind == GPU_IMAGE_3D ? desc->depth : 0,
        .format = array_format(desc->format),
        .channels = gpu_format_channels(desc->format),
    };
    if (cube || desc->layers > 1)
        array.depth = desc->layers;
    if (cube)
        array.flags |= CU_ARRAY3D_CUBEMAP;
    if (desc->layers > (cube ? 6u : 1u))
        array.flags |= CU_ARRAY3D_LAYERED;
    if (desc->storage)
        array.flags |= CU_ARRAY3D_SURFACE_LDST;
    if (desc->gather)
        array.flags |= CU_ARRAY3D_TEXTURE_GATHER;
    return array;
}

// Mipmapped arrays have lower size limits, so an image with one mip level gets a CUDA array.
static bool create_array(const struct cuda_api *api, struct cuda_image *image,
                         const struct gpu_image_desc *desc, struct error *err)
{
    struct cu_array_desc array = array_desc(desc);
    if (desc->mips == 1)
        return cuda_check(api, api->cuArray3DCreate_v2(&image->array, &array), "cuArray3DCreate",
                          err);
    return cuda_check(api, api->cuMipmappedArrayCreate(&image->mipmap, &array, desc->mips),
                      "cuMipmappedArrayCreate", err) &&
           cuda_check(api, api->cuMipmappedArrayGetLevel(&image->array, image->mipmap, 0),
                      "cuMipmappedArrayGetLevel", err);
}

// Creates the texture object, and for storage the surface object; both access only mip level 0.
static bool create_objects(const struct cuda_api *api, struct cuda_image *image,
                           const struct gpu_image_desc *desc, struct error *err)
{
    struct cu_resource level = {.type = CU_RESOURCE_ARRAY};
    struct cu_texture texture = {
        .address = {CU_ADDRESS_CLAMP, CU_ADDRESS_CLAMP, CU_ADDRESS_CLAMP},
        .flags = read_flags(desc->format) |
                 (desc->kind == GPU_IMAGE_CUBE ? CU_TEXTURE_NORMALIZED_COORDINATES : 0u),
    };
    level.of.array = image->array;
    if (!cuda_check(api, api->cuTexObjectCreate(&image->texture, &level, &texture, NULL),
                    "cuTexObjectCreate", err))
        return false;
    return !desc->storage || cuda_check(api, api->cuSurfObjectCreate(&image->surface, &level),
                                        "cuSurfObjectCreate", err);
}

struct gpu_image *cuda_image_create(struct gpu_scope *scope, const struct gpu_image_desc *desc,
                                    struct error *err)
{
    struct cuda_device *device = (struct cuda_device *)scope->device;
    struct cuda_image *image = ARENA_NEW(scope->arena, struct cuda_image);
    image->base.object.scope = scope; // the scope is set first, because cuda_image_destroy reads it
    if (!check_format(desc->format, err) || !cuda_enter(device, err))
        return NULL;
    if (desc->storage && array_format(desc->format) == CU_FORMAT_UINT8) {
        error_set(err, ERROR_UNSUPPORTED, "image of %s: CUDA has no normalised stores",
                  gpu_format_name(desc->format));
        return NULL;
    }
    if (!create_array(device->api, image, desc, err) ||
        !create_objects(device->api, image, desc, err)) {
        error_prefix(err, "image of %s", gpu_format_name(desc->format));
        cuda_image_destroy(image);
        return NULL;
    }
    image->base.filterable = array_format(desc->format) != CU_FORMAT_UINT32;
    return &image->base;
}

void cuda_image_destroy(struct cuda_image *image)
{
    struct cuda_device *device = cuda_device_of(&image->base.object);
    if (image->surface)
        device->api->cuSurfObjectDestroy(image->surface);
    if (image->texture)
        device->api->cuTexObjectDestroy(image->texture);
    cuda_free(device, image->mipmap ? (struct cuda_owned){.mipmap = image->mipmap}
                                    : (struct cuda_owned){.array = image->array});
}

// ---------------------------------------------------------------- contents

static bool level_array(const struct cuda_api *api, const struct cuda_image *image, uint32_t mip,
                        struct cu_array **array, struct error *err)
{
    *array = image->array;
    return mip == 0 || cuda_check(api, api->cuMipmappedArrayGetLevel(array, image->mipmap, mip),
                                  "cuMipmappedArrayGetLevel", err);
}

// Copies texels to one mip level of one layer, and waits. The rows have no gaps.
static bool fill_level(struct cuda_image *image, uint32_t mip, uint32_t layer,
                       struct cu_copy_end from, struct error *err)
{
    struct cuda_device *device = cuda_device_of(&image->base.object);
    const struct gpu_image_desc *desc = &image->base.desc;
    struct cu_stream *stream = ((struct cuda_queue *)device->base.queues[0])->stream;
    struct cu_copy copy = {
        .from = from,
        .to = {.memory = CU_MEMORY_ARRAY, .z = layer},
        .width_bytes = (size_t)gpu_level_side(desc->width, mip) * gpu_format_bytes(desc->format),
        .height = gpu_level_side(desc->height, mip),
        .depth = gpu_level_side(desc->depth, mip),
    };
    copy.from.pitch = copy.width_bytes;
    copy.from.height = copy.height;
    return cuda_enter(device, err) && cuda_stream_drain(device, stream, err) &&
           level_array(device->api, image, mip, &copy.to.array, err) &&
           cuda_check(device->api, device->api->cuMemcpy3DAsync_v2(&copy, stream),
                      "cuMemcpy3DAsync", err) &&
           cuda_stream_drain(device, stream, err);
}

bool cuda_image_write(struct gpu_image *image, uint32_t mip, uint32_t layer, const void *texels,
                      uint64_t bytes, struct error *err)
{
    (void)bytes; // the front end has checked `bytes`: it is the size of the mip level
    // struct cu_copy_end has no const, but the driver only reads a source
    return fill_level(
        (struct cuda_image *)image, mip, layer,
        (struct cu_copy_end){.memory = CU_MEMORY_HOST, .host = (void *)(uintptr_t)texels}, err);
}

bool cuda_image_copy_from(struct gpu_image *image, struct gpu_buffer *source, uint64_t offset,
                          struct error *err)
{
    return fill_level(
        (struct cuda_image *)image, 0, 0,
        (struct cu_copy_end){.memory = CU_MEMORY_DEVICE, .device = source->address + offset}, err);
}

// ---------------------------------------------------------------- samplers

struct gpu_sampler *cuda_sampler_create(struct gpu_scope *scope,
                                        const struct gpu_sampler_desc *desc, struct error *err)
{
    if (desc->anisotropy > ANISOTROPY_MOST) {
        error_set(err, ERROR_UNSUPPORTED, "anisotropy %g: CUDA allows %d", (double)desc->anisotropy,
                  ANISOTROPY_MOST);
        return NULL;
    }
    // The front end keeps the description; a batch makes a texture object from it.
    return ARENA_NEW(scope->arena, struct gpu_sampler);
}

bool cuda_texture_sampled(const struct cuda_device *device, const struct cuda_image *image,
                          const struct gpu_sampler *sampler, uint64_t *texture, struct error *err)
{
    const struct gpu_image_desc *desc = &image->base.desc;
    int address = sampler->desc.wrap == GPU_WRAP_CLAMP ? CU_ADDRESS_CLAMP : CU_ADDRESS_WRAP;
    struct cu_texture view = {
        .address = {address, address, address},
        .filter = sampler->desc.filter == GPU_FILTER_LINEAR ? CU_FILTER_LINEAR : CU_FILTER_POINT,
        .mip_filter =
            sampler->desc.mip_filter == GPU_FILTER_LINEAR ? CU_FILTER_LINEAR : CU_FILTER_POINT,
        .flags = read_flags(desc->format) | CU_TEXTURE_NORMALIZED_COORDINATES,
        .anisotropy = (unsigned)sampler->desc.anisotropy,
        .mip_most = (float)(desc->mips - 1),
    };
    struct cu_resource resource = {.type = CU_RESOURCE_ARRAY};
    resource.of.array = image->array;
    if (image->mipmap) {
        resource.type = CU_RESOURCE_MIPMAPPED_ARRAY;
        resource.of.mipmap = image->mipmap;
    }
    return cuda_check(device->api, device->api->cuTexObjectCreate(texture, &resource, &view, NULL),
                      "cuTexObjectCreate", err);
}
