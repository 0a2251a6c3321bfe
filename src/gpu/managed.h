// SPDX-License-Identifier: MIT
// Placement of managed memory (GPU_MEMORY_MANAGED) by advice and prefetches. Needs MANAGED. Fails
// with ERROR_UNSUPPORTED if the driver or the system cannot move single pages of a buffer.
#ifndef GPU_MANAGED_H
#define GPU_MANAGED_H

#include "gpu/gpu.h"

// Sets *bytes to the number of bytes of device memory that no process uses.
MUST_CHECK bool gpu_managed_free_bytes(struct gpu_device *device, uint64_t *bytes,
                                       struct error *err);

enum gpu_managed_advice {
    GPU_MANAGED_PREFER_DEVICE, // keep the pages on the device
    // keep the pages on the host, where the device accesses them over the link
    GPU_MANAGED_PREFER_HOST,
    GPU_MANAGED_READ_MOSTLY, // give each processor that reads a page its own copy of the page
};

// Tells the driver where to keep the pages of a buffer. The advice holds until the buffer is
// destroyed, but a later PREFER replaces an earlier one.
MUST_CHECK bool gpu_managed_advise(struct gpu_buffer *buffer, enum gpu_managed_advice advice,
                                   struct error *err);

struct gpu_managed_range {
    struct gpu_buffer *buffer; // a buffer in GPU_MEMORY_MANAGED
    uint64_t offset, bytes;
    bool to_host; // true: the pages move to the host; false: to the device of the batch
};

// Records a prefetch: a command that moves the pages of a range to the device or to the host.
void gpu_managed_prefetch(struct gpu_batch *batch, const struct gpu_managed_range *range);

#endif
