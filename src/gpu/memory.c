// SPDX-License-Identifier: MIT
// Creates and copies buffers, and creates typed views. Images and samplers are in image.c.
#include "gpu/front.h"

#include <inttypes.h>
#include <string.h>

bool gpu_range_check(const struct gpu_buffer *buffer, uint64_t offset, uint64_t bytes,
                     const char *what, struct error *err)
{
    if (offset <= buffer->bytes && bytes <= buffer->bytes - offset)
        return true;
    return error_set(err, ERROR_INTERNAL,
                     "%s: bytes %" PRIu64 " to %" PRIu64 " of a buffer of %" PRIu64 " bytes", what,
                     offset, offset + bytes, buffer->bytes);
}

struct gpu_buffer *gpu_buffer_create(struct gpu_scope *scope, const struct gpu_buffer_desc *desc,
                                     struct error *err)
{
    struct gpu_device *device = scope->device;
    uint64_t most = device->info->limits.allocation_bytes;
    if (!gpu_device_check(device, err))
        return NULL;
    if (desc->memory == GPU_MEMORY_MANAGED && !gpu_require(device->info, GPU_CAP(MANAGED), err))
        return NULL;
    if (desc->bytes == 0 || desc->bytes % 4) {
        error_set(err, ERROR_INTERNAL, "buffer of %" PRIu64 " bytes: must be a multiple of 4, > 0",
                  desc->bytes);
        return NULL;
    }
    if (most && desc->bytes > most) {
        error_set(err, ERROR_UNSUPPORTED,
                  "buffer of %" PRIu64 " bytes: %s allows %" PRIu64 " (allocation_bytes)",
                  desc->bytes, device->info->id, most);
        return NULL;
    }
    struct gpu_buffer *buffer = device->backend->buffer_create(scope, desc, err);
    if (!gpu_host_copy_note(device, buffer, err))
        return NULL;
    buffer->bytes = desc->bytes;
    buffer->memory = desc->memory;
    gpu_object_adopt(scope, &buffer->object, GPU_OBJECT_BUFFER);
    return buffer;
}

uint64_t gpu_buffer_bytes(const struct gpu_buffer *buffer)
{
    return buffer->bytes;
}

uint64_t gpu_buffer_address(const struct gpu_buffer *buffer)
{
    return buffer->address;
}

void *gpu_buffer_map(struct gpu_buffer *buffer)
{
    return buffer->mapped;
}

bool gpu_host_copy_check(struct gpu_device *device, struct error *err)
{
    struct gpu_batch *batch = NULL;
    if (!gpu_device_check(device, err))
        return false;
    uint32_t behind = gpu_queue_behind(device, device->queues[0]);
    while ((batch = gpu_batch_next_in_flight(device, batch)))
        if (gpu_batch_is_on(batch, behind) && batch->hold && !batch->hold->released)
            return error_set(err, ERROR_INTERNAL,
                             "a copy between host and %s would wait for a held batch for ever: "
                             "release the hold first",
                             device->info->id);
    return true;
}

bool gpu_buffer_write(struct gpu_buffer *buffer, uint64_t offset, const void *data, uint64_t bytes,
                      struct error *err)
{
    struct gpu_device *device = buffer->object.scope->device;
    if (!gpu_range_check(buffer, offset, bytes, "gpu_buffer_write", err))
        return false;
    if (bytes == 0)
        return gpu_device_check(device, err);
    if (buffer->mapped) {
        memcpy((char *)buffer->mapped + offset, data, bytes);
        return gpu_device_check(device, err);
    }
    return gpu_host_copy_check(device, err) &&
           gpu_host_copy_note(device,
                              device->backend->buffer_write(buffer, offset, data, bytes, err), err);
}

bool gpu_buffer_read(struct gpu_buffer *buffer, uint64_t offset, void *data, uint64_t bytes,
                     struct error *err)
{
    struct gpu_device *device = buffer->object.scope->device;
    if (!gpu_range_check(buffer, offset, bytes, "gpu_buffer_read", err))
        return false;
    if (bytes == 0)
        return gpu_device_check(device, err);
    if (buffer->mapped) {
        memcpy(data, (const char *)buffer->mapped + offset, bytes);
        return gpu_device_check(device, err);
    }
    return gpu_host_copy_check(device, err) &&
           gpu_host_copy_note(device,
                              device->backend->buffer_read(buffer, offset, data, bytes, err), err);
}

static bool check_typed(const struct gpu_buffer *buffer, enum gpu_format format, uint64_t offset,
                        uint64_t elements, struct error *err)
{
    const struct gpu_info *info = buffer->object.scope->device->info;
    const struct gpu_limits *limits = &info->limits;
    if ((unsigned)format >= GPU_FORMAT_COUNT || elements == 0)
        return error_set(err, ERROR_INTERNAL, "typed view: %" PRIu64 " elements of format %d",
                         elements, (int)format);
    if (limits->typed_align_bytes && offset % limits->typed_align_bytes)
        return error_set(err, ERROR_INTERNAL,
                         "typed view: offset %" PRIu64 " is not a multiple of %" PRIu64
                         " (typed_align_bytes)",
                         offset, limits->typed_align_bytes);
    if (limits->typed_elements && elements > limits->typed_elements)
        return error_set(err, ERROR_UNSUPPORTED,
                         "typed view of %" PRIu64 " elements: %s allows %" PRIu64
                         " (typed_elements)",
                         elements, info->id, limits->typed_elements);
    if (elements > UINT64_MAX / gpu_format_bytes(format))
        return error_set(err, ERROR_INTERNAL, "typed view of %" PRIu64 " elements", elements);
    return gpu_range_check(buffer, offset, elements * gpu_format_bytes(format), "typed view", err);
}

struct gpu_typed *gpu_typed_create(struct gpu_scope *scope, struct gpu_buffer *buffer,
                                   enum gpu_format format, uint64_t offset, uint64_t elements,
                                   struct error *err)
{
    struct gpu_device *device = scope->device;
    if (!gpu_device_check(device, err) || !gpu_require(device->info, GPU_CAP(TYPED), err) ||
        !gpu_object_check(device, buffer, "typed view: buffer", err) ||
        !check_typed(buffer, format, offset, elements, err))
        return NULL;
    struct gpu_typed *typed =
        device->backend->typed_create(scope, buffer, format, offset, elements, err);
    if (!gpu_device_note(device, typed, err))
        return NULL;
    typed->buffer = buffer;
    typed->format = format;
    typed->offset = offset;
    typed->elements = elements;
    gpu_object_adopt(scope, &typed->object, GPU_OBJECT_TYPED);
    return typed;
}
