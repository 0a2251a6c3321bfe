// SPDX-License-Identifier: MIT
// Submits batches: puts their commands into OpenCL queues. Also waits for batches, reads their
// spans, and creates and releases holds.
#include "gpu/opencl/opencl.h"

// ---------------------------------------------------------------- enqueueing

struct issue {
    const struct opencl_api *api;
    const struct opencl_batch *batch;
    cl_command_queue queue;
    size_t lent; // number of host buffers of the batch that are unmapped at present
};

// Issues a copy. If one buffer is mapped, issues a read or write instead, because drivers then
// access pinned memory directly.
static cl_int issue_copy(const struct issue *issue, const struct opencl_command *command)
{
    const struct opencl_buffer *to = command->to, *from = command->from;
    if (from->base.mapped && !opencl_batch_lends(issue->batch, from))
        return issue->api->clEnqueueWriteBuffer(
            issue->queue, to->memory, CL_FALSE, command->to_offset, command->bytes,
            (const char *)from->base.mapped + command->from_offset, 0, NULL, command->event);
    if (to->base.mapped && !opencl_batch_lends(issue->batch, to))
        return issue->api->clEnqueueReadBuffer(
            issue->queue, from->memory, CL_FALSE, command->from_offset, command->bytes,
            (char *)to->base.mapped + command->to_offset, 0, NULL, command->event);
    return issue->api->clEnqueueCopyBuffer(issue->queue, from->memory, to->memory,
                                           command->from_offset, command->to_offset, command->bytes,
                                           0, NULL, command->event);
}

static cl_int issue_command(const struct issue *issue, const struct opencl_command *command)
{
    switch (command->kind) {
    case OPENCL_COMMAND_LAUNCH:
        return issue->api->clEnqueueNDRangeKernel(issue->queue, command->kernel, 3, NULL,
                                                  command->global, command->local, 0, NULL,
                                                  command->event);
    case OPENCL_COMMAND_COPY:
        return issue_copy(issue, command);
    case OPENCL_COMMAND_FILL:
        return issue->api->clEnqueueFillBuffer(issue->queue, command->to->memory, &command->word,
                                               sizeof command->word, command->to_offset,
                                               command->bytes, 0, NULL, command->event);
    case OPENCL_COMMAND_BARRIER:
        break;
    }
    return issue->api->clEnqueueBarrierWithWaitList(issue->queue, 0, NULL, NULL);
}

// Begins a submission. Its commands wait for the hold, for the batches in `after`, and for earlier
// work of both OpenCL queues. Then unmaps the host buffers, which gives them to the device.
static cl_int issue_begin(struct issue *issue, const struct gpu_hold *hold)
{
    const struct opencl_queue *queue = issue->batch->queue;
    const struct gpu_batch *base = &issue->batch->base;
    cl_event events[2 + GPU_AFTER_MAX];
    cl_uint count = 0;
    if (hold)
        events[count++] = ((const struct opencl_hold *)hold)->event;
    for (unsigned i = 0; i < base->after_count; i++)
        events[count++] = ((const struct opencl_batch *)base->after[i])->done;
    if (queue->last && queue->last_unordered != issue->batch->base.desc.unordered)
        events[count++] = queue->last;
    cl_int result = CL_SUCCESS;
    if (count)
        result = issue->api->clEnqueueBarrierWithWaitList(issue->queue, count, events, NULL);
    // An out-of-order queue waits for its own earlier work only at a barrier.
    if (result == CL_SUCCESS && issue->batch->base.desc.unordered)
        result = issue->api->clEnqueueBarrierWithWaitList(issue->queue, 0, NULL, NULL);
    for (size_t i = 0; i < issue->batch->lent_count && result == CL_SUCCESS; i++) {
        const struct opencl_buffer *buffer = issue->batch->lent[i];
        result = issue->api->clEnqueueUnmapMemObject(issue->queue, buffer->memory,
                                                     buffer->base.mapped, 0, NULL, NULL);
        issue->lent += result == CL_SUCCESS;
    }
    if (result == CL_SUCCESS && issue->batch->base.desc.unordered && issue->batch->lent_count)
        result = issue->api->clEnqueueBarrierWithWaitList(issue->queue, 0, NULL, NULL);
    return result;
}

// Maps the host buffers again. A new address is an error, because the host still uses the old
// address.
static cl_int issue_end(const struct issue *issue, cl_event *done)
{
    cl_int result = CL_SUCCESS;
    if (issue->batch->base.desc.unordered)
        result = issue->api->clEnqueueBarrierWithWaitList(issue->queue, 0, NULL, NULL);
    for (size_t i = 0; i < issue->lent && result == CL_SUCCESS; i++) {
        const struct opencl_buffer *buffer = issue->batch->lent[i];
        void *mapped = issue->api->clEnqueueMapBuffer(issue->queue, buffer->memory, CL_FALSE,
                                                      CL_MAP_READ | CL_MAP_WRITE, 0,
                                                      buffer->base.bytes, 0, NULL, NULL, &result);
        if (result == CL_SUCCESS && mapped != buffer->base.mapped)
            result = CL_INVALID_OPERATION;
    }
    if (result == CL_SUCCESS)
        result = issue->api->clEnqueueMarkerWithWaitList(issue->queue, 0, NULL, done);
    return result == CL_SUCCESS ? issue->api->clFlush(issue->queue) : result;
}

static void remember_last(const struct opencl_api *api, struct opencl_batch *batch)
{
    struct opencl_queue *queue = batch->queue;
    if (queue->last)
        api->clReleaseEvent(queue->last);
    api->clRetainEvent(batch->done);
    queue->last = batch->done;
    queue->last_unordered = batch->base.desc.unordered;
}

bool opencl_batch_submit(struct gpu_batch *base, struct gpu_hold *hold, struct error *err)
{
    struct opencl_batch *batch = (struct opencl_batch *)base;
    struct issue issue = {
        .api = opencl_device_of(&base->object)->api,
        .batch = batch,
        .queue = batch->base.desc.unordered ? batch->queue->unordered : batch->queue->ordered,
    };
    opencl_batch_drop_events(batch);
    cl_int result = issue_begin(&issue, hold);
    for (size_t i = 0; i < batch->command_count && result == CL_SUCCESS; i++)
        result = issue_command(&issue, &batch->commands[i]);
    // also after an error, because the host must get its buffers back; they may outlive the batch
    cl_int ended = issue_end(&issue, &batch->done);
    result = result == CL_SUCCESS ? ended : result;
    if (batch->done)
        remember_last(issue.api, batch);
    return opencl_check(result, "submitting a batch", err);
}

bool opencl_batch_wait(struct gpu_batch *base, uint64_t timeout_ns, struct error *err)
{
    return opencl_event_wait(opencl_device_of(&base->object), ((struct opencl_batch *)base)->done,
                             timeout_ns, err);
}

bool opencl_batch_span_ns(struct gpu_batch *base, unsigned span, double *ns, struct error *err)
{
    const struct opencl_api *api = opencl_device_of(&base->object)->api;
    const struct opencl_span *events = &((struct opencl_batch *)base)->spans[span];
    cl_ulong begin = CL_ULONG_MAX, end = 0;
    for (size_t i = 0; i < events->count; i++) {
        // If the driver does not write both times, the span is negative, and gpu_span_check refuses
        // it.
        cl_ulong started = INT64_MAX, ended = 0;
        if (!opencl_check(api->clGetEventProfilingInfo(events->events[i],
                                                       CL_PROFILING_COMMAND_START, sizeof started,
                                                       &started, NULL),
                          "clGetEventProfilingInfo", err) ||
            !opencl_check(api->clGetEventProfilingInfo(events->events[i], CL_PROFILING_COMMAND_END,
                                                       sizeof ended, &ended, NULL),
                          "clGetEventProfilingInfo", err))
            return false;
        begin = started < begin ? started : begin;
        end = ended > end ? ended : end;
    }
    *ns = events->count ? (double)(int64_t)(end - begin) : 0.0;
    return gpu_span_check(base, *ns, err);
}

// ---------------------------------------------------------------- holds

struct gpu_hold *opencl_hold_create(struct gpu_scope *scope, struct error *err)
{
    struct opencl_device *device = (struct opencl_device *)scope->device;
    struct opencl_hold *hold = ARENA_NEW(scope->arena, struct opencl_hold);
    cl_int result = CL_SUCCESS;
    hold->event = device->api->clCreateUserEvent(device->context, &result);
    return opencl_check(result, "clCreateUserEvent", err) ? &hold->base : NULL;
}

bool opencl_hold_release(struct gpu_hold *base, struct error *err)
{
    const struct opencl_api *api = opencl_device_of(&base->object)->api;
    return opencl_check(api->clSetUserEventStatus(((struct opencl_hold *)base)->event, CL_COMPLETE),
                        "clSetUserEventStatus", err);
}

void opencl_hold_destroy(struct opencl_hold *hold)
{
    opencl_device_of(&hold->base.object)->api->clReleaseEvent(hold->event);
}
