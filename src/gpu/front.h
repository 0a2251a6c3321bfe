// SPDX-License-Identifier: MIT
// Functions that the files of the front end (gpu/*.c) share. Backends do not include this header.
#ifndef GPU_FRONT_H
#define GPU_FRONT_H

#include "gpu/backend.h"

// Puts a new object at the head of the list of objects that its scope owns.
static inline void gpu_object_adopt(struct gpu_scope *scope, struct gpu_object *object,
                                    enum gpu_object_kind kind)
{
    *object = (struct gpu_object){.kind = kind, .scope = scope, .older = scope->newest};
    scope->newest = object;
    scope->device->live_objects++;
}

// Fails with ERROR_DEVICE_LOST if the device is lost.
MUST_CHECK static inline bool gpu_device_check(const struct gpu_device *device, struct error *err)
{
    if (!device->lost)
        return true;
    return error_set(err, ERROR_DEVICE_LOST, "%s was lost: open it again", device->info->id);
}

// Call this after each call of the backend. If the call failed (`ok` is false) with
// ERROR_DEVICE_LOST, marks the device as lost; it cannot do so if `err` is NULL. Returns `ok`.
static inline bool gpu_device_note(struct gpu_device *device, bool ok, const struct error *err)
{
    if (!ok && err && err->code == ERROR_DEVICE_LOST)
        device->lost = true;
    return ok;
}

// Returns the backend of the device's API, and sets *state to the backend's state. Returns NULL if
// the system has not loaded that backend.
const struct gpu_backend *gpu_system_backend(const struct gpu_system *system,
                                             const struct gpu_info *info, void **state);

// Goes through all batches in flight of a device: returns the one that follows `batch`, or the
// first one if `batch` is NULL. Returns NULL if there is no further batch in flight.
struct gpu_batch *gpu_batch_next_in_flight(struct gpu_device *device, struct gpu_batch *batch);

// Releases the holds that block the queue of this batch, which is in flight, and waits for the
// batch with the time limit of gpu_scope_close. After a timeout, the device counts as lost and
// hung.
void gpu_batch_finish(struct gpu_batch *batch);

// Returns the queues whose work can delay the work on `queue`, also `queue` itself, as a bit set:
// bit q stands for device->queues[q].
uint32_t gpu_queue_behind(struct gpu_device *device, const struct gpu_queue *queue);

// True if the batch is in flight on one of the queues in the bit set `queues`.
bool gpu_batch_is_on(const struct gpu_batch *batch, uint32_t queues);

// Fails with ERROR_INTERNAL if a batch that waits for a hold blocks the device's first queue,
// because a copy by the host would then wait for ever. Fails with ERROR_DEVICE_LOST if the device
// is lost.
MUST_CHECK bool gpu_host_copy_check(struct gpu_device *device, struct error *err);

// Fails with ERROR_INTERNAL if the buffer is NULL or belongs to another device. `what` names the
// call in the message.
MUST_CHECK bool gpu_buffer_check(const struct gpu_device *device, const struct gpu_buffer *buffer,
                                 const char *what, struct error *err);

// Fails with ERROR_INTERNAL if [offset, offset + bytes) is not inside the buffer. `what` names the
// range in the message.
MUST_CHECK bool gpu_range_check(const struct gpu_buffer *buffer, uint64_t offset, uint64_t bytes,
                                const char *what, struct error *err);

// Fails with ERROR_INTERNAL if the batch is not in the state in which commands can be recorded.
MUST_CHECK bool gpu_record_check(const struct gpu_batch *batch, struct error *err);

// Stores `err` in the batch if it is the batch's first error. If the batch was ready, its state
// becomes failed. If the error is ERROR_DEVICE_LOST, marks the device as lost.
void gpu_record_fail(struct gpu_batch *batch, const struct error *err);

// If `ok` is true, counts the command that was just recorded; else calls gpu_record_fail with the
// command's error.
void gpu_record_count(struct gpu_batch *batch, bool ok, const struct error *err);

struct gpu_arguments {
    // Arguments for the kernel. gpu_arguments_check sets the length of a range if it is 0.
    struct gpu_arg *args;
    const void *params;
    size_t params_bytes;
};

// Checks the arguments and params that a dispatch or a draw passes to `kernel`. A range whose
// `bytes` is 0 gets its length here: up to the end of the buffer, or the device's limit if less.
MUST_CHECK bool gpu_arguments_check(const struct gpu_device *device,
                                    const struct gpu_kernel *kernel,
                                    const struct gpu_arguments *given, struct error *err);

// Returns the capabilities that a device needs for the kernel's arguments.
gpu_caps gpu_kernel_caps(const struct gpu_kernel *kernel);

#endif
