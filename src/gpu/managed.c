// SPDX-License-Identifier: MIT
#include "gpu/managed.h"
#include "gpu/front.h"

static bool check_managed(const struct gpu_buffer *buffer, struct error *err)
{
    if (buffer && buffer->memory == GPU_MEMORY_MANAGED)
        return true;
    return error_set(err, ERROR_INTERNAL, "managed memory: the buffer is %s",
                     buffer ? "of another kind" : "missing");
}

bool gpu_managed_free_bytes(struct gpu_device *device, uint64_t *bytes, struct error *err)
{
    return gpu_device_check(device, err) && gpu_require(device->info, GPU_CAP(MANAGED), err) &&
           gpu_device_note(device, device->backend->managed->free_bytes(device, bytes, err), err);
}

bool gpu_managed_advise(struct gpu_buffer *buffer, enum gpu_managed_advice advice,
                        struct error *err)
{
    if (!check_managed(buffer, err))
        return false;
    struct gpu_device *device = buffer->object.scope->device;
    return gpu_device_check(device, err) &&
           gpu_device_note(device, device->backend->managed->advise(buffer, advice, err), err);
}

void gpu_managed_prefetch(struct gpu_batch *batch, const struct gpu_managed_range *range)
{
    struct error err;
    struct gpu_device *device = gpu_batch_device(batch);
    bool ok = gpu_record_check(batch, &err) && check_managed(range->buffer, &err) &&
              gpu_object_check(device, range->buffer, "prefetch: buffer", &err) &&
              gpu_range_check(range->buffer, range->offset, range->bytes, "prefetch", &err) &&
              device->backend->managed->batch_prefetch(batch, range, &err);
    gpu_record_count(batch, ok, &err);
}
