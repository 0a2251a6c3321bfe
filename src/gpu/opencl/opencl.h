// SPDX-License-Identifier: MIT
// What the files of the OpenCL backend share. The first member of each object is the struct of
// gpu/backend.h for such objects.
#ifndef GPU_OPENCL_OPENCL_H
#define GPU_OPENCL_OPENCL_H

#include "gpu/backend.h"
#include "gpu/opencl/api.h"

struct opencl_state {
    struct dynlib *lib;
    struct opencl_api api;
    cl_device_id *devices; // devices[i]: the device with gpu_info.index i
    size_t device_count, device_capacity;
};

// A gpu_queue has two OpenCL command queues: one for ordered and one for unordered batches.
struct opencl_queue {
    struct gpu_queue base;
    cl_command_queue ordered, unordered; // `unordered` is created for the first unordered batch
    // Event at the end of the queue's latest submission; NULL: none.
    cl_event last;
    bool last_unordered; // true: the latest submission went to the command queue `unordered`
};

struct opencl_device {
    struct gpu_device base;
    struct opencl_state *state;
    const struct opencl_api *api;
    cl_device_id device;
    cl_context context;
    cl_command_queue host; // queue for copies between host and device; holds never block it
    // True if the driver is PoCL. PoCL 3.1 has four faults: typed views can only cover whole
    // buffers, kernels that write to typed views crash, half floats are read wrongly, and array
    // images are filtered wrongly.
    bool pocl;
};

struct opencl_buffer {
    struct gpu_buffer base;
    cl_mem memory;
};

struct opencl_typed {
    struct gpu_typed base;
    // The sub-buffer that the typed view covers; NULL: the view covers the whole buffer.
    cl_mem range;
    cl_mem image;
};

struct opencl_image {
    struct gpu_image base;
    cl_mem image;
};

struct opencl_sampler {
    struct gpu_sampler base;
    cl_sampler sampler;
};

struct opencl_program {
    struct gpu_program base;
    cl_program program;
    const char *entry;
};

struct opencl_hold {
    struct gpu_hold base;
    cl_event event; // user event; releasing the hold makes it complete
};

// ---------------------------------------------------------------- batches

enum opencl_command_kind {
    OPENCL_COMMAND_LAUNCH,
    OPENCL_COMMAND_COPY,
    OPENCL_COMMAND_FILL,
    OPENCL_COMMAND_BARRIER,
};

struct opencl_command {
    enum opencl_command_kind kind;
    int span;         // index of the span that times the command; -1: none
    cl_event *event;  // where the command's event is stored; NULL: not needed
    cl_kernel kernel; // for LAUNCH: a kernel object whose arguments are set
    size_t global[3], local[3];
    struct opencl_buffer *to, *from; // destination (for COPY and FILL) and source (for COPY)
    uint64_t to_offset, from_offset, bytes;
    uint32_t word;
};

// A kernel object whose arguments are set, kept until the batch is reset. A later dispatch with the
// same program, arguments and params uses it again if it is among the BOUND_LOOK_BACK newest ones.
struct opencl_bound {
    struct gpu_dispatch dispatch;
    unsigned char params[GPU_PARAMS_MAX_BYTES];
    cl_kernel kernel;
};

// Events of commands in the latest submission. The length of a span is computed from them.
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
    cl_mem *ranges; // sub-buffers that were created for arguments; a reset releases them
    size_t range_count, range_capacity;
    // Host buffers that the device accesses: in kernels, fills, and copies between host buffers. A
    // submission unmaps them at its start, to give them to the device, and maps them again at its
    // end.
    struct opencl_buffer **lent;
    size_t lent_count, lent_capacity;
    struct opencl_span *spans;
    unsigned span_count;
    cl_event done; // event at the end of the batch's latest submission; NULL: none
};

// ---------------------------------------------------------------- shared functions

static inline struct opencl_device *opencl_device_of(const struct gpu_object *object)
{
    return (struct opencl_device *)object->scope->device;
}

MUST_CHECK bool opencl_queue_create(const struct opencl_device *device, cl_command_queue *queue,
                                    cl_command_queue_properties properties, struct error *err);

// Waits until `event` is complete. Fails with ERROR_TIMEOUT after timeout_ns, and with
// ERROR_DEVICE_LOST if the command that belongs to the event ended with an error.
MUST_CHECK bool opencl_event_wait(const struct opencl_device *device, cl_event event,
                                  uint64_t timeout_ns, struct error *err);

// opencl_host_begin and opencl_host_end enclose a command on the host queue. The first waits for
// the work of the device's first queue. The second gets the result and the event of the enqueueing
// call, waits until the command is done, and releases the event.
MUST_CHECK bool opencl_host_begin(const struct opencl_device *device, struct error *err);
MUST_CHECK bool opencl_host_end(const struct opencl_device *device, cl_int result, cl_event event,
                                const char *what, struct error *err);

// Sets `*range` to a memory object for `bytes` bytes from `offset` on. If that is the whole buffer,
// `*range` is the buffer's own object and `*made` is false. Otherwise `*range` is a new sub-buffer,
// which the caller releases, and `*made` is true.
MUST_CHECK bool opencl_buffer_range(const struct opencl_buffer *buffer, uint64_t offset,
                                    uint64_t bytes, cl_mem *range, bool *made, struct error *err);

// True if `buffer` is in batch->lent, the host buffers that a submission gives to the device.
bool opencl_batch_lends(const struct opencl_batch *batch, const struct opencl_buffer *buffer);

// Releases the events of the batch's latest submission.
void opencl_batch_drop_events(struct opencl_batch *batch);

// ---------------------------------------------------------------- slots of the backend

bool opencl_after_others(void);
void *opencl_load(struct gpu_enumeration *to);
void opencl_unload(void *state);

struct gpu_device *opencl_device_open(void *state, const struct gpu_info *info,
                                      const struct gpu_device_desc *desc, struct arena *arena,
                                      struct error *err);
void opencl_device_close(struct gpu_device *device);

struct gpu_buffer *opencl_buffer_create(struct gpu_scope *scope, const struct gpu_buffer_desc *desc,
                                        struct error *err);
void opencl_buffer_destroy(struct opencl_buffer *buffer);
bool opencl_buffer_write(struct gpu_buffer *buffer, uint64_t offset, const void *data,
                         uint64_t bytes, struct error *err);
bool opencl_buffer_read(struct gpu_buffer *buffer, uint64_t offset, void *data, uint64_t bytes,
                        struct error *err);

struct gpu_typed *opencl_typed_create(struct gpu_scope *scope, struct gpu_buffer *buffer,
                                      enum gpu_format format, uint64_t offset, uint64_t elements,
                                      struct error *err);
void opencl_typed_destroy(struct opencl_typed *typed);
struct gpu_image *opencl_image_create(struct gpu_scope *scope, const struct gpu_image_desc *desc,
                                      struct error *err);
void opencl_image_destroy(struct opencl_image *image);
bool opencl_image_write(struct gpu_image *image, uint32_t mip, uint32_t layer, const void *texels,
                        uint64_t bytes, struct error *err);
bool opencl_image_copy_from(struct gpu_image *image, struct gpu_buffer *source, uint64_t offset,
                            struct error *err);
struct gpu_sampler *opencl_sampler_create(struct gpu_scope *scope,
                                          const struct gpu_sampler_desc *desc, struct error *err);
void opencl_sampler_destroy(struct opencl_sampler *sampler);

struct gpu_program *opencl_program_create(struct gpu_scope *scope,
                                          const struct gpu_program_desc *desc, struct error *err);
void opencl_program_destroy(struct opencl_program *program);

struct gpu_batch *opencl_batch_create(struct gpu_scope *scope, const struct gpu_batch_desc *desc,
                                      struct error *err);
void opencl_batch_destroy(struct gpu_batch *batch);
bool opencl_batch_dispatch(struct gpu_batch *batch, const struct gpu_dispatch *dispatch,
                           struct error *err);
bool opencl_batch_copy(struct gpu_batch *batch, struct gpu_buffer *to, uint64_t to_offset,
                       struct gpu_buffer *from, uint64_t from_offset, uint64_t bytes,
                       struct error *err);
bool opencl_batch_fill(struct gpu_batch *batch, struct gpu_buffer *buffer, uint64_t offset,
                       uint64_t bytes, uint32_t word, struct error *err);
bool opencl_batch_barrier(struct gpu_batch *batch, enum gpu_barrier barrier, struct error *err);
bool opencl_batch_span(struct gpu_batch *batch, unsigned span, bool end, struct error *err);
bool opencl_batch_end(struct gpu_batch *batch, struct error *err);
bool opencl_batch_reset(struct gpu_batch *batch, struct error *err);
bool opencl_batch_submit(struct gpu_batch *batch, struct gpu_hold *hold, struct error *err);
bool opencl_batch_wait(struct gpu_batch *batch, uint64_t timeout_ns, struct error *err);
bool opencl_batch_span_ns(struct gpu_batch *batch, unsigned span, double *ns, struct error *err);

struct gpu_hold *opencl_hold_create(struct gpu_scope *scope, struct error *err);
void opencl_hold_destroy(struct opencl_hold *hold);
bool opencl_hold_release(struct gpu_hold *hold, struct error *err);

#endif
