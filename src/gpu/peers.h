// SPDX-License-Identifier: MIT
// Copies between devices of the same API. Both devices need PEERS.
#ifndef GPU_PEERS_H
#define GPU_PEERS_H

#include "gpu/gpu.h"

// Enables copies from one open device to another, until one of the two devices is closed. May be
// called again. Sets *direct to true if the devices access each other's memory over their link, and
// to false if the driver copies through the host.
MUST_CHECK bool gpu_peers_connect(struct gpu_device *from, struct gpu_device *to, bool *direct,
                                  struct error *err);

struct gpu_peers_copy {
    // A copy from buffer `from` of one device to buffer `to` of another device. The batch that
    // contains the copy belongs to one of the two devices.
    struct gpu_buffer *to, *from;
    uint64_t to_offset, from_offset, bytes;
};

// Records a copy between two connected devices. Within this batch, the copy is ordered like any
// other command. Batches of the other device are not ordered with it: the host must wait for them
// (gpu_batch_wait).
void gpu_peers_copy(struct gpu_batch *batch, const struct gpu_peers_copy *copy);

#endif
