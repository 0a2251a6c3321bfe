// SPDX-License-Identifier: MIT
// Declarations that the files of the OpenCL backend share. The first member of each object is the
// struct of gpu/backend.h for objects of its kind.
#ifndef GPU_OPENCL_OPENCL_H
#define GPU_OPENCL_OPENCL_H

#include "gpu/backend.h"
#include "gpu/opencl/api.h"

struct opencl_state {
    struct dynlib *lib;
    struct opencl_api api;
    cl_device_id *devices; // devices[i] is the device with gpu_info.index i
    size_t device_count, device_capacity;
};

// A queue of fathom has two OpenCL command queues: `ordered` for ordered batches and `unordered`
// for unordered ones.
struct opencl_queue {
    struct gpu_queue base;
    cl_command_queue ordered, unordered; // `unordered` is created with the first unordered batch
    // event at the end of the queue's latest submission; NULL if there was none
    cl_event last;
    bool last_unordered; // true if the latest submission went to the command queue `unordered`
};

struct opencl_device {
    struct gpu_device base;
    struct opencl_state *state;
    const struct opencl_api *api;
    cl_device_id device;
    cl_context context;
    // command queue for copies between host and device; holds never block this queue
    cl_command_queue host;
    // True if the driver is PoCL. PoCL 3.1 has these faults:
    // - typed views cannot be made from sub-buffers
    // - kernels that write to typed views crash
    // - half floats are read wrongly
    // - array images are filtered wrongly
    bool pocl;
};

struct opencl_buffer {
    struct gpu_buffer base;
    cl_mem memory;
};

struct opencl_typed {
    struct gpu_typed base;
    // sub-buffer for the range of the typed view; NULL if the view is made from the whole buffer
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
    cl_event event; // user event, which becomes complete when the hold is released
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
    int span;         // index of the span that times the command; −1 if there is none
    cl_event *event;  // where the event of the command is stored; NULL if it is not needed
    cl_kernel kernel; // kernel object of a LAUNCH, with its arguments set
    size_t global[3], local[3];
    struct opencl_buffer *to, *from; // `to`: target of a COPY or FILL; `from`: source of a COPY
    uint64_t to_offset, from_offset, bytes;
    uint32_t word;
};

// A kernel object with its arguments, which the batch keeps until a reset. A later dispatch with
// the same program, arguments and params can use the object again (BOUND_LOOK_BACK).
struct opencl_bound {
    struct gpu_dispatch dispatch;
    unsigned char params[GPU_PARAMS_MAX_BYTES];
    cl_kernel kernel;
};

// Events of commands in the latest submission, from which the length of a span is computed.
struct opencl_span {
    cl_event *events;
    size_t count;
};

struct opencl_batch {
    struct gpu_batch base;
    struct opencl_queue *queue;
    int open_span;
    struct opencl_command *commands;
    size_t command_count, command_capacity;
    struct opencl_bound *bound;
    size_t bound_count, bound_capacity;
    // sub-buffers that were created for arguments; a reset of the batch releases them
    cl_mem *ranges;
    size_t range_count, range_capacity;
    // Host buffers that the device accesses in kernels, in fills, and in copies between host
    // buffers. A submission unmaps these buffers at its start, which gives them to the device, and
    // maps them again at its end.
    struct opencl_buffer **lent;
    size_t lent_count, lent_capacity;
    struct opencl_span *spans;
    cl_event done; // event at the end of the batch's latest submission; NULL if there was none
};

// ---------------------------------------------------------------- shared functions

static inline struct opencl_device *opencl_device_of(const struct gpu_object *object)
{
    return (struct opencl_device *)object->scope->device;
}

MUST_CHECK bool opencl_queue_create(const struct opencl_device *device, cl_command_queue *queue,
                                    cl_command_queue_properties properties, struct error *err);

// Waits until `event` is complete. Fails with ERROR_TIMEOUT after timeout_ns, and with
// ERROR_DEVICE_LOST if the command of the event ended with an error.
MUST_CHECK bool opencl_event_wait(const struct opencl_device *device, cl_event event,
                                  uint64_t timeout_ns, struct error *err);

// Call opencl_host_begin before you put a copy into the queue `host`: it waits for the work of the
// device's first queue. Call opencl_host_end after any command in that queue, with the `result` and
// the `event` of the OpenCL function: it waits for the command, and releases the event. If the wait
// fails, the device counts as lost, and as hung unless the error is ERROR_DEVICE_LOST.
MUST_CHECK bool opencl_host_begin(const struct opencl_device *device, struct error *err);
MUST_CHECK bool opencl_host_end(struct opencl_device *device, cl_int result, cl_event event,
                                const char *what, struct error *err);

// Sets *range to a memory object for `bytes` bytes of the buffer from `offset` on. For the whole
// buffer, this is the buffer's own memory object, and *made is false. Otherwise *range is a new
// sub-buffer, which the caller releases, and *made is true.
MUST_CHECK bool opencl_buffer_range(const struct opencl_buffer *buffer, uint64_t offset,
                                    uint64_t bytes, cl_mem *range, bool *made, struct error *err);

// Returns true if `buffer` is in batch->lent, the host buffers that a submission gives to the
// device.
bool opencl_batch_lends(const struct opencl_batch *batch, const struct opencl_buffer *buffer);

// Releases the events of the batch's latest submission.
void opencl_batch_drop_events(struct opencl_batch *batch);

void opencl_buffer_destroy(struct opencl_buffer *buffer);
void opencl_typed_destroy(struct opencl_typed *typed);
void opencl_image_destroy(struct opencl_image *image);
void opencl_sampler_destroy(struct opencl_sampler *sampler);
void opencl_program_destroy(struct opencl_program *program);
void opencl_batch_destroy(struct gpu_batch *batch);
void opencl_hold_destroy(struct opencl_hold *hold);

// ---------------------------------------------------------------- slots of the backend

#define X(slot) GPU_SLOT(gpu_backend, slot) opencl_##slot;
GPU_SLOTS(X)
#undef X
GPU_SLOT(gpu_backend, after_others) opencl_after_others;

#endif
