// SPDX-License-Identifier: MIT
// Buffers. Typed views, images and samplers: image.c.
#include "gpu/cuda/cuda.h"

#include <inttypes.h>

static bool allocate_host(const struct cuda_api *api, struct cuda_buffer *buffer, uint64_t bytes,
                          struct error *err)
{
    void *memory = NULL;
    if (!cuda_check(api,
                    api->cuMemHostAlloc(&memory, bytes,
                                        CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP),
                    "cuMemHostAlloc", err))
        return false;
    if (!cuda_check(api, api->cuMemHostGetDevicePointer_v2(&buffer->address, memory, 0),
                    "cuMemHostGetDevicePointer", err)) {
        api->cuMemFreeHost(memory);
        return false;
    }
    buffer->base.mapped = memory;
    return true;
}

static bool allocate_managed(const struct cuda_device *device, struct cuda_buffer *buffer,
                             uint64_t bytes, struct error *err)
{
    const struct cuda_api *api = device->api;
    if (!cuda_check(api, api->cuMemAllocManaged(&buffer->address, bytes, CU_MEM_ATTACH_GLOBAL),
                    "cuMemAllocManaged", err))
        return false;
    buffer->base.mapped = (void *)(uintptr_t)buffer->address;
    return true;
}

static bool allocate(const struct cuda_device *device, struct cuda_buffer *buffer,
                     const struct gpu_buffer_desc *desc, struct error *err)
{
    switch (desc->memory) {
    case GPU_MEMORY_DEVICE:
        return cuda_check(device->api, device->api->cuMemAlloc_v2(&buffer->address, desc->bytes),
                          "cuMemAlloc", err);
    case GPU_MEMORY_UPLOAD:
    case GPU_MEMORY_READBACK:
        return allocate_host(device->api, buffer, desc->bytes, err);
    case GPU_MEMORY_MANAGED:
        return allocate_managed(device, buffer, desc->bytes, err);
    case GPU_MEMORY_VISIBLE:
        break;
    }
    return error_set(err, ERROR_UNSUPPORTED, "CUDA has no host-visible device memory");
}

struct gpu_buffer *cuda_buffer_create(struct gpu_scope *scope, const struct gpu_buffer_desc *desc,
                                      struct error *err)
{
    struct cuda_device *device = (struct cuda_device *)scope->device;
    struct cuda_buffer *buffer = ARENA_NEW(scope->arena, struct cuda_buffer);
    buffer->base.memory = desc->memory;
    if (!cuda_enter(device, err))
        return NULL;
    if (!allocate(device, buffer, desc, err)) {
        error_prefix(err, "%s: buffer of %" PRIu64 " bytes", scope->device->info->id, desc->bytes);
        return NULL;
    }
    buffer->base.address = buffer->address;
    return &buffer->base;
}

// ---------------------------------------------------------------- freeing

static void free_now(const struct cuda_api *api, const struct cuda_owned *owned)
{
    if (owned->memory)
        api->cuMemFree_v2(owned->memory);
    if (owned->host)
        api->cuMemFreeHost(owned->host);
    if (owned->module)
        api->cuModuleUnload(owned->module);
    if (owned->mipmap)
        api->cuMipmappedArrayDestroy(owned->mipmap);
    if (owned->array)
        api->cuArrayDestroy(owned->array);
}

void cuda_free(struct cuda_device *device, struct cuda_owned owned)
{
    if (device->held == 0) {
        free_now(device->api, &owned);
        return;
    }
    struct cuda_kept *kept = ARENA_NEW(device->base.arena, struct cuda_kept);
    *kept = (struct cuda_kept){.next = device->kept, .owned = owned};
    device->kept = kept;
}

void cuda_free_kept(struct cuda_device *device)
{
    for (; device->kept; device->kept = device->kept->next)
        free_now(device->api, &device->kept->owned);
}

void cuda_buffer_destroy(struct cuda_buffer *buffer)
{
    bool is_host =
        buffer->base.memory == GPU_MEMORY_UPLOAD || buffer->base.memory == GPU_MEMORY_READBACK;
    cuda_free(cuda_device_of(&buffer->base.object),
              is_host ? (struct cuda_owned){.host = buffer->base.mapped}
                      : (struct cuda_owned){.memory = buffer->address});
}

// ---------------------------------------------------------------- host copies

// The stream is drained first, so that the driver's own copy, which has no time-out, has nothing to
// wait for.
bool cuda_buffer_write(struct gpu_buffer *base, uint64_t offset, const void *data, uint64_t bytes,
                       struct error *err)
{
    struct cuda_buffer *buffer = (struct cuda_buffer *)base;
    struct cuda_device *device = cuda_device_of(&base->object);
    struct cu_stream *stream = ((struct cuda_queue *)device->base.queues[0])->stream;
    return cuda_enter(device, err) && cuda_stream_drain(device, stream, err) &&
           cuda_check(
               device->api,
               device->api->cuMemcpyHtoDAsync_v2(buffer->address + offset, data, bytes, stream),
               "cuMemcpyHtoDAsync", err) &&
           cuda_stream_drain(device, stream, err);
}

bool cuda_buffer_read(struct gpu_buffer *base, uint64_t offset, void *data, uint64_t bytes,
                      struct error *err)
{
    struct cuda_buffer *buffer = (struct cuda_buffer *)base;
    struct cuda_device *device = cuda_device_of(&base->object);
    struct cu_stream *stream = ((struct cuda_queue *)device->base.queues[0])->stream;
    return cuda_enter(device, err) && cuda_stream_drain(device, stream, err) &&
           cuda_check(
               device->api,
               device->api->cuMemcpyDtoHAsync_v2(data, buffer->address + offset, bytes, stream),
               "cuMemcpyDtoHAsync", err) &&
           cuda_stream_drain(device, stream, err);
}
