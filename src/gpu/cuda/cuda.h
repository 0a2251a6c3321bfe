// SPDX-License-Identifier: MIT
// Declarations that the files of the CUDA backend share. The first member of each object is the
// struct of gpu/backend.h for objects of its kind.
#ifndef GPU_CUDA_CUDA_H
#define GPU_CUDA_CUDA_H

#include "gpu/backend.h"
#include "gpu/cuda/api.h"

enum {
    CUDA_SIDES = 16, // number of streams over which an unordered batch distributes commands
};

struct cuda_state {
    struct dynlib *lib;
    struct cuda_api api;
    // devices[i] is the driver's handle (CUdevice) of the device with gpu_info.index i
    int *devices;
    size_t device_count;
};

struct cuda_queue {
    struct gpu_queue base;
    struct cu_stream *stream;
    int priority;
    // Streams and events for unordered batches, created with the first such batch. The event `fork`
    // is recorded on `stream`, the event joined[i] on sides[i].
    struct cu_stream *sides[CUDA_SIDES];
    struct cu_event *fork, *joined[CUDA_SIDES];
};

// A driver object that cuda_free frees. To free it, the driver waits until all work of the device
// has ended. At most one of the members is set; the others are 0 or NULL.
struct cuda_owned {
    uint64_t memory;
    void *host;
    struct cu_module *module;
    struct cu_mipmap *mipmap;
    struct cu_array *array;
};

struct cuda_deferred {
    struct cuda_deferred *next;
    struct cuda_owned owned;
};

struct cuda_device {
    struct gpu_device base;
    struct cuda_state *state;
    const struct cuda_api *api;
    int device;
    struct cu_context *context;     // the primary context of the device
    bool moves_pages;               // true if pages of managed memory can move while kernels run
    unsigned held;                  // number of holds that are neither released nor destroyed
    struct cuda_deferred *deferred; // list of driver objects to free once `held` is 0
};

struct cuda_typed {
    struct gpu_typed base;
    uint64_t texture;
};

struct cuda_image {
    struct gpu_image base;
    // the image as a mipmapped array; NULL if the image has only one mip level
    struct cu_mipmap *mipmap;
    struct cu_array *array; // CUDA array of the image's mip level 0
    uint64_t texture;       // texture object that reads single texels of mip level 0
    // surface object that writes to mip level 0; 0 unless desc.storage is set
    uint64_t surface;
};

// The symbol constant_N of a CUDA module: device memory in which the kernel reads its argument N, a
// GPU_ARG_CONSTANT.
struct cuda_constant {
    uint64_t address; // address of the symbol; 0 if the kernel does not read the argument
    size_t bytes;
};

struct cuda_program {
    struct gpu_program base;
    struct cu_module *module;
    struct cu_function *function;
    struct cuda_constant constants[GPU_ARGS_MAX];
    // bytes of shared memory of a workgroup in addition to the kernel's declared shared memory
    unsigned shared_bytes;
    const char *log; // messages of the compiler in the driver; "" if there are none
};

// ---------------------------------------------------------------- batches

enum cuda_command_kind {
    CUDA_COMMAND_LAUNCH,
    CUDA_COMMAND_COPY,
    CUDA_COMMAND_FILL,
    CUDA_COMMAND_BARRIER,
    CUDA_COMMAND_STAMP,
    CUDA_COMMAND_PEER_COPY,
    CUDA_COMMAND_PREFETCH,
};

struct cuda_launch {
    struct cu_function *function;
    const uint32_t *block;
    uint32_t grid[3];
    unsigned shared_bytes;
    void **arguments; // pointers to the argument values, for cuLaunchKernel
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
    int to; // where the pages move to: a device (CUdevice), or the host (CU_DEVICE_CPU)
};

struct cuda_command {
    enum cuda_command_kind kind;
    union {
        struct cuda_launch launch;
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

// A block of host memory for the arguments of recorded commands. The batch uses the block again
// after a reset.
struct cuda_block {
    struct cuda_block *next;
    size_t used;
    unsigned char data[];
};

// The copies from constant buffers to one symbol of a CUDA module. The copy `first` runs before all
// commands of the batch.
struct cuda_upload {
    struct cuda_range_copy first;
    struct cuda_range_copy last; // the most recently recorded copy to this symbol
};

struct cuda_sampled {
    const struct gpu_image *image;
    const struct gpu_sampler *sampler;
    uint64_t texture;
};

struct cuda_batch {
    struct gpu_batch base;
    struct cuda_queue *queue;
    struct cuda_command *commands;
    size_t command_count, command_capacity;
    struct cuda_upload *uploads;
    size_t upload_count, upload_capacity;
    struct cuda_sampled *sampled;
    size_t sampled_count, sampled_capacity;
    // `blocks` is the list of the batch's blocks of host memory. `block` is the block in this list
    // from which the next recorded command gets memory.
    struct cuda_block *blocks, *block;
    struct cuda_span *spans;
    struct cu_event *done; // event that marks the end of the latest submission of the batch
    struct cu_graph_exec *graph;
};

struct cuda_hold {
    struct gpu_hold base;
    // flag in host memory; streams that wait for the hold continue when the flag is 1
    volatile uint32_t *flag;
    uint64_t flag_address;
};

static inline struct cuda_device *cuda_device_of(const struct gpu_object *object)
{
    return (struct cuda_device *)object->scope->device;
}

// Makes the device's CUDA context the current context of this thread. Must be called before the
// driver's functions are called for a device, because several devices may be open.
MUST_CHECK bool cuda_enter(const struct cuda_device *device, struct error *err);

// Waits until all work of the stream is done. Fails with ERROR_TIMEOUT after GPU_WAIT_DRAIN_NS ns.
MUST_CHECK bool cuda_stream_drain(const struct cuda_device *device, struct cu_stream *stream,
                                  struct error *err);

// Waits until all work before `event` in its stream is done. Fails with ERROR_TIMEOUT after
// timeout_ns.
MUST_CHECK bool cuda_event_wait(const struct cuda_device *device, struct cu_event *event,
                                uint64_t timeout_ns, struct error *err);

// Frees `owned`. If a hold (gpu_hold_create) of the device is not released, the driver could wait
// for ever to free an object. In this case, `owned` is put on a list, which cuda_free_deferred
// frees after the last release.
void cuda_free(struct cuda_device *device, struct cuda_owned owned);
void cuda_free_deferred(struct cuda_device *device);

// Allocates host memory that the device can access. Sets *memory to its pointer for the host and
// *address to its address for the device. The caller frees the memory with cuda_free.
MUST_CHECK bool cuda_host_alloc(const struct cuda_api *api, uint64_t bytes, void **memory,
                                uint64_t *address, struct error *err);

// Checks that this driver and system can move single pages of managed memory, and makes the
// device's context current. Fails with ERROR_UNSUPPORTED if they cannot move single pages.
MUST_CHECK bool cuda_pages_check(const struct cuda_device *device, struct error *err);

// Creates a texture object that reads an image through a sampler. The caller destroys the texture
// object.
MUST_CHECK bool cuda_texture_sampled(const struct cuda_device *device,
                                     const struct cuda_image *image,
                                     const struct gpu_sampler *sampler, uint64_t *texture,
                                     struct error *err);

// Returns true if pages of managed memory can move while kernels run (system.c).
bool cuda_moves_pages(const struct cuda_api *api, int device);

void cuda_buffer_destroy(struct gpu_buffer *buffer);
void cuda_typed_destroy(struct cuda_typed *typed);
void cuda_image_destroy(struct cuda_image *image);
void cuda_program_destroy(struct cuda_program *program);
void cuda_batch_destroy(struct gpu_batch *batch);
void cuda_hold_destroy(struct cuda_hold *hold);

// ---------------------------------------------------------------- slots of the backend

#define X(slot) GPU_SLOT(gpu_backend, slot) cuda_##slot;
GPU_SLOTS(X)
#undef X
GPU_SLOT(gpu_backend, program_stats) cuda_program_stats;

GPU_SLOT(gpu_managed, free_bytes) cuda_managed_free_bytes;
GPU_SLOT(gpu_managed, advise) cuda_managed_advise;
GPU_SLOT(gpu_managed, batch_prefetch) cuda_managed_batch_prefetch;

GPU_SLOT(gpu_peers, connect) cuda_peers_connect;
GPU_SLOT(gpu_peers, batch_copy) cuda_peers_batch_copy;

// The functions of this backend for hardware counters (cuda/counters.c).
extern const struct gpu_counting cuda_counting;

#endif
