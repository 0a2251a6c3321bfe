// SPDX-License-Identifier: MIT
// Creates batches, ends their recording, submits them and waits for them. Also creates and releases
// holds. Another file, record.c, records the commands of a batch.
#include "base/clock.h"
#include "gpu/front.h"

#include <inttypes.h>

enum {
    SPLITS_MAX = 64 // maximum number of split barriers in a batch: splits_set has a bit for each
};

static const char *state_name(enum gpu_batch_state state)
{
    static const char *const names[] = {[GPU_BATCH_RECORDING] = "still being recorded",
                                        [GPU_BATCH_READY] = "ready",
                                        [GPU_BATCH_IN_FLIGHT] = "in flight",
                                        [GPU_BATCH_FAILED] = "failed"};
    return names[state];
}

static bool check_desc(const struct gpu_device *device, const struct gpu_batch_desc *desc,
                       struct error *err)
{
    gpu_caps needed = 0;
    if (desc->unordered)
        needed |= GPU_CAP(UNORDERED);
    if (desc->replay)
        needed |= GPU_CAP(REPLAY);
    if (desc->split_count)
        needed |= GPU_CAP(SPLITS);
    if (desc->draws)
        needed |= GPU_CAP(GRAPHICS);
    if (desc->rays)
        needed |= GPU_CAP(RAYS);
    if (!gpu_require(device->info, needed, err))
        return error_prefix(err, "batch");
    if (desc->queue->device != device)
        return error_set(err, ERROR_INTERNAL, "batch: its queue is of another device");
    if (desc->span_count > GPU_SPANS_MAX)
        return error_set(err, ERROR_INTERNAL, "batch: %u spans, at most %d", desc->span_count,
                         GPU_SPANS_MAX);
    if (desc->split_count > SPLITS_MAX)
        return error_set(err, ERROR_INTERNAL, "batch: %u split barriers, at most %d",
                         desc->split_count, SPLITS_MAX);
    if (desc->split_count && device->info->families[desc->queue->family].kind == GPU_QUEUE_TRANSFER)
        return error_set(err, ERROR_UNSUPPORTED, "%s: no split barriers on queue family %u",
                         device->info->id, desc->queue->family);
    if (desc->rays && device->info->families[desc->queue->family].kind == GPU_QUEUE_TRANSFER)
        return error_set(err, ERROR_UNSUPPORTED, "%s: no rays on queue family %u", device->info->id,
                         desc->queue->family);
    if (desc->draws && !device->info->families[desc->queue->family].graphics)
        return error_set(err, ERROR_UNSUPPORTED, "%s: no draws on queue family %u",
                         device->info->id, desc->queue->family);
    if (desc->span_count && device->info->families[desc->queue->family].stamp_bits == 0)
        return error_set(err, ERROR_UNSUPPORTED, "%s: no time stamps on queue family %u",
                         device->info->id, desc->queue->family);
    return true;
}

struct gpu_batch *gpu_batch_create(struct gpu_scope *scope, const struct gpu_batch_desc *desc,
                                   struct error *err)
{
    struct gpu_device *device = scope->device;
    struct gpu_batch_desc resolved = desc ? *desc : (struct gpu_batch_desc){0};
    if (!resolved.queue)
        resolved.queue = device->queues[0];
    if (!gpu_device_check(device, err) || !check_desc(device, &resolved, err))
        return NULL;
    struct gpu_batch *batch = device->backend->batch_create(scope, &resolved, err);
    if (!gpu_device_note(device, batch, err))
        return NULL;
    batch->queue = resolved.queue;
    batch->desc = resolved;
    batch->state = GPU_BATCH_RECORDING;
    batch->open_span = -1;
    gpu_object_adopt(scope, &batch->object, GPU_OBJECT_BATCH);
    return batch;
}

static bool fail_batch(struct gpu_batch *batch, struct error *err)
{
    batch->state = GPU_BATCH_FAILED;
    if (err)
        *err = batch->first_error;
    return false;
}

bool gpu_batch_end(struct gpu_batch *batch, struct error *err)
{
    struct gpu_device *device = gpu_batch_device(batch);
    if (batch->state == GPU_BATCH_IN_FLIGHT ||
        (batch->first_error.code == ERROR_NONE && batch->state != GPU_BATCH_RECORDING))
        return error_set(err, ERROR_INTERNAL, "gpu_batch_end: the batch is %s",
                         state_name(batch->state));
    if (batch->first_error.code == ERROR_NONE && batch->open_span >= 0)
        error_set(&batch->first_error, ERROR_INTERNAL, "span %d was begun, but not ended",
                  batch->open_span);
    if (batch->first_error.code == ERROR_NONE)
        gpu_device_note(device, device->backend->batch_end(batch, &batch->first_error),
                        &batch->first_error);
    if (batch->first_error.code != ERROR_NONE)
        return fail_batch(batch, err);
    batch->ready_ns = clock_now_ns();
    batch->state = GPU_BATCH_READY;
    return true;
}

bool gpu_batch_reset(struct gpu_batch *batch, struct error *err)
{
    struct gpu_device *device = gpu_batch_device(batch);
    if (!gpu_device_check(device, err))
        return false;
    if (batch->state == GPU_BATCH_IN_FLIGHT)
        return error_set(err, ERROR_INTERNAL, "gpu_batch_reset: the batch is in flight");
    if (!gpu_device_note(device, device->backend->batch_reset(batch, err), err)) {
        batch->state = GPU_BATCH_FAILED;
        return false;
    }
    batch->state = GPU_BATCH_RECORDING;
    batch->first_error = (struct error){0};
    batch->commands = 0;
    batch->open_span = -1;
    batch->spans_recorded = 0;
    batch->splits_set = batch->splits_waited = 0;
    batch->finished = false;
    return true;
}

static bool check_ready(struct gpu_batch *batch, const struct gpu_hold *hold, struct error *err)
{
    if (!gpu_device_check(gpu_batch_device(batch), err))
        return false;
    if (hold && hold->object.scope->device != gpu_batch_device(batch))
        return error_set(err, ERROR_INTERNAL, "gpu_batch_submit: the hold is of another device");
    if (batch->state == GPU_BATCH_READY)
        return true;
    if (batch->first_error.code != ERROR_NONE && batch->state != GPU_BATCH_IN_FLIGHT)
        return fail_batch(batch, err);
    return error_set(err, ERROR_INTERNAL, "gpu_batch_submit: the batch is %s",
                     state_name(batch->state));
}

static bool submit(struct gpu_batch *batch, struct gpu_hold *hold, struct error *err)
{
    struct gpu_device *device = gpu_batch_device(batch);
    if (!device->backend->batch_submit(batch, hold, err)) {
        batch->after_count = 0;
        gpu_device_note(device, false, err);
        gpu_hold_let_go(hold); // the queue may already wait for the hold
        return false;
    }
    batch->hold = hold;
    batch->state = GPU_BATCH_IN_FLIGHT;
    return true;
}

bool gpu_batch_submit(struct gpu_batch *batch, struct gpu_hold *hold, struct error *err)
{
    return check_ready(batch, hold, err) && submit(batch, hold, err);
}

static bool check_after(const struct gpu_batch *batch, const struct gpu_submit *desc,
                        struct error *err)
{
    if (desc->after_count > GPU_AFTER_MAX)
        return error_set(err, ERROR_INTERNAL,
                         "gpu_batch_submit_after: %u batches to wait for, at most %d",
                         desc->after_count, GPU_AFTER_MAX);
    for (unsigned i = 0; i < desc->after_count; i++) {
        const struct gpu_batch *other = desc->after[i];
        if (!other)
            return error_set(err, ERROR_INTERNAL,
                             "gpu_batch_submit_after: batch %u to wait for is missing", i);
        if (other == batch)
            return error_set(err, ERROR_INTERNAL,
                             "gpu_batch_submit_after: a batch cannot wait for itself");
        if (gpu_batch_device(other) != gpu_batch_device(batch))
            return error_set(err, ERROR_INTERNAL,
                             "gpu_batch_submit_after: the other batch is of another device");
        if (other->state != GPU_BATCH_IN_FLIGHT && !other->finished)
            return error_set(err, ERROR_INTERNAL,
                             "gpu_batch_submit_after: the other batch is %s and was not submitted",
                             state_name(other->state));
    }
    return true;
}

bool gpu_batch_submit_after(struct gpu_batch *batch, const struct gpu_submit *desc,
                            struct error *err)
{
    if (!check_ready(batch, desc->hold, err) || !check_after(batch, desc, err))
        return false;
    for (unsigned i = 0; i < desc->after_count; i++)
        batch->after[i] = desc->after[i];
    batch->after_count = desc->after_count;
    return submit(batch, desc->hold, err);
}

bool gpu_batch_wait(struct gpu_batch *batch, uint64_t timeout_ns, struct error *err)
{
    struct gpu_device *device = gpu_batch_device(batch);
    if (batch->state == GPU_BATCH_READY && batch->finished)
        return true;
    if (batch->state != GPU_BATCH_IN_FLIGHT)
        return error_set(err, ERROR_INTERNAL,
                         "gpu_batch_wait: the batch is %s and was not submitted",
                         state_name(batch->state));
    struct error why = {0};
    if (!gpu_device_check(device, &why) || !device->backend->batch_wait(batch, timeout_ns, &why)) {
        // The batch stays in flight, and the caller can wait again, unless the device is lost.
        if (why.code == ERROR_DEVICE_LOST)
            batch->state = GPU_BATCH_FAILED;
        if (err)
            *err = why;
        return gpu_device_note(device, false, &why);
    }
    batch->hold = NULL;
    batch->after_count = 0;
    batch->finished = true;
    batch->state = batch->first_error.code == ERROR_NONE ? GPU_BATCH_READY : GPU_BATCH_FAILED;
    return true;
}

bool gpu_batch_run(struct gpu_batch *batch, uint64_t timeout_ns, struct error *err)
{
    return gpu_batch_submit(batch, NULL, err) && gpu_batch_wait(batch, timeout_ns, err);
}

bool gpu_span_check(const struct gpu_batch *batch, double ns, struct error *err)
{
    // Device clocks are much more accurate than this limit, but some drivers round the unit of time
    // stamps.
    static const double clock_error = 2, error_ns = 1e6;
    double passed_ns = (double)(clock_now_ns() - batch->ready_ns);
    if (ns >= 0 && ns <= clock_error * passed_ns + error_ns)
        return true;
    return error_set(err, ERROR_INTERNAL,
                     "%s: by its time stamps a batch took %.3g s, but by the host's clock at most "
                     "%.3g s: its driver's time stamps are wrong, update it",
                     gpu_batch_device(batch)->info->id, ns * 1e-9, passed_ns * 1e-9);
}

bool gpu_batch_span_ns(struct gpu_batch *batch, unsigned span, double *ns, struct error *err)
{
    struct gpu_device *device = gpu_batch_device(batch);
    if (span >= batch->desc.span_count || !(batch->spans_recorded >> span & 1))
        return error_set(err, ERROR_INTERNAL, "span %u was not recorded", span);
    if (batch->state != GPU_BATCH_READY || !batch->finished)
        return error_set(err, ERROR_INTERNAL, "span %u: no submission of the batch is done", span);
    return gpu_device_check(device, err) &&
           gpu_device_note(device, device->backend->batch_span_ns(batch, span, ns, err), err);
}

struct gpu_hold *gpu_hold_create(struct gpu_scope *scope, struct error *err)
{
    struct gpu_device *device = scope->device;
    if (!gpu_device_check(device, err) || !gpu_require(device->info, GPU_CAP(HOLDS), err))
        return NULL;
    struct gpu_hold *hold = device->backend->hold_create(scope, err);
    if (!gpu_device_note(device, hold, err))
        return NULL;
    gpu_object_adopt(scope, &hold->object, GPU_OBJECT_HOLD);
    return hold;
}

bool gpu_hold_release(struct gpu_hold *hold, struct error *err)
{
    struct gpu_device *device = hold->object.scope->device;
    if (hold->released)
        return true;
    if (!gpu_device_check(device, err) ||
        !gpu_device_note(device, device->backend->hold_release(hold, err), err))
        return false;
    hold->released = true;
    return true;
}

void gpu_hold_let_go(struct gpu_hold *hold)
{
    struct error err;
    // a failed release shows later: the wait for the batch then fails
    if (hold && !gpu_hold_release(hold, &err))
        return;
}
