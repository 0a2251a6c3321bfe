// SPDX-License-Identifier: MIT
// The double of libcuda: streams, events and graphs.
#include "doubles/world.h"

#include <stdlib.h>

#define X(name, args) int name args;
CUDA_REQUIRED(X)
CUDA_OPTIONAL(X)
#undef X

// ---------------------------------------------------------------- streams and events

int cuStreamCreateWithPriority(struct cu_stream **stream, unsigned flags, int priority)
{
    (void)flags;
    (void)priority;
    *stream = FAKE_INVALID;
    FAKE_ENTER();
    *stream = fake_make(sizeof **stream);
    fake_list_init(&(*stream)->queue);
    fake_stream_add(*stream);
    return CU_SUCCESS;
}

int cuStreamDestroy_v2(struct cu_stream *stream)
{
    fake_stream_remove(stream);
    fake_list_fini(&stream->queue);
    free(stream);
    fake_count(-1);
    return fake_enter(__func__);
}

int cuStreamQuery(struct cu_stream *stream)
{
    FAKE_ENTER();
    fake_progress_all();
    return fake_progress(stream) ? CU_SUCCESS : CU_NOT_READY;
}

// A stream that waits for an event of a capture becomes part of that capture.
int cuStreamWaitEvent(struct cu_stream *stream, struct cu_event *event, unsigned flags)
{
    (void)flags;
    FAKE_ENTER();
    if (event->capture)
        stream->capture = event->capture;
    if (stream->capture)
        return CU_SUCCESS;
    struct fake_op *op = fake_op_create(FAKE_OP_WAIT_EVENT);
    op->event = event;
    op->word = event->asked;
    fake_enqueue(stream, op);
    return CU_SUCCESS;
}

int cuStreamWaitValue32_v2(struct cu_stream *stream, uint64_t address, uint32_t value,
                           unsigned flags)
{
    (void)flags;
    FAKE_ENTER();
    struct fake_op *op = fake_op_create(FAKE_OP_WAIT_VALUE);
    op->from = (const void *)(uintptr_t)address;
    op->word = value;
    fake_enqueue(stream, op);
    return CU_SUCCESS;
}

int cuEventCreate(struct cu_event **event, unsigned flags)
{
    (void)flags;
    *event = FAKE_INVALID;
    FAKE_ENTER();
    *event = fake_make(sizeof **event);
    return CU_SUCCESS;
}

int cuEventDestroy_v2(struct cu_event *event)
{
    free(event);
    fake_count(-1);
    return fake_enter(__func__);
}

static int record(struct cu_event *event, struct cu_stream *stream)
{
    struct fake_op *op = fake_op_create(FAKE_OP_RECORD);
    op->event = event;
    fake_enqueue(stream, op);
    return CU_SUCCESS;
}

// In a capture, an event only marks a place and is no command.
int cuEventRecord(struct cu_event *event, struct cu_stream *stream)
{
    FAKE_ENTER();
    event->capture = stream->capture;
    return stream->capture ? CU_SUCCESS : record(event, stream);
}

int cuEventRecordWithFlags(struct cu_event *event, struct cu_stream *stream, unsigned flags)
{
    (void)flags;
    FAKE_ENTER();
    return record(event, stream);
}

int cuEventQuery(struct cu_event *event)
{
    FAKE_ENTER();
    fake_progress_all();
    return event->recorded < event->asked ? CU_NOT_READY : CU_SUCCESS;
}

int cuEventElapsedTime(float *ms, struct cu_event *begin, struct cu_event *end)
{
    FAKE_ENTER();
    if (!fake_setting("FAKE_CUDA_SILENT", 0))
        *ms = (float)(end->ms - begin->ms);
    return CU_SUCCESS;
}

// ---------------------------------------------------------------- graphs

int cuStreamBeginCapture_v2(struct cu_stream *stream, int mode)
{
    (void)mode;
    FAKE_ENTER();
    stream->capture = fake_make(sizeof *stream->capture);
    fake_list_init(&stream->capture->ops);
    return CU_SUCCESS;
}

static int destroy_graph(struct cu_graph *graph)
{
    fake_list_fini(&graph->ops);
    free(graph);
    fake_count(-1);
    return CU_SUCCESS;
}

int cuStreamEndCapture(struct cu_stream *stream, struct cu_graph **graph)
{
    struct cu_graph *captured = stream->capture;
    int result = fake_enter(__func__);
    fake_streams_leave(captured);
    *graph = NULL;
    if (result != CU_SUCCESS) {
        destroy_graph(captured);
        return result;
    }
    *graph = captured;
    return CU_SUCCESS;
}

int cuGraphInstantiateWithFlags(struct cu_graph_exec **exec, struct cu_graph *graph, uint64_t flags)
{
    (void)flags;
    FAKE_ENTER();
    *exec = fake_make(sizeof **exec);
    fake_list_copy(&(*exec)->ops, &graph->ops);
    return CU_SUCCESS;
}

int cuGraphUpload(struct cu_graph_exec *exec, struct cu_stream *stream)
{
    (void)exec;
    (void)stream;
    FAKE_ENTER();
    return CU_SUCCESS;
}

int cuGraphLaunch(struct cu_graph_exec *exec, struct cu_stream *stream)
{
    FAKE_ENTER();
    struct fake_list ops;
    fake_list_copy(&ops, &exec->ops);
    for (struct fake_op *op = ops.first, *next; op; op = next) {
        next = op->next;
        fake_enqueue(stream, op);
    }
    return CU_SUCCESS;
}

int cuGraphExecDestroy(struct cu_graph_exec *exec)
{
    fake_list_fini(&exec->ops);
    free(exec);
    fake_count(-1);
    return fake_enter(__func__);
}

int cuGraphDestroy(struct cu_graph *graph)
{
    destroy_graph(graph);
    return fake_enter(__func__);
}
