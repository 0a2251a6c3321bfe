// SPDX-License-Identifier: MIT
#include "gpu/peers.h"
#include "gpu/front.h"

static bool check_pair(const struct gpu_device *from, const struct gpu_device *to,
                       struct error *err)
{
    if (!gpu_device_check(from, err) || !gpu_device_check(to, err) ||
        !gpu_require(from->info, GPU_CAP(PEERS), err) ||
        !gpu_require(to->info, GPU_CAP(PEERS), err))
        return false;
    if (from == to || from->backend != to->backend)
        return error_set(err, ERROR_INTERNAL, "%s and %s are not two devices of one API",
                         from->info->id, to->info->id);
    return true;
}

bool gpu_peers_connect(struct gpu_device *from, struct gpu_device *to, bool *direct,
                       struct error *err)
{
    if (!check_pair(from, to, err))
        return false;
    // The error does not tell which of the two devices is lost, so both are marked as lost.
    bool done = from->backend->peers->connect(from, to, direct, err);
    return gpu_device_note(to, gpu_device_note(from, done, err), err);
}

static bool check_copy(const struct gpu_batch *batch, const struct gpu_peers_copy *copy,
                       struct error *err)
{
    if (!copy->to || !copy->from || copy->bytes == 0)
        return error_set(err, ERROR_INTERNAL, "copy between devices: %s",
                         copy->bytes ? "a buffer is missing" : "0 bytes");
    const struct gpu_device *from = copy->from->object.scope->device;
    const struct gpu_device *to = copy->to->object.scope->device;
    const struct gpu_device *own = gpu_batch_device(batch);
    if (own != from && own != to)
        return error_set(err, ERROR_INTERNAL, "copy between devices: the batch is of a third");
    return check_pair(from, to, err) &&
           gpu_range_check(copy->to, copy->to_offset, copy->bytes, "copy to", err) &&
           gpu_range_check(copy->from, copy->from_offset, copy->bytes, "copy from", err);
}

void gpu_peers_copy(struct gpu_batch *batch, const struct gpu_peers_copy *copy)
{
    struct error err;
    bool ok = gpu_record_check(batch, &err) && check_copy(batch, copy, &err) &&
              gpu_batch_device(batch)->backend->peers->batch_copy(batch, copy, &err);
    gpu_record_count(batch, ok, &err);
}
