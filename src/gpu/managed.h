// SPDX-License-Identifier: MIT
// Placement of managed memory (GPU_MEMORY_MANAGED of gpu.h): advice on where its pages should be,
// and prefetches. Needs MANAGED. Advice and prefetches fail with ERROR_UNSUPPORTED if this driver
// or system can only move a buffer as a whole.
#ifndef GPU_MANAGED_H
#define GPU_MANAGED_H

#include "gpu/gpu.h"

// Sets *bytes to the amount of device memory that no process is using.
MUST_CHECK bool gpu_managed_free_bytes(struct gpu_device *device, uint64_t *bytes,
                                       struct error *err);

enum gpu_managed_advice {
    GPU_MANAGED_PREFER_DEVICE, // keep the pages on the device
    GPU_MANAGED_PREFER_HOST,   // keep the pages on the host; the device accesses them over the link
    GPU_MANAGED_READ_MOSTLY,   // copy a page to each processor that reads it
};

// Tells the driver where to keep the buffer's pages. The advice is valid until the buffer is
// destroyed.
MUST_CHECK bool gpu_managed_advise(struct gpu_buffer *buffer, enum gpu_managed_advice advice,
                                   struct error *err);

struct gpu_managed_range {
    struct gpu_buffer *buffer; // a buffer in GPU_MEMORY_MANAGED
    uint64_t offset, bytes;
    bool to_host; // true: move pages to the host; false: to the batch's device
};

// Records a prefetch, which moves the range's pages. The batch orders it like any other command.
void gpu_managed_prefetch(struct gpu_batch *batch, const struct gpu_managed_range *range);

#endif
