// SPDX-License-Identifier: MIT
// Typed views, which are OpenCL images over a buffer; images; samplers.
#include "gpu/opencl/opencl.h"

enum {
    FORMATS_MAX = 4096 // maximum number of formats that are read from a driver's list
};

static cl_image_format format_of(enum gpu_format format)
{
    static const cl_channel_order orders[] = {0, CL_R, CL_RG, 0, CL_RGBA};
    static const cl_channel_type types[] = {
        [GPU_CHANNEL_UNORM8] = CL_UNORM_INT8,
        [GPU_CHANNEL_HALF] = CL_HALF_FLOAT,
        [GPU_CHANNEL_FLOAT] = CL_FLOAT,
        [GPU_CHANNEL_UINT32] = CL_UNSIGNED_INT32,
    };
    return (cl_image_format){.image_channel_order = orders[gpu_format_channels(format)],
                             .image_channel_data_type = types[gpu_format_channel_type(format)]};
}

// Sets *found to true if the driver lists this format for this use. With other formats, some
// drivers crash or convert texels in software. Sets it to false for PoCL's half floats and all
// packed formats.
static bool find_format(const struct opencl_device *device, struct arena *arena, cl_mem_flags flags,
                        cl_mem_object_type type, enum gpu_format format, bool *found,
                        struct error *err)
{
    cl_image_format wanted = format_of(format);
    struct arena_mark mark = arena_mark(arena);
    cl_uint count = 0;
    const struct opencl_api *api = device->api;
    *found = false;
    if (gpu_format_is_packed(format) ||
        (device->pocl && wanted.image_channel_data_type == CL_HALF_FLOAT))
        return true;
    cl_int result = api->clGetSupportedImageFormats(device->context, flags, type, 0, NULL, &count);
    count = count < FORMATS_MAX ? count : FORMATS_MAX;
    cl_image_format *formats = ARENA_ARRAY(arena, count, cl_image_format);
    if (result == CL_SUCCESS && count)
        result =
            api->clGetSupportedImageFormats(device->context, flags, type, count, formats, NULL);
    for (cl_uint i = 0; result == CL_SUCCESS && i < count; i++)
        *found = *found || (formats[i].image_channel_order == wanted.image_channel_order &&
                            formats[i].image_channel_data_type == wanted.image_channel_data_type);
    arena_rewind(arena, mark);
    return opencl_check(result, "clGetSupportedImageFormats", err);
}

static bool create_image(const struct opencl_device *device, cl_mem_flags flags,
                         enum gpu_format format, const cl_image_desc *desc, cl_mem *image,
                         struct error *err)
{
    cl_image_format image_format = format_of(format);
    cl_int result = CL_SUCCESS;
    *image = device->api->clCreateImage(device->context, flags, &image_format, desc, NULL, &result);
    return opencl_check(result, "clCreateImage", err) ||
           error_prefix(err, "%s: %s", device->base.info->id, gpu_format_name(format));
}

// ---------------------------------------------------------------- typed views

struct gpu_typed *opencl_typed_create(struct gpu_scope *scope, struct gpu_buffer *buffer,
                                      enum gpu_format format, uint64_t offset, uint64_t elements,
                                      struct error *err)
{
    struct opencl_device *device = (struct opencl_device *)scope->device;
    struct opencl_typed *typed = ARENA_NEW(scope->arena, struct opencl_typed);
    cl_mem range = ((struct opencl_buffer *)buffer)->memory;
    bool made = false;
    bool writable = false, readable = false;
    // The scope is set first, because opencl_typed_destroy reads it.
    typed->base.object.scope = scope;
    if (!find_format(device, scope->arena, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE1D_BUFFER, format,
                     &writable, err) ||
        !find_format(device, scope->arena, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE1D_BUFFER, format,
                     &readable, err))
        return NULL;
    typed->base.writable = writable && !device->pocl;
    cl_mem_flags flags = typed->base.writable ? CL_MEM_READ_WRITE : CL_MEM_READ_ONLY;
    if (!typed->base.writable && !readable) {
        error_set(err, ERROR_UNSUPPORTED, "%s: no typed views of %s", device->base.info->id,
                  gpu_format_name(format));
        return NULL;
    }
    if (offset && device->pocl) {
        error_set(err, ERROR_UNSUPPORTED, "%s: PoCL has no typed views of %s from an offset on",
                  device->base.info->id, gpu_format_name(format));
        return NULL;
    }
    if (!device->pocl &&
        !opencl_buffer_range((struct opencl_buffer *)buffer, offset,
                             elements * gpu_format_bytes(format), &range, &made, err))
        return NULL;
    if (made)
        typed->range = range;
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = elements};
    desc.mem_object = range;
    if (create_image(device, flags, format, &desc, &typed->image, err))
        return &typed->base;
    opencl_typed_destroy(typed);
    return NULL;
}

void opencl_typed_destroy(struct opencl_typed *typed)
{
    const struct opencl_api *api = opencl_device_of(&typed->base.object)->api;
    if (typed->image)
        api->clReleaseMemObject(typed->image);
    if (typed->range)
        api->clReleaseMemObject(typed->range);
}

// ---------------------------------------------------------------- images

static bool describe(const struct gpu_image_desc *desc, cl_image_desc *image, struct error *err)
{
    bool array = desc->layers > 1;
    *image = (cl_image_desc){.image_width = desc->width,
                             .image_height = desc->height,
                             .image_depth = desc->depth,
                             .image_array_size = desc->layers};
    if (desc->mips > 1)
        return error_set(err, ERROR_UNSUPPORTED, "OpenCL 1.2 has no mip levels");
    switch (desc->kind) {
    case GPU_IMAGE_1D:
        image->image_type = array ? CL_MEM_OBJECT_IMAGE1D_ARRAY : CL_MEM_OBJECT_IMAGE1D;
        return true;
    case GPU_IMAGE_2D:
        image->image_type = array ? CL_MEM_OBJECT_IMAGE2D_ARRAY : CL_MEM_OBJECT_IMAGE2D;
        return true;
    case GPU_IMAGE_3D:
        image->image_type = CL_MEM_OBJECT_IMAGE3D;
        return true;
    case GPU_IMAGE_CUBE:
        break;
    }
    return error_set(err, ERROR_UNSUPPORTED, "OpenCL has no cube images");
}

struct gpu_image *opencl_image_create(struct gpu_scope *scope, const struct gpu_image_desc *desc,
                                      struct error *err)
{
    struct opencl_device *device = (struct opencl_device *)scope->device;
    struct opencl_image *image = ARENA_NEW(scope->arena, struct opencl_image);
    cl_mem_flags flags = desc->storage ? CL_MEM_READ_WRITE : CL_MEM_READ_ONLY;
    cl_image_desc image_desc;
    if (!describe(desc, &image_desc, err)) {
        error_prefix(err, "image of %s", gpu_format_name(desc->format));
        return NULL;
    }
    bool found;
    if (!find_format(device, scope->arena, flags, image_desc.image_type, desc->format, &found, err))
        return NULL;
    if (!found) {
        error_set(err, ERROR_UNSUPPORTED, "%s: no %simages of %s", device->base.info->id,
                  desc->storage ? "storage " : "", gpu_format_name(desc->format));
        return NULL;
    }
    if (!create_image(device, flags, desc->format, &image_desc, &image->image, err))
        return NULL;
    // PoCL 3.1 filters array images wrongly, so array images of PoCL do not count as filterable.
    image->base.filterable = format_of(desc->format).image_channel_data_type != CL_UNSIGNED_INT32 &&
                             !(device->pocl && desc->layers > 1);
    return &image->base;
}

void opencl_image_destroy(struct opencl_image *image)
{
    opencl_device_of(&image->base.object)->api->clReleaseMemObject(image->image);
}

// Sets position and size of one layer, whose number is the last coordinate of a texel.
static void layer_region(const struct gpu_image_desc *desc, uint32_t layer, size_t origin[3],
                         size_t region[3])
{
    region[0] = desc->width;
    region[1] = desc->height;
    region[2] = desc->depth;
    origin[0] = origin[1] = origin[2] = 0;
    origin[desc->kind == GPU_IMAGE_1D ? 1 : 2] = layer;
}

bool opencl_image_write(struct gpu_image *base, uint32_t mip, uint32_t layer, const void *texels,
                        uint64_t bytes, struct error *err)
{
    (void)mip; // `mip` is always 0, because OpenCL 1.2 images have only mip level 0
    (void)bytes;
    struct opencl_device *device = opencl_device_of(&base->object);
    size_t origin[3], region[3];
    cl_event event = NULL;
    if (!opencl_host_begin(device, err))
        return false;
    layer_region(&base->desc, layer, origin, region);
    cl_int result =
        device->api->clEnqueueWriteImage(device->host, ((struct opencl_image *)base)->image,
                                         CL_FALSE, origin, region, 0, 0, texels, 0, NULL, &event);
    return opencl_host_end(device, result, event, "clEnqueueWriteImage", err);
}

bool opencl_image_copy_from(struct gpu_image *base, struct gpu_buffer *source, uint64_t offset,
                            struct error *err)
{
    struct opencl_device *device = opencl_device_of(&base->object);
    size_t origin[3], region[3];
    cl_event event = NULL;
    if (source->mapped) // the device may not access a buffer that is mapped, so the host copies
        return opencl_image_write(base, 0, 0, (const char *)source->mapped + offset, 0, err);
    if (!opencl_host_begin(device, err))
        return false;
    layer_region(&base->desc, 0, origin, region);
    cl_int result = device->api->clEnqueueCopyBufferToImage(
        device->host, ((struct opencl_buffer *)source)->memory,
        ((struct opencl_image *)base)->image, offset, origin, region, 0, NULL, &event);
    return opencl_host_end(device, result, event, "clEnqueueCopyBufferToImage", err);
}

// ---------------------------------------------------------------- samplers

struct gpu_sampler *opencl_sampler_create(struct gpu_scope *scope,
                                          const struct gpu_sampler_desc *desc, struct error *err)
{
    struct opencl_device *device = (struct opencl_device *)scope->device;
    struct opencl_sampler *sampler = ARENA_NEW(scope->arena, struct opencl_sampler);
    cl_int result = CL_SUCCESS;
    if (desc->anisotropy > 1.0f) {
        error_set(err, ERROR_UNSUPPORTED, "anisotropy %g: OpenCL has no such filter",
                  (double)desc->anisotropy);
        return NULL;
    }
    sampler->sampler = device->api->clCreateSampler(
        device->context, CL_TRUE,
        desc->wrap == GPU_WRAP_CLAMP ? CL_ADDRESS_CLAMP_TO_EDGE : CL_ADDRESS_REPEAT,
        desc->filter == GPU_FILTER_LINEAR ? CL_FILTER_LINEAR : CL_FILTER_NEAREST, &result);
    return opencl_check(result, "clCreateSampler", err) ? &sampler->base : NULL;
}

void opencl_sampler_destroy(struct opencl_sampler *sampler)
{
    opencl_device_of(&sampler->base.object)->api->clReleaseSampler(sampler->sampler);
}
