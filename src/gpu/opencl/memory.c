// SPDX-License-Identifier: MIT
// Creates and copies buffers. Typed views, images and samplers are in image.c.
#include "gpu/opencl/opencl.h"

#include <inttypes.h>

static bool is_host(enum gpu_memory memory)
{
    return memory == GPU_MEMORY_UPLOAD || memory == GPU_MEMORY_READBACK;
}

// Maps a buffer in host memory. Only a batch that uses the buffer unmaps it (opencl_batch.lent).
static bool map(struct opencl_device *device, struct opencl_buffer *buffer, uint64_t bytes,
                struct error *err)
{
    cl_event event = NULL;
    cl_int result = CL_SUCCESS;
    buffer->base.mapped = device->api->clEnqueueMapBuffer(device->host, buffer->memory, CL_FALSE,
                                                          CL_MAP_READ | CL_MAP_WRITE, 0, bytes, 0,
                                                          NULL, &event, &result);
    if (result == CL_SUCCESS && !buffer->base.mapped)
        result = CL_MAP_FAILURE;
    return opencl_host_end(device, result, event, "clEnqueueMapBuffer", err);
}

// Uses the buffer for the first time. Drivers allocate its memory then, so a lack of memory shows
// early.
static bool touch(struct opencl_device *device, const struct opencl_buffer *buffer,
                  struct error *err)
{
    cl_event event = NULL;
    cl_int result = device->api->clEnqueueMigrateMemObjects(
        device->host, 1, &buffer->memory, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, 0, NULL, &event);
    return opencl_host_end(device, result, event, "clEnqueueMigrateMemObjects", err);
}

struct gpu_buffer *opencl_buffer_create(struct gpu_scope *scope, const struct gpu_buffer_desc *desc,
                                        struct error *err)
{
    struct opencl_device *device = (struct opencl_device *)scope->device;
    struct opencl_buffer *buffer = ARENA_NEW(scope->arena, struct opencl_buffer);
    cl_int result = CL_SUCCESS;
    if (desc->memory != GPU_MEMORY_DEVICE && !is_host(desc->memory)) {
        error_set(err, ERROR_UNSUPPORTED, "%s: OpenCL 1.2 has no host-visible device memory",
                  scope->device->info->id);
        return NULL;
    }
    cl_mem_flags flags = CL_MEM_READ_WRITE | (is_host(desc->memory) ? CL_MEM_ALLOC_HOST_PTR : 0u);
    // The scope is set first, because opencl_buffer_destroy reads it.
    buffer->base.object.scope = scope;
    buffer->base.memory = desc->memory;
    buffer->memory =
        device->api->clCreateBuffer(device->context, flags, desc->bytes, NULL, &result);
    if (opencl_check(result, "clCreateBuffer", err) &&
        (is_host(desc->memory) ? map(device, buffer, desc->bytes, err)
                               : touch(device, buffer, err)))
        return &buffer->base;
    error_prefix(err, "%s: buffer of %" PRIu64 " bytes", scope->device->info->id, desc->bytes);
    if (!device->base.hung)
        opencl_buffer_destroy(buffer);
    return NULL;
}

void opencl_buffer_destroy(struct opencl_buffer *buffer)
{
    if (buffer->memory) // the release of a buffer also unmaps it
        opencl_device_of(&buffer->base.object)->api->clReleaseMemObject(buffer->memory);
}

bool opencl_buffer_write(struct gpu_buffer *base, uint64_t offset, const void *data, uint64_t bytes,
                         struct error *err)
{
    struct opencl_buffer *buffer = (struct opencl_buffer *)base;
    struct opencl_device *device = opencl_device_of(&base->object);
    cl_event event = NULL;
    if (!opencl_host_begin(device, err))
        return false;
    cl_int result = device->api->clEnqueueWriteBuffer(device->host, buffer->memory, CL_FALSE,
                                                      offset, bytes, data, 0, NULL, &event);
    return opencl_host_end(device, result, event, "clEnqueueWriteBuffer", err);
}

bool opencl_buffer_read(struct gpu_buffer *base, uint64_t offset, void *data, uint64_t bytes,
                        struct error *err)
{
    struct opencl_buffer *buffer = (struct opencl_buffer *)base;
    struct opencl_device *device = opencl_device_of(&base->object);
    cl_event event = NULL;
    if (!opencl_host_begin(device, err))
        return false;
    cl_int result = device->api->clEnqueueReadBuffer(device->host, buffer->memory, CL_FALSE, offset,
                                                     bytes, data, 0, NULL, &event);
    return opencl_host_end(device, result, event, "clEnqueueReadBuffer", err);
}

bool opencl_buffer_range(const struct opencl_buffer *buffer, uint64_t offset, uint64_t bytes,
                         cl_mem *range, bool *made, struct error *err)
{
    const struct opencl_api *api = opencl_device_of(&buffer->base.object)->api;
    cl_buffer_region region = {.origin = offset, .size = bytes};
    cl_int result = CL_SUCCESS;
    *made = offset != 0 || bytes != buffer->base.bytes;
    *range = buffer->memory;
    if (!*made)
        return true;
    *range =
        api->clCreateSubBuffer(buffer->memory, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &result);
    *made = result == CL_SUCCESS;
    return opencl_check(result, "clCreateSubBuffer", err);
}
