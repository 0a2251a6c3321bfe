// SPDX-License-Identifier: MIT
// Managed memory beyond its buffers (GPU_MEMORY_MANAGED of gpu.h): where its pages are and where
// they should be. Needs MANAGED; a driver or system on which pages only move as a whole answers
// ERROR_UNSUPPORTED.
#ifndef GPU_MANAGED_H
#define GPU_MANAGED_H

#include "gpu/gpu.h"

// Device memory that is free now, whoever uses the rest.
MUST_CHECK bool gpu_managed_free_bytes(struct gpu_device *device, uint64_t *bytes,
                                       struct error *err);

enum gpu_managed_advice {
    GPU_MANAGED_PREFER_DEVICE, // pages had better stay on the device
    GPU_MANAGED_PREFER_HOST,   // … with the host, where the device reaches them over the link
    GPU_MANAGED_READ_MOSTLY,   // whoever reads a page gets a copy of its own
};

// For all of the buffer, until it is destroyed.
MUST_CHECK bool gpu_managed_advise(struct gpu_buffer *buffer, enum gpu_managed_advice advice,
                                   struct error *err);

struct gpu_managed_range {
    struct gpu_buffer *buffer; // of MANAGED memory
    uint64_t offset, bytes;
    bool to_host; // else to the batch's device
};

// Records that pages move, in the order of the batch.
void gpu_managed_prefetch(struct gpu_batch *batch, const struct gpu_managed_range *range);

#endif
