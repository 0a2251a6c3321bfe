// SPDX-License-Identifier: MIT
// A recorded batch: commands as data, enqueued at each submission.
#ifndef GPU_OPENCL_BATCH_H
#define GPU_OPENCL_BATCH_H

#include "gpu/opencl/opencl.h"

enum opencl_command_kind {
    OPENCL_COMMAND_LAUNCH,
    OPENCL_COMMAND_COPY,
    OPENCL_COMMAND_FILL,
    OPENCL_COMMAND_BARRIER,
};

struct opencl_command {
    enum opencl_command_kind kind;
    int span;         // that it is timed for; -1: none
    cl_event *event;  // where its event goes; NULL: not wanted
    cl_kernel kernel; // LAUNCH: its arguments are set
    size_t global[3], local[3];
    struct opencl_buffer *to, *from; // COPY, FILL
    uint64_t to_offset, from_offset, bytes;
    uint32_t word;
};

// A kernel object with its arguments, kept while the batch is: a dispatch like an earlier one uses
// it again.
struct opencl_bound {
    struct gpu_dispatch dispatch;
    unsigned char params[GPU_PARAMS_MAX_BYTES];
    cl_kernel kernel;
};

// Events of the timed commands of a span, of the last submission.
struct opencl_span {
    cl_event *events;
    size_t count;
};

struct opencl_batch {
    struct gpu_batch base;
    struct opencl_queue *queue;
    bool unordered;
    int open_span;
    struct opencl_command *commands;
    size_t command_count, command_capacity;
    struct opencl_bound *bound;
    size_t bound_count, bound_capacity;
    cl_mem *ranges; // sub-buffers made for arguments
    size_t range_count, range_capacity;
    // Host memory that kernels or fills of this batch use: given to the device at the start of a
    // submission and mapped again at its end.
    struct opencl_buffer **lent;
    size_t lent_count, lent_capacity;
    struct opencl_span *spans;
    unsigned span_count;
    cl_event done; // of the submission in flight or the last one
};

// Marks the buffer as lent to the device by this batch, where it is host memory.
void opencl_batch_lend(struct opencl_batch *batch, struct gpu_buffer *buffer);
bool opencl_batch_lends(const struct opencl_batch *batch, const struct opencl_buffer *buffer);

// Releases the events of the last submission.
void opencl_batch_drop_events(struct opencl_batch *batch);

MUST_CHECK bool opencl_queue_add_unordered(const struct opencl_device *device,
                                           struct opencl_queue *queue, struct error *err);

#endif
