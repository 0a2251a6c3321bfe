// SPDX-License-Identifier: MIT
// A recorded batch: commands as data, issued to streams at each submission or once into a graph.
#ifndef GPU_CUDA_BATCH_H
#define GPU_CUDA_BATCH_H

#include "gpu/cuda/cuda.h"

enum cuda_command_kind {
    CUDA_COMMAND_LAUNCH,
    CUDA_COMMAND_COPY,
    CUDA_COMMAND_FILL,
    CUDA_COMMAND_BARRIER,
    CUDA_COMMAND_STAMP,
    CUDA_COMMAND_PEER_COPY,
    CUDA_COMMAND_PREFETCH,
};

struct cuda_range_copy {
    uint64_t to, from, bytes;
};

struct cuda_peer_copy {
    struct cuda_range_copy range;
    struct cu_context *to, *from;
};

struct cuda_prefetch {
    uint64_t address, bytes;
    int to; // CUdevice
};

struct cuda_command {
    enum cuda_command_kind kind;
    union {
        struct {
            struct cu_function *function;
            const uint32_t *block;
            uint32_t grid[3];
            unsigned shared_bytes;
            void **arguments; // pointers to the values, as cuLaunchKernel wants them
        } launch;
        struct cuda_range_copy copy;
        struct {
            uint64_t to, words;
            uint32_t word;
        } fill;
        struct cu_event *stamp;
        struct cuda_peer_copy peer;
        struct cuda_prefetch prefetch;
    } as;
};

struct cuda_span {
    struct cu_event *begin, *end;
};

// Host memory of the commands: blocks that a reset uses again.
struct cuda_block {
    struct cuda_block *next;
    size_t used;
    unsigned char data[];
};

// A constant buffer's way into its module's symbol: `first` before the commands of the batch run.
struct cuda_upload {
    struct cuda_range_copy first;
    struct cuda_range_copy last; // what the symbol holds after the commands recorded so far
};

struct cuda_sampled {
    const struct gpu_image *image;
    const struct gpu_sampler *sampler;
    uint64_t texture;
};

struct cuda_batch {
    struct gpu_batch base;
    struct cuda_queue *queue;
    bool unordered, replay;
    struct cuda_command *commands;
    size_t command_count, command_capacity;
    struct cuda_upload *uploads;
    size_t upload_count, upload_capacity;
    struct cuda_sampled *sampled;
    size_t sampled_count, sampled_capacity;
    struct cuda_block *blocks, *block; // all, and the one being filled
    struct cuda_span *spans;
    unsigned span_count;
    struct cu_event *done; // recorded at the end of each submission
    struct cu_graph_exec *graph;
};

// Issues uploads and commands to the queue's streams. `capturing`: they become nodes of a graph.
// 0 or the CUresult of the call that failed.
int cuda_batch_issue(struct cuda_batch *batch, bool capturing);

void cuda_batch_add_peer_copy(struct cuda_batch *batch, const struct cuda_peer_copy *copy);
void cuda_batch_add_prefetch(struct cuda_batch *batch, const struct cuda_prefetch *prefetch);

// Makes the streams that an unordered batch needs, once a queue.
MUST_CHECK bool cuda_queue_add_sides(const struct cuda_device *device, struct cuda_queue *queue,
                                     struct error *err);

#endif
