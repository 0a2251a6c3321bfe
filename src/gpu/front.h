// SPDX-License-Identifier: MIT
// Functions that the files of the front end (gpu/*.c) share. Backends do not include this header.
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

// Fails with ERROR_DEVICE_LOST if the device is lost.
MUST_CHECK static inline bool gpu_device_check(const struct gpu_device *device, struct error *err)
{
    if (!device->lost)
        return true;
    return error_set(err, ERROR_DEVICE_LOST, "%s was lost: open it again", device->info->id);
}

// Marks the device as lost if a call failed (`ok` is false) with ERROR_DEVICE_LOST. Returns `ok`.
static inline bool gpu_device_note(struct gpu_device *device, bool ok, const struct error *err)
{
    if (!ok && err && err->code == ERROR_DEVICE_LOST)
        device->lost = true;
    return ok;
}

// Returns the backend of the device's API and sets *state to its state; NULL if it is not loaded.
const struct gpu_backend *gpu_system_backend(const struct gpu_system *system,
                                             const struct gpu_info *info, void **state);

// Returns the batch in flight that follows `batch` in the lists of the device's objects, or the
// first batch in flight if `batch` is NULL. Returns NULL at the end of the lists.
struct gpu_batch *gpu_batch_next_in_flight(struct gpu_device *device, struct gpu_batch *batch);

// Waits for a batch in flight, at most as long as gpu_scope_close does; after that the device
// hangs.
void gpu_batch_finish(struct gpu_batch *batch);

// Returns the queues whose work `queue` may have to wait for, including `queue` itself, as a bit
// set: bit q stands for device->queues[q].
uint32_t gpu_queue_behind(struct gpu_device *device, const struct gpu_queue *queue);

// True if the batch is in flight on one of the queues in the bit set `queues`.
bool gpu_batch_is_on(const struct gpu_batch *batch, uint32_t queues);

// Fails with ERROR_INTERNAL if a held batch blocks the device's first queue, because a host copy
// would then wait for ever. Fails with ERROR_DEVICE_LOST if the device is lost.
MUST_CHECK bool gpu_host_copy_check(struct gpu_device *device, struct error *err);

// Fails with ERROR_INTERNAL if the buffer is NULL or belongs to another device. `what` names the
// call in the message.
MUST_CHECK bool gpu_buffer_check(const struct gpu_device *device, const struct gpu_buffer *buffer,
                                 const char *what, struct error *err);

// Fails with ERROR_INTERNAL if [offset, offset + bytes) is not inside the buffer. `what` names the
// range in the message.
MUST_CHECK bool gpu_range_check(const struct gpu_buffer *buffer, uint64_t offset, uint64_t bytes,
                                const char *what, struct error *err);

// Fails with ERROR_INTERNAL if the batch is not being recorded.
MUST_CHECK bool gpu_record_check(const struct gpu_batch *batch, struct error *err);

// Keeps `err` in the batch if it is the batch's first error. A ready batch becomes failed. If the
// error is ERROR_DEVICE_LOST, marks the device as lost.
void gpu_record_fail(struct gpu_batch *batch, const struct error *err);

// Counts a recorded command if `ok`; else calls gpu_record_fail with the command's error.
void gpu_record_count(struct gpu_batch *batch, bool ok, const struct error *err);

struct gpu_arguments {
    struct gpu_arg *args; // gpu_arguments_check writes to it
    const void *params;
    size_t params_bytes;
};

// Checks the arguments and params that a dispatch or a draw passes to `kernel`. Also sets the
// length of each range whose bytes are 0: up to the end of the buffer, or to the device's limit.
MUST_CHECK bool gpu_arguments_check(const struct gpu_device *device,
                                    const struct gpu_kernel *kernel,
                                    const struct gpu_arguments *given, struct error *err);

// Returns the capabilities that the kernel's arguments need.
gpu_caps gpu_kernel_caps(const struct gpu_kernel *kernel);

#endif
