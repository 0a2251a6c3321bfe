// SPDX-License-Identifier: MIT
// A model as a device: what the slots of its backend share. Lives in the device's arena.
#ifndef GPU_MODEL_BACKEND_H
#define GPU_MODEL_BACKEND_H

#include "gpu/model/execute.h"

struct model_device {
    struct gpu_device device; // first
    struct gpu_queue queue;
    struct model_machine machine;
    struct model_caches *caches;
    struct model_stacks *stacks;
    struct model_memory memory;
    struct model_places places;
    uint64_t used_bytes;
    double chosen_hz;   // the core's clock at most; 0: the machine's
    double now_ns;      // virtual: what batches took so far
    double now_cycles;  // … as the cores' counters have it
    uint64_t random;    // state of the noise: splitmix64
    double disturbance; // … of its AR(1)
};

static inline struct model_device *model_device_of(const struct gpu_scope *scope)
{
    return (struct model_device *)scope->device;
}

// Where a buffer lies for the host: its address, which is what kernels are given.
static inline char *model_host_of(const struct gpu_buffer *buffer)
{
    return (char *)(uintptr_t)buffer->address; // NOLINT: it was made from a pointer
}

struct gpu_batch *model_batch_create(struct gpu_scope *scope, const struct gpu_batch_desc *desc,
                                     struct error *err);
bool model_batch_dispatch(struct gpu_batch *batch, const struct gpu_dispatch *dispatch,
                          struct error *err);
bool model_batch_copy(struct gpu_batch *batch, struct gpu_buffer *to, uint64_t to_offset,
                      struct gpu_buffer *from, uint64_t from_offset, uint64_t bytes,
                      struct error *err);
bool model_batch_fill(struct gpu_batch *batch, struct gpu_buffer *buffer, uint64_t offset,
                      uint64_t bytes, uint32_t word, struct error *err);
bool model_batch_barrier(struct gpu_batch *batch, enum gpu_barrier barrier, struct error *err);
bool model_batch_span(struct gpu_batch *batch, unsigned span, bool end, struct error *err);
bool model_batch_end(struct gpu_batch *batch, struct error *err);
bool model_batch_reset(struct gpu_batch *batch, struct error *err);
bool model_batch_submit(struct gpu_batch *batch, struct gpu_hold *hold, struct error *err);
bool model_batch_wait(struct gpu_batch *batch, uint64_t timeout_ns, struct error *err);
bool model_batch_span_ns(struct gpu_batch *batch, unsigned span, double *ns, struct error *err);

#endif
