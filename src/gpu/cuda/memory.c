// SPDX-License-Identifier: MIT
// Buffers, managed memory, and access between devices. Typed views, images and samplers are in
// image.c.
#include "gpu/cuda/cuda.h"

#include <inttypes.h>

enum {
    // Alignment of buffers in bytes. cuMemAlloc aligns to 512, but some rates of loads then differ
    // by up to 9 % between addresses of an H200 (docs/evidence/loads.md).
    BUFFER_ALIGNMENT_BYTES = 64 * 1024,
    // Allocations below this size ask for BUFFER_ALIGNMENT_BYTES more in any case. Larger
    // allocations do so only after a first address that is not aligned.
    LARGE_BYTES = 2 * 1024 * 1024
};

struct cuda_buffer {
    struct gpu_buffer base;
    // Address of the driver's allocation, which contains base.address; 0 for host memory.
    uint64_t memory;
};

// Checks the result and the address of a function that allocates memory, because a driver may
// report success without an address.
static bool check_memory(const struct cuda_api *api, int result, bool has_address, const char *what,
                         struct error *err)
{
    return cuda_check(api, result, what, err) &&
           (has_address ||
            error_set(err, ERROR_OUT_OF_MEMORY, "%s: the driver gave no address", what));
}

bool cuda_host_alloc(const struct cuda_api *api, uint64_t bytes, void **memory, uint64_t *address,
                     struct error *err)
{
    int result =
        api->cuMemHostAlloc(memory, bytes, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP);
    if (!check_memory(api, result, *memory, "cuMemHostAlloc", err))
        return false;
    if (cuda_check(api, api->cuMemHostGetDevicePointer_v2(address, *memory, 0),
                   "cuMemHostGetDevicePointer", err))
        return true;
    api->cuMemFreeHost(*memory);
    return false;
}

static bool allocate_device(struct cuda_device *device, struct cuda_buffer *buffer, uint64_t bytes,
                            struct error *err)
{
    const struct cuda_api *api = device->api;
    for (uint64_t spare = bytes < LARGE_BYTES ? BUFFER_ALIGNMENT_BYTES : 0;;
         spare = BUFFER_ALIGNMENT_BYTES) {
        int result = api->cuMemAlloc_v2(&buffer->memory, bytes + spare);
        if (!check_memory(api, result, buffer->memory, "cuMemAlloc", err))
            return false;
        uint64_t past = buffer->memory % BUFFER_ALIGNMENT_BYTES;
        uint64_t skipped = past ? BUFFER_ALIGNMENT_BYTES - past : 0;
        if (skipped <= spare) {
            buffer->base.address = buffer->memory + skipped;
            return true;
        }
        cuda_free(device, (struct cuda_owned){.memory = buffer->memory});
    }
}

static bool allocate(struct cuda_device *device, struct cuda_buffer *buffer,
                     const struct gpu_buffer_desc *desc, struct error *err)
{
    const struct cuda_api *api = device->api;
    struct gpu_buffer *base = &buffer->base;
    int result;
    switch (desc->memory) {
    case GPU_MEMORY_DEVICE:
        return allocate_device(device, buffer, desc->bytes, err);
    case GPU_MEMORY_UPLOAD:
    case GPU_MEMORY_READBACK:
        return cuda_host_alloc(api, desc->bytes, &base->mapped, &base->address, err);
    case GPU_MEMORY_MANAGED:
        result = api->cuMemAllocManaged(&buffer->memory, desc->bytes, CU_MEM_ATTACH_GLOBAL);
        if (!check_memory(api, result, buffer->memory, "cuMemAllocManaged", err))
            return false;
        base->address = buffer->memory;
        base->mapped = (void *)(uintptr_t)buffer->memory;
        return true;
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
    if (!cuda_enter(device, err))
        return NULL;
    if (!allocate(device, buffer, desc, err)) {
        error_prefix(err, "%s: buffer of %" PRIu64 " bytes", scope->device->info->id, desc->bytes);
        return NULL;
    }
    return &buffer->base;
}

void cuda_buffer_destroy(struct gpu_buffer *buffer)
{
    bool is_host = buffer->memory == GPU_MEMORY_UPLOAD || buffer->memory == GPU_MEMORY_READBACK;
    cuda_free(cuda_device_of(&buffer->object),
              is_host ? (struct cuda_owned){.host = buffer->mapped}
                      : (struct cuda_owned){.memory = ((struct cuda_buffer *)buffer)->memory});
}

// ---------------------------------------------------------------- host copies

// The driver's copy has no time limit, so cuda_stream_drain waits first, with a limit.
bool cuda_buffer_write(struct gpu_buffer *buffer, uint64_t offset, const void *data, uint64_t bytes,
                       struct error *err)
{
    struct cuda_device *device = cuda_device_of(&buffer->object);
    struct cu_stream *stream = ((struct cuda_queue *)device->base.queues[0])->stream;
    return cuda_enter(device, err) && cuda_stream_drain(device, stream, err) &&
           cuda_check(
               device->api,
               device->api->cuMemcpyHtoDAsync_v2(buffer->address + offset, data, bytes, stream),
               "cuMemcpyHtoDAsync", err) &&
           cuda_stream_drain(device, stream, err);
}

bool cuda_buffer_read(struct gpu_buffer *buffer, uint64_t offset, void *data, uint64_t bytes,
                      struct error *err)
{
    struct cuda_device *device = cuda_device_of(&buffer->object);
    struct cu_stream *stream = ((struct cuda_queue *)device->base.queues[0])->stream;
    return cuda_enter(device, err) && cuda_stream_drain(device, stream, err) &&
           cuda_check(
               device->api,
               device->api->cuMemcpyDtoHAsync_v2(data, buffer->address + offset, bytes, stream),
               "cuMemcpyDtoHAsync", err) &&
           cuda_stream_drain(device, stream, err);
}

// ---------------------------------------------------------------- managed memory

bool cuda_pages_check(const struct cuda_device *device, struct error *err)
{
    if (device->api->cuMemAdvise && device->api->cuMemPrefetchAsync && device->moves_pages)
        return cuda_enter(device, err);
    return error_set(err, ERROR_UNSUPPORTED,
                     "%s: this driver or system moves managed memory only as a whole "
                     "(no concurrent managed access)",
                     device->base.info->id);
}

bool cuda_managed_free_bytes(struct gpu_device *base, uint64_t *bytes, struct error *err)
{
    const struct cuda_device *device = (const struct cuda_device *)base;
    size_t left = 0, whole = 0;
    if (!cuda_enter(device, err) ||
        !cuda_check(device->api, device->api->cuMemGetInfo_v2(&left, &whole), "cuMemGetInfo", err))
        return false;
    *bytes = left;
    return true;
}

bool cuda_managed_advise(struct gpu_buffer *buffer, enum gpu_managed_advice advice,
                         struct error *err)
{
    const struct cuda_device *device = cuda_device_of(&buffer->object);
    if (!cuda_pages_check(device, err))
        return false;
    int what =
        advice == GPU_MANAGED_READ_MOSTLY ? CU_ADVISE_READ_MOSTLY : CU_ADVISE_PREFERRED_LOCATION;
    int where = advice == GPU_MANAGED_PREFER_HOST ? CU_DEVICE_CPU : device->device;
    if (!cuda_check(device->api,
                    device->api->cuMemAdvise(buffer->address, buffer->bytes, what, where),
                    "cuMemAdvise", err))
        return false;
    return advice != GPU_MANAGED_PREFER_HOST ||
           cuda_check(device->api,
                      device->api->cuMemAdvise(buffer->address, buffer->bytes,
                                               CU_ADVISE_ACCESSED_BY, device->device),
                      "cuMemAdvise", err);
}

// ---------------------------------------------------------------- other devices

bool cuda_peers_connect(struct gpu_device *from_base, struct gpu_device *to_base, bool *direct,
                        struct error *err)
{
    const struct cuda_device *from = (const struct cuda_device *)from_base;
    const struct cuda_device *to = (const struct cuda_device *)to_base;
    const struct cuda_api *api = from->api;
    int can = 0;
    if (!cuda_enter(from, err) ||
        !cuda_check(api, api->cuDeviceCanAccessPeer(&can, from->device, to->device),
                    "cuDeviceCanAccessPeer", err))
        return false;
    *direct = can != 0;
    if (!can)
        return true;
    int result = api->cuCtxEnablePeerAccess(to->context, 0);
    return result == CU_PEER_ACCESS_ALREADY_ENABLED ||
           cuda_check(api, result, "cuCtxEnablePeerAccess", err);
}
