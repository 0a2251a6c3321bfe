// SPDX-License-Identifier: MIT
// What the neutral front (gpu/*.c) shares among its files. Backends do not include it.
#ifndef GPU_FRONT_H
#define GPU_FRONT_H

#include "gpu/backend.h"

// Puts a new object at the head of its scope's list.
static inline void gpu_object_adopt(struct gpu_scope *scope, struct gpu_object *object,
                                    enum gpu_object_kind kind)
{
    *object = (struct gpu_object){.kind = kind, .scope = scope, .older = scope->newest};
    scope->newest = object;
    scope->device->live_objects++;
}

// False with ERROR_DEVICE_LOST if the device is lost. Every call that can fail begins with it.
MUST_CHECK static inline bool gpu_device_check(const struct gpu_device *device, struct error *err)
{
    if (!device->lost)
        return true;
    return error_set(err, ERROR_DEVICE_LOST, "%s was lost; open it anew", device->info->id);
}

// Marks the device as lost if a call failed (`ok` is false) with ERROR_DEVICE_LOST. Returns `ok`.
static inline bool gpu_device_note(struct gpu_device *device, bool ok, const struct error *err)
{
    if (!ok && err && err->code == ERROR_DEVICE_LOST)
        device->lost = true;
    return ok;
}

// The backend and its state that listed `info`; NULL where the system does not know it.
const struct gpu_backend *gpu_system_backend(const struct gpu_system *system,
                                             const struct gpu_info *info, void **state);

// Visits the batches in flight of a device; `batch` NULL begins, NULL ends.
struct gpu_batch *gpu_batch_next_in_flight(struct gpu_device *device, struct gpu_batch *batch);

// The queues that work on `queue` may be waiting for, itself included: bit q = device->queues[q].
uint32_t gpu_queue_behind(struct gpu_device *device, const struct gpu_queue *queue);

// Whether the batch is in flight on one of `queues`.
bool gpu_batch_is_on(const struct gpu_batch *batch, uint32_t queues);

// False with ERROR_INTERNAL when a held batch blocks the device's first queue, which host copies
// would wait for without end.
MUST_CHECK bool gpu_host_copy_check(struct gpu_device *device, struct error *err);

// False with ERROR_INTERNAL where the buffer is missing or of another device; `what` wants it.
MUST_CHECK bool gpu_buffer_check(const struct gpu_device *device, const struct gpu_buffer *buffer,
                                 const char *what, struct error *err);

// False with ERROR_INTERNAL where [offset, offset + bytes) is not inside the buffer; `what` names
// the range in the message.
MUST_CHECK bool gpu_range_check(const struct gpu_buffer *buffer, uint64_t offset, uint64_t bytes,
                                const char *what, struct error *err);

// Recording. False with the error where the batch takes no more commands.
MUST_CHECK bool gpu_record_check(const struct gpu_batch *batch, struct error *err);

// The first error stays; a batch that was ready can no longer be submitted.
void gpu_record_fail(struct gpu_batch *batch, const struct error *err);

// After a command: counts it, or keeps its error.
void gpu_record_count(struct gpu_batch *batch, bool ok, const struct error *err);

struct gpu_arguments {
    struct gpu_arg *args; // ranges left open are resolved in place
    const void *params;
    size_t params_bytes;
};

// What a dispatch or a draw gives to `kernel`.
MUST_CHECK bool gpu_arguments_check(const struct gpu_device *device,
                                    const struct gpu_kernel *kernel,
                                    const struct gpu_arguments *given, struct error *err);

// The capabilities that its arguments need.
gpu_caps gpu_kernel_caps(const struct gpu_kernel *kernel);

#endif
