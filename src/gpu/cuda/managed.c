// SPDX-License-Identifier: MIT
// Where the pages of managed memory are: gpu/managed.h.
#include "gpu/cuda/batch.h"

static bool check_pages(const struct cuda_device *device, struct error *err)
{
    if (device->api->cuMemAdvise && device->api->cuMemPrefetchAsync && device->moves_pages)
        return cuda_enter(device, err);
    return error_set(err, ERROR_UNSUPPORTED,
                     "%s: this driver or system moves managed memory only as a whole "
                     "(no concurrent managed access)",
                     device->base.info->id);
}

static bool free_bytes(struct gpu_device *base, uint64_t *bytes, struct error *err)
{
    const struct cuda_device *device = (const struct cuda_device *)base;
    size_t left = 0, whole = 0;
    if (!cuda_enter(device, err) ||
        !cuda_check(device->api, device->api->cuMemGetInfo_v2(&left, &whole), "cuMemGetInfo", err))
        return false;
    *bytes = left;
    return true;
}

static bool advise(struct gpu_buffer *base, enum gpu_managed_advice advice, struct error *err)
{
    const struct cuda_device *device = cuda_device_of(&base->object);
    uint64_t address = ((struct cuda_buffer *)base)->address;
    if (!check_pages(device, err))
        return false;
    int what =
        advice == GPU_MANAGED_READ_MOSTLY ? CU_ADVISE_READ_MOSTLY : CU_ADVISE_PREFERRED_LOCATION;
    int where = advice == GPU_MANAGED_PREFER_HOST ? CU_DEVICE_CPU : device->device;
    if (!cuda_check(device->api, device->api->cuMemAdvise(address, base->bytes, what, where),
                    "cuMemAdvise", err))
        return false;
    return advice != GPU_MANAGED_PREFER_HOST ||
           cuda_check(device->api,
                      device->api->cuMemAdvise(address, base->bytes, CU_ADVISE_ACCESSED_BY,
                                               device->device),
                      "cuMemAdvise", err);
}

static bool batch_prefetch(struct gpu_batch *batch, const struct gpu_managed_range *range,
                           struct error *err)
{
    const struct cuda_device *device = cuda_device_of(&batch->object);
    if (!check_pages(device, err))
        return false;
    cuda_batch_add_prefetch(
        (struct cuda_batch *)batch,
        &(struct cuda_prefetch){.address =
                                    ((struct cuda_buffer *)range->buffer)->address + range->offset,
                                .bytes = range->bytes,
                                .to = range->to_host ? CU_DEVICE_CPU : device->device});
    return true;
}

const struct gpu_managed cuda_managed = {
    .free_bytes = free_bytes, .advise = advise, .batch_prefetch = batch_prefetch};
