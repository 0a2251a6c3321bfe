// SPDX-License-Identifier: MIT
// Copies between two devices of the same API. Both devices need the capability PEERS.
#ifndef GPU_PEERS_H
#define GPU_PEERS_H

#include "gpu/gpu.h"

// Enables copies from one open device to another, until one of the two is closed. May be called
// again for the same devices. Sets *direct to true if `from` accesses the memory of `to` over their
// link, and to false if the driver copies through the host.
MUST_CHECK bool gpu_peers_connect(struct gpu_device *from, struct gpu_device *to, bool *direct,
                                  struct error *err);

struct gpu_peers_copy {
    // A copy from the buffer `from` of one device to the buffer `to` of another device. The batch
    // that contains the copy must belong to one of the two devices.
    struct gpu_buffer *to, *from;
    uint64_t to_offset, from_offset, bytes;
};

// Records a copy between two connected devices, as a command of the batch. If the copy depends on
// work of the other device, the host must have waited for this work (gpu_batch_wait).
void gpu_peers_copy(struct gpu_batch *batch, const struct gpu_peers_copy *copy);

#endif
