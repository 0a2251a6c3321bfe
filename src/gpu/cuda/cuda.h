// SPDX-License-Identifier: MIT
// What the files of the CUDA backend share: its objects, each beginning with the neutral one.
#ifndef GPU_CUDA_CUDA_H
#define GPU_CUDA_CUDA_H

#include "gpu/backend.h"
#include "gpu/cuda/api.h"

enum {
    CUDA_SIDES = 16, // streams over which the commands of an unordered batch are dealt
};

struct cuda_state {
    struct dynlib *lib;
    struct cuda_api api;
    int *devices; // CUdevice by gpu_info.index
    size_t device_count;
};

struct cuda_queue {
    struct gpu_queue base;
    struct cu_stream *stream;
    int priority;
    // For unordered batches, made with the first of them: fork is recorded on `stream`, joined[i]
    // on sides[i].
    struct cu_stream *sides[CUDA_SIDES];
    struct cu_event *fork, *joined[CUDA_SIDES];
};

// What the driver frees only after it has waited for all work of the device; one member is set.
struct cuda_owned {
    uint64_t memory;
    void *host;
    struct cu_module *module;
    struct cu_mipmap *mipmap;
    struct cu_array *array;
};

struct cuda_kept {
    struct cuda_kept *next;
    struct cuda_owned owned;
};

struct cuda_device {
    struct gpu_device base;
    struct cuda_state *state;
    const struct cuda_api *api;
    int device;
    struct cu_context *context; // the device's primary one
    bool moves_pages;           // of managed memory, while kernels run
    unsigned held;              // holds not yet released
    struct cuda_kept *kept;     // to be freed once no hold is left
};

struct cuda_buffer {
    struct gpu_buffer base;
    uint64_t address; // of device or host memory, in the device's address space
};

struct cuda_typed {
    struct gpu_typed base;
    uint64_t texture;
};

struct cuda_image {
    struct gpu_image base;
    struct cu_mipmap *mipmap; // NULL where there is one level
    struct cu_array *array;   // level 0
    uint64_t texture;         // of level 0, by texel, without filter
    uint64_t surface;         // 0 without desc.storage
};

struct cuda_sampler {
    struct gpu_sampler base;
};

// A GPU_ARG_CONSTANT's place in the module: the symbol constant_POSITION.
struct cuda_constant {
    uint64_t address; // 0: the kernel does not read it
    size_t bytes;
};

struct cuda_program {
    struct gpu_program base;
    struct cu_module *module;
    struct cu_function *function;
    struct cuda_constant constants[GPU_ARGS_MAX];
    unsigned shared_bytes; // beyond what the kernel declares
    const char *log;       // what the driver's compiler said
};

struct cuda_hold {
    struct gpu_hold base;
    volatile uint32_t *flag; // host memory that a stream waits on
    uint64_t flag_address;
};

static inline struct cuda_device *cuda_device_of(const struct gpu_object *object)
{
    return (struct cuda_device *)object->scope->device;
}

// Makes the device's context the thread's current one: the driver keeps one a thread, and several
// devices may be open.
MUST_CHECK bool cuda_enter(const struct cuda_device *device, struct error *err);

// Waits until all work of the stream is done; bounded.
MUST_CHECK bool cuda_stream_drain(const struct cuda_device *device, struct cu_stream *stream,
                                  struct error *err);

// Waits until `event` has happened; ERROR_TIMEOUT after timeout_ns.
MUST_CHECK bool cuda_event_wait(const struct cuda_device *device, struct cu_event *event,
                                uint64_t timeout_ns, struct error *err);

// Frees it; while a hold keeps a stream waiting for the host, where freeing would wait for ever, it
// is kept for cuda_free_kept.
void cuda_free(struct cuda_device *device, struct cuda_owned owned);
void cuda_free_kept(struct cuda_device *device);

// The texture object of an image read through a sampler; owned by the caller.
MUST_CHECK bool cuda_texture_sampled(const struct cuda_device *device,
                                     const struct cuda_image *image,
                                     const struct gpu_sampler *sampler, uint64_t *texture,
                                     struct error *err);

// ---------------------------------------------------------------- slots of the backend

// Whether pages of managed memory can be moved while kernels run (system.c).
bool cuda_moves_pages(const struct cuda_api *api, int device);

void *cuda_load(struct gpu_enumeration *to);
void cuda_unload(void *state);

struct gpu_device *cuda_device_open(void *state, const struct gpu_info *info,
                                    const struct gpu_device_desc *desc, struct arena *arena,
                                    struct error *err);
void cuda_device_close(struct gpu_device *device);

struct gpu_buffer *cuda_buffer_create(struct gpu_scope *scope, const struct gpu_buffer_desc *desc,
                                      struct error *err);
void cuda_buffer_destroy(struct cuda_buffer *buffer);
bool cuda_buffer_write(struct gpu_buffer *buffer, uint64_t offset, const void *data, uint64_t bytes,
                       struct error *err);
bool cuda_buffer_read(struct gpu_buffer *buffer, uint64_t offset, void *data, uint64_t bytes,
                      struct error *err);

struct gpu_typed *cuda_typed_create(struct gpu_scope *scope, struct gpu_buffer *buffer,
                                    enum gpu_format format, uint64_t offset, uint64_t elements,
                                    struct error *err);
void cuda_typed_destroy(struct cuda_typed *typed);
struct gpu_image *cuda_image_create(struct gpu_scope *scope, const struct gpu_image_desc *desc,
                                    struct error *err);
void cuda_image_destroy(struct cuda_image *image);
bool cuda_image_write(struct gpu_image *image, uint32_t mip, uint32_t layer, const void *texels,
                      uint64_t bytes, struct error *err);
bool cuda_image_copy_from(struct gpu_image *image, struct gpu_buffer *source, uint64_t offset,
                          struct error *err);
struct gpu_sampler *cuda_sampler_create(struct gpu_scope *scope,
                                        const struct gpu_sampler_desc *desc, struct error *err);

struct gpu_program *cuda_program_create(struct gpu_scope *scope,
                                        const struct gpu_program_desc *desc, struct error *err);
void cuda_program_destroy(struct cuda_program *program);
bool cuda_program_stats(struct gpu_program *program, struct arena *arena,
                        struct gpu_program_stats *stats, struct error *err);

struct gpu_batch *cuda_batch_create(struct gpu_scope *scope, const struct gpu_batch_desc *desc,
                                    struct error *err);
void cuda_batch_destroy(struct gpu_batch *batch);
bool cuda_batch_dispatch(struct gpu_batch *batch, const struct gpu_dispatch *dispatch,
                         struct error *err);
bool cuda_batch_copy(struct gpu_batch *batch, struct gpu_buffer *to, uint64_t to_offset,
                     struct gpu_buffer *from, uint64_t from_offset, uint64_t bytes,
                     struct error *err);
bool cuda_batch_fill(struct gpu_batch *batch, struct gpu_buffer *buffer, uint64_t offset,
                     uint64_t bytes, uint32_t word, struct error *err);
bool cuda_batch_barrier(struct gpu_batch *batch, enum gpu_barrier barrier, struct error *err);
bool cuda_batch_span(struct gpu_batch *batch, unsigned span, bool end, struct error *err);
bool cuda_batch_end(struct gpu_batch *batch, struct error *err);
bool cuda_batch_reset(struct gpu_batch *batch, struct error *err);
bool cuda_batch_submit(struct gpu_batch *batch, struct gpu_hold *hold, struct error *err);
bool cuda_batch_wait(struct gpu_batch *batch, uint64_t timeout_ns, struct error *err);
bool cuda_batch_span_ns(struct gpu_batch *batch, unsigned span, double *ns, struct error *err);

struct gpu_hold *cuda_hold_create(struct gpu_scope *scope, struct error *err);
void cuda_hold_destroy(struct cuda_hold *hold);
bool cuda_hold_release(struct gpu_hold *hold, struct error *err);

extern const struct gpu_peers cuda_peers;
extern const struct gpu_managed cuda_managed;

#endif
