// SPDX-License-Identifier: MIT
// Copies between devices: gpu/peers.h.
#include "gpu/cuda/batch.h"

static bool connect(struct gpu_device *from_base, struct gpu_device *to_base, bool *direct,
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

static bool batch_copy(struct gpu_batch *batch, const struct gpu_peers_copy *copy,
                       struct error *err)
{
    (void)err;
    cuda_batch_add_peer_copy(
        (struct cuda_batch *)batch,
        &(struct cuda_peer_copy){
            .range = {.to = ((struct cuda_buffer *)copy->to)->address + copy->to_offset,
                      .from = ((struct cuda_buffer *)copy->from)->address + copy->from_offset,
                      .bytes = copy->bytes},
            .to = cuda_device_of(&copy->to->object)->context,
            .from = cuda_device_of(&copy->from->object)->context});
    return true;
}

const struct gpu_peers cuda_peers = {.connect = connect, .batch_copy = batch_copy};
