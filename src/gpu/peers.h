// SPDX-License-Identifier: MIT
// Copies between devices of the same API. Both devices need PEERS.
#ifndef GPU_PEERS_H
#define GPU_PEERS_H

#include "gpu/gpu.h"

// Enables copies from one open device to another. The connection lasts until one of the devices is
// closed; a second call is allowed. Sets *direct to true if the devices access each other's memory
// over their link; otherwise the driver copies through the host.
MUST_CHECK bool gpu_peers_connect(struct gpu_device *from, struct gpu_device *to, bool *direct,
                                  struct error *err);

struct gpu_peers_copy {
    struct gpu_buffer *to, *from; // on two devices; the batch belongs to one of them
    uint64_t to_offset, from_offset, bytes;
};

// Records a copy between two connected devices. It has the order of any other command in this
// batch. It has no order with batches of the other device: only the host can wait for these
// (gpu_batch_wait).
void gpu_peers_copy(struct gpu_batch *batch, const struct gpu_peers_copy *copy);

#endif
