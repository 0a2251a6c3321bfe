// SPDX-License-Identifier: MIT
// Copies from one device to another of the same API. Needs PEERS on both.
#ifndef GPU_PEERS_H
#define GPU_PEERS_H

#include "gpu/gpu.h"

// Opens the way from one device to another, both open; legal more than once, and stays until one of
// them is closed. `*direct`: the devices reach each other's memory over their link; else the driver
// takes copies through the host.
MUST_CHECK bool gpu_peers_connect(struct gpu_device *from, struct gpu_device *to, bool *direct,
                                  struct error *err);

struct gpu_peers_copy {
    struct gpu_buffer *to, *from; // of two devices, one of them the batch's
    uint64_t to_offset, from_offset, bytes;
};

// Records a copy between devices that gpu_peers_connect has connected. It is ordered as any command
// of the batch; what the other device does with its buffer must be done before and may begin
// after, which only the host can see to (gpu_batch_wait).
void gpu_peers_copy(struct gpu_batch *batch, const struct gpu_peers_copy *copy);

#endif
