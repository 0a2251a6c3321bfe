// SPDX-License-Identifier: MIT
// Functions that only the files of the front end (gpu/*.c) share. Backends do not include this
// header.
#ifndef GPU_FRONT_H
#define GPU_FRONT_H

#include "gpu/backend.h"

// Adds a new object to its scope's list of objects, as the newest.
static inline void gpu_object_adopt(struct gpu_scope *scope, struct gpu_object *object,
                                    enum gpu_object_kind kind)
{
    *object = (struct gpu_object){.kind = kind, .scope = scope, .older = scope->newest};
    scope->newest = object;
    scope->device->live_objects++;
}

static inline struct gpu_device *gpu_batch_device(const struct gpu_batch *batch)
{
    return batch->object.scope->device;
}

// Fails with ERROR_DEVICE_LOST if the device is lost.
MUST_CHECK static inline bool gpu_device_check(const struct gpu_device *device, struct error *err)
{
    if (!device->lost)
        return true;
    return error_set(err, ERROR_DEVICE_LOST, "%s was lost: open it again", device->info->id);
}

// Marks the device as lost if the code of `err` is ERROR_DEVICE_LOST; `err` may be NULL. Must be
// called after each call of the backend that can set an error, with the result `ok` and the error
// `err` of this call. Returns `ok`.
static inline bool gpu_device_note(struct gpu_device *device, bool ok, const struct error *err)
{
    if (!ok && err && err->code == ERROR_DEVICE_LOST)
        device->lost = true;
    return ok;
}

// Like gpu_device_note, for a call that waits for a copy between host and device. After
// ERROR_TIMEOUT, the device counts as lost and as hung, because the copy may still use its memory.
static inline bool gpu_host_copy_note(struct gpu_device *device, bool ok, const struct error *err)
{
    if (!ok && err && err->code == ERROR_TIMEOUT)
        device->lost = device->hung = true;
    return gpu_device_note(device, ok, err);
}

// Returns the backend of the device's API, and sets *state to that backend's state. Returns NULL if
// the system has not loaded that backend.
const struct gpu_backend *gpu_system_backend(const struct gpu_system *system,
                                             const struct gpu_info *info, void **state);

// Iterates over the batches of a device that are in flight. Returns the first one if `batch` is
// NULL, otherwise the one after `batch`. Returns NULL at the end.
struct gpu_batch *gpu_batch_next_in_flight(struct gpu_device *device, struct gpu_batch *batch);

// Ends a batch in flight: releases the holds (gpu_hold_create) that block its queue, then waits for
// the batch. If the wait fails, for example after 5 s, the device counts as lost; it also counts as
// hung, unless the error is ERROR_DEVICE_LOST.
void gpu_batch_finish(struct gpu_batch *batch);

// Releases the hold, unless it is NULL or released. Reports no error.
void gpu_hold_let_go(struct gpu_hold *hold);

// Returns the queues whose work can delay the work on `queue`, including `queue` itself. In the
// returned bit set, bit q means device->queues[q].
uint32_t gpu_queue_behind(struct gpu_device *device, const struct gpu_queue *queue);

// Returns true if the batch is in flight on one of the queues in the bit set `queues`.
bool gpu_batch_is_on(const struct gpu_batch *batch, uint32_t queues);

// Fails with ERROR_DEVICE_LOST if the device is lost. Otherwise fails with ERROR_INTERNAL if a hold
// (gpu_hold_create) blocks the device's first queue, because a copy between host and device would
// then wait for ever.
MUST_CHECK bool gpu_host_copy_check(struct gpu_device *device, struct error *err);

// Fails with ERROR_INTERNAL if `object` is NULL or belongs to another device. `object` points to a
// struct whose first member is a struct gpu_object. The error message begins with `what`, the name
// of the object.
MUST_CHECK bool gpu_object_check(const struct gpu_device *device, const void *object,
                                 const char *what, struct error *err);

// Fails with ERROR_INTERNAL if [offset, offset + bytes) does not lie inside the buffer. The error
// message begins with `what`, the name of the range.
MUST_CHECK bool gpu_range_check(const struct gpu_buffer *buffer, uint64_t offset, uint64_t bytes,
                                const char *what, struct error *err);

// Fails with ERROR_INTERNAL if the recording of the batch has ended.
MUST_CHECK bool gpu_record_check(const struct gpu_batch *batch, struct error *err);

// Stores `err` in the batch, unless the batch already has an error. A batch that was ready becomes
// failed. ERROR_DEVICE_LOST also marks the device as lost.
void gpu_record_fail(struct gpu_batch *batch, const struct error *err);

// Counts a recorded command if `ok` is true; else calls gpu_record_fail with `err`. Must be called
// after the recording of each command, with its result `ok` and its error `err`.
void gpu_record_count(struct gpu_batch *batch, bool ok, const struct error *err);

struct gpu_arguments {
    // arguments for the kernel; gpu_arguments_check replaces a range's length of 0 by the real
    // length
    struct gpu_arg *args;
    const void *params;
    size_t params_bytes;
};

// Checks the arguments and params that a dispatch or a draw passes to `kernel`. If the `bytes` of a
// range is 0, sets it to the rest of the buffer, but at most to the device's limit.
MUST_CHECK bool gpu_arguments_check(const struct gpu_device *device,
                                    const struct gpu_kernel *kernel,
                                    const struct gpu_arguments *given, struct error *err);

// Returns the capabilities that the kernel's arguments need.
gpu_caps gpu_kernel_caps(const struct gpu_kernel *kernel);

#endif
