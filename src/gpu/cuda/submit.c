// SPDX-License-Identifier: MIT
// Submits batches: issues their commands to streams, or launches the graph made of them. Also waits
// for batches, reads their spans, and creates and releases holds.
#include "gpu/cuda/cuda.h"

#include <math.h>

// ---------------------------------------------------------------- issuing

// State of the submission of a batch. An unordered batch distributes its commands over side
// streams:
// - fork: before its first command after a join, a side stream waits for the main stream
// - join (barrier, span or end of the batch): the main stream waits for all side streams in use
struct issue {
    const struct cuda_api *api;
    struct cuda_batch *batch;
    bool capturing;
    bool forked;   // true if the event queue->fork was recorded after the last join
    uint32_t used; // bit i is set if side stream i was used since the last join
    unsigned next; // number of the next command, which goes to side stream `next` % CUDA_SIDES
};

static int join(struct issue *issue)
{
    struct cuda_queue *queue = issue->batch->queue;
    for (unsigned i = 0; i < CUDA_SIDES; i++) {
        if (!(issue->used >> i & 1))
            continue;
        int result = issue->api->cuEventRecord(queue->joined[i], queue->sides[i]);
        if (result == CU_SUCCESS)
            result = issue->api->cuStreamWaitEvent(queue->stream, queue->joined[i], 0);
        if (result != CU_SUCCESS)
            return result;
    }
    issue->used = 0;
    issue->forked = false;
    return CU_SUCCESS;
}

// Sets *stream for the next command. After a join, a side stream first waits for the main stream.
static int pick_stream(struct issue *issue, struct cu_stream **stream)
{
    struct cuda_queue *queue = issue->batch->queue;
    *stream = queue->stream;
    if (!issue->batch->base.desc.unordered)
        return CU_SUCCESS;
    unsigned side = issue->next++ % CUDA_SIDES;
    *stream = queue->sides[side];
    if (issue->used >> side & 1)
        return CU_SUCCESS;
    int result = CU_SUCCESS;
    if (!issue->forked)
        result = issue->api->cuEventRecord(queue->fork, queue->stream);
    issue->forked = true;
    issue->used |= UINT32_C(1) << side;
    return result == CU_SUCCESS ? issue->api->cuStreamWaitEvent(*stream, queue->fork, 0) : result;
}

static int issue_copy(const struct cuda_api *api, const struct cuda_range_copy *copy,
                      struct cu_stream *stream)
{
    return api->cuMemcpyAsync(copy->to, copy->from, copy->bytes, stream);
}

// Records the event of a span. In a captured graph, only an external event becomes a node.
static int issue_stamp(struct issue *issue, struct cu_event *event)
{
    struct cu_stream *stream = issue->batch->queue->stream;
    int result = join(issue);
    if (result != CU_SUCCESS)
        return result;
    if (issue->capturing)
        return issue->api->cuEventRecordWithFlags(event, stream, CU_EVENT_RECORD_EXTERNAL);
    return issue->api->cuEventRecord(event, stream);
}

static int issue_command(struct issue *issue, const struct cuda_command *command)
{
    const struct cuda_api *api = issue->api;
    struct cu_stream *stream = NULL;
    if (command->kind == CUDA_COMMAND_BARRIER)
        return join(issue);
    if (command->kind == CUDA_COMMAND_STAMP)
        return issue_stamp(issue, command->as.stamp);
    int result = pick_stream(issue, &stream);
    if (result != CU_SUCCESS)
        return result;
    if (command->kind == CUDA_COMMAND_LAUNCH) {
        const struct cuda_launch *launch = &command->as.launch;
        const uint32_t *grid = launch->grid, *block = launch->block;
        return api->cuLaunchKernel(launch->function, grid[0], grid[1], grid[2], block[0], block[1],
                                   block[2], launch->shared_bytes, stream, launch->arguments, NULL);
    }
    if (command->kind == CUDA_COMMAND_COPY)
        return issue_copy(api, &command->as.copy, stream);
    if (command->kind == CUDA_COMMAND_PEER_COPY) {
        const struct cuda_peer_copy *copy = &command->as.peer;
        return api->cuMemcpyPeerAsync(copy->range.to, copy->to, copy->range.from, copy->from,
                                      copy->range.bytes, stream);
    }
    if (command->kind == CUDA_COMMAND_PREFETCH) {
        const struct cuda_prefetch *prefetch = &command->as.prefetch;
        return api->cuMemPrefetchAsync(prefetch->address, prefetch->bytes, prefetch->to, stream);
    }
    return api->cuMemsetD32Async(command->as.fill.to, command->as.fill.word, command->as.fill.words,
                                 stream);
}

static int issue_batch(struct cuda_batch *batch, bool capturing)
{
    struct issue issue = {
        .api = cuda_device_of(&batch->base.object)->api, .batch = batch, .capturing = capturing};
    int result = CU_SUCCESS;
    for (size_t i = 0; i < batch->upload_count && result == CU_SUCCESS; i++)
        result = issue_copy(issue.api, &batch->uploads[i].first, batch->queue->stream);
    for (size_t i = 0; i < batch->command_count && result == CU_SUCCESS; i++)
        result = issue_command(&issue, &batch->commands[i]);
    // also after an error, because a capture cannot end before every forked stream is joined
    int joined = join(&issue);
    return result == CU_SUCCESS ? joined : result;
}

// ---------------------------------------------------------------- graphs

// Captures the batch into a graph. Even after an error, the stream must leave the capture mode.
static bool capture(const struct cuda_api *api, struct cuda_batch *batch, struct cu_graph **graph,
                    struct error *err)
{
    struct cu_stream *stream = batch->queue->stream;
    if (!cuda_check(api, api->cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_RELAXED),
                    "cuStreamBeginCapture", err))
        return false;
    int issued = issue_batch(batch, true);
    int ended = api->cuStreamEndCapture(stream, graph);
    return cuda_check(api, issued, "recording a graph", err) &&
           cuda_check(api, ended, "cuStreamEndCapture", err);
}

static bool make_graph(const struct cuda_device *device, struct cuda_batch *batch,
                       struct error *err)
{
    const struct cuda_api *api = device->api;
    struct cu_graph *graph = NULL;
    bool ok = capture(api, batch, &graph, err) &&
              cuda_check(api, api->cuGraphInstantiateWithFlags(&batch->graph, graph, 0),
                         "cuGraphInstantiate", err) &&
              cuda_check(api, api->cuGraphUpload(batch->graph, batch->queue->stream),
                         "cuGraphUpload", err);
    if (graph)
        api->cuGraphDestroy(graph);
    return ok;
}

bool cuda_batch_end(struct gpu_batch *base, struct error *err)
{
    struct cuda_batch *batch = (struct cuda_batch *)base;
    struct cuda_device *device = cuda_device_of(&base->object);
    return !batch->base.desc.replay || (cuda_enter(device, err) && make_graph(device, batch, err));
}

// ---------------------------------------------------------------- submitting and waiting

bool cuda_batch_submit(struct gpu_batch *base, struct gpu_hold *hold, struct error *err)
{
    struct cuda_batch *batch = (struct cuda_batch *)base;
    struct cuda_device *device = cuda_device_of(&base->object);
    const struct cuda_api *api = device->api;
    struct cu_stream *stream = batch->queue->stream;
    int result = api->cuCtxSetCurrent(device->context);
    if (hold && result == CU_SUCCESS)
        result = api->cuStreamWaitValue32_v2(stream, ((struct cuda_hold *)hold)->flag_address, 1,
                                             CU_STREAM_WAIT_VALUE_GEQ);
    for (unsigned i = 0; i < base->after_count && result == CU_SUCCESS; i++)
        result = api->cuStreamWaitEvent(stream, ((struct cuda_batch *)base->after[i])->done, 0);
    if (result == CU_SUCCESS)
        result =
            batch->graph ? api->cuGraphLaunch(batch->graph, stream) : issue_batch(batch, false);
    if (result == CU_SUCCESS)
        result = api->cuEventRecord(batch->done, stream);
    return cuda_check(api, result, "submitting a batch", err);
}

bool cuda_batch_wait(struct gpu_batch *base, uint64_t timeout_ns, struct error *err)
{
    struct cuda_device *device = cuda_device_of(&base->object);
    return cuda_enter(device, err) &&
           cuda_event_wait(device, ((struct cuda_batch *)base)->done, timeout_ns, err);
}

bool cuda_batch_span_ns(struct gpu_batch *base, unsigned span, double *ns, struct error *err)
{
    struct cuda_device *device = cuda_device_of(&base->object);
    const struct cuda_span *events = &((struct cuda_batch *)base)->spans[span];
    float ms = NAN; // stays if the driver does not write the time
    if (!cuda_enter(device, err) ||
        !cuda_check(device->api, device->api->cuEventElapsedTime(&ms, events->begin, events->end),
                    "cuEventElapsedTime", err))
        return false;
    *ns = (double)ms * 1e6;
    return gpu_span_check(base, *ns, err);
}

// ---------------------------------------------------------------- holds

struct gpu_hold *cuda_hold_create(struct gpu_scope *scope, struct error *err)
{
    struct cuda_device *device = (struct cuda_device *)scope->device;
    struct cuda_hold *hold = ARENA_NEW(scope->arena, struct cuda_hold);
    void *flag = NULL;
    if (!cuda_enter(device, err) ||
        !cuda_host_alloc(device->api, sizeof *hold->flag, &flag, &hold->flag_address, err))
        return NULL;
    hold->flag = flag;
    *hold->flag = 0;
    device->held++;
    return &hold->base;
}

// Counts a hold as released; must be called once for each hold. After the last hold, frees the
// objects whose release was deferred.
static void let_go(struct cuda_device *device)
{
    if (--device->held == 0)
        cuda_free_deferred(device);
}

bool cuda_hold_release(struct gpu_hold *base, struct error *err)
{
    struct cuda_hold *hold = (struct cuda_hold *)base;
    struct cuda_device *device = cuda_device_of(&base->object);
    *hold->flag = 1;
    if (!cuda_enter(device, err))
        return false;
    let_go(device);
    return true;
}

void cuda_hold_destroy(struct cuda_hold *hold)
{
    struct cuda_device *device = cuda_device_of(&hold->base.object);
    if (!hold->base.released)
        let_go(device);
    cuda_free(device, (struct cuda_owned){.host = (void *)(uintptr_t)hold->flag});
}
