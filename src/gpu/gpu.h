// SPDX-License-Identifier: MIT
// The device interface, the same for all APIs: everything that a benchmark may ask of a GPU.
//
//   system ── enumerates ──> gpu_info (gpu/info.h: what a device is and can do)
//   device ── is opened from one gpu_info, in the process that measures
//   scope  ── owns objects, and frees them when it is closed
//   buffer, typed view, image, sampler, program ── are created in a scope
//   batch  ── commands that are checked and recorded once, and submitted many times. Vulkan
//             and CUDA graphs (`replay`) submit with one driver call; otherwise each command needs
//             at least one driver call
//   hold   ── keeps a submitted batch from starting until the host releases the hold; a batch can
//             also wait on the device for other batches (gpu_batch_submit_after)
//
// Recording functions return nothing: the batch keeps the first error, and gpu_batch_end reports
// it. ERROR_INTERNAL means a mistake of the caller, or an unusual error of the driver.
// ERROR_UNSUPPORTED means that the device, the driver or this build cannot do what was asked. After
// ERROR_DEVICE_LOST, later calls that create objects, copy, submit, or wait for a batch in flight
// fail with the same code.
//
// Only one thread may use a device, with two exceptions. Other threads may submit recorded batches
// and wait for them, if no two threads use the same queue. Without `validation`, several threads
// may call gpu_program_create at the same time, each with its own scope. Meanwhile no thread may
// call another function for the device or create a program of rays. Optional features have their
// own headers: drawing (gpu/graphics.h), rays (gpu/rays.h), placement of managed memory
// (gpu/managed.h), copies between devices (gpu/peers.h), hardware counters (gpu/counters.h).
#ifndef GPU_GPU_H
#define GPU_GPU_H

#include "base/arena.h"
#include "base/error.h"
#include "gpu/info.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// ---------------------------------------------------------------- finding devices

struct gpu_system;

// An API or a device that cannot be used on this machine, and the reason.
struct gpu_unavailable {
    const char *api;
    const char *reason; // one-line reason, such as "libcuda.so.1: cannot open shared object file"
    const char *remedy; // what the user can do, in one line; NULL if nothing is known
};

struct gpu_system_desc {
    // API whose devices are listed, for example "cuda", or the id or identity of one of its
    // devices; NULL: all APIs
    const char *only_api;
    bool validation; // true: turn on Vulkan's own validation and count its messages
    // Identities (gpu_info_identity) of devices that another process has listed. These devices get
    // the same ids here, even if the driver's order has changed; other devices get free ids. An
    // identity without a UUID or PCI address is ignored.
    const char *const *known;
    size_t known_count;
};

// Loads the backends and lists their devices, without opening any. Never fails. `desc` may be NULL
// (all zeros). Lists as unavailable, with the reason: backends without a library or a usable
// device, and devices with impossible limits (gpu_info_check). Does so for the model backend only
// if the user asked for a model. Names and reasons are printable (text_printable). The system must
// outlive its devices.
struct gpu_system *gpu_system_create(const struct gpu_system_desc *desc);
void gpu_system_destroy(struct gpu_system *system);

// Creates a system without backends. gpu_system_add_device and gpu_system_add_unavailable then add
// what another process has listed (suite/enumerate.h): devices, and unavailable APIs. The devices
// of such a system cannot be opened.
struct gpu_system *gpu_system_create_empty(void);
void gpu_system_add_device(struct gpu_system *system, const struct gpu_info *info);
void gpu_system_add_unavailable(struct gpu_system *system,
                                const struct gpu_unavailable *unavailable);

size_t gpu_system_device_count(const struct gpu_system *system);
const struct gpu_info *gpu_system_info(const struct gpu_system *system, size_t device);
size_t gpu_system_unavailable_count(const struct gpu_system *system);
const struct gpu_unavailable *gpu_system_unavailable(const struct gpu_system *system, size_t index);

// Returns the info of the device with the id `name` ("cuda:0"); NULL if there is no such device.
// `name` may also be an identity (gpu_info_identity); then only its id is compared.
const struct gpu_info *gpu_system_find(const struct gpu_system *system, const char *name);

// ---------------------------------------------------------------- devices, queues, scopes

struct gpu_device;
struct gpu_queue;
struct gpu_scope;

enum gpu_priority { // priority of a queue; the default is 0, GPU_PRIORITY_MEDIUM
    GPU_PRIORITY_MEDIUM,
    GPU_PRIORITY_LOW,
    GPU_PRIORITY_HIGH,
    GPU_PRIORITY_REALTIME,
};

struct gpu_queue_request {
    enum gpu_queue_kind kind;
    // The queue's priority. If the device has PRIORITY_GLOBAL, it is a priority among the queues of
    // all programs on the GPU; otherwise among the queues of this program.
    enum gpu_priority priority;
};

enum {
    GPU_QUEUES_MAX = 8
};

struct gpu_device_desc {
    // The queues to create; if queue_count is 0, one universal queue. gpu_device_open fails with
    // ERROR_UNSUPPORTED if the device has too few queues of a kind or refuses a priority.
    struct gpu_queue_request queues[GPU_QUEUES_MAX];
    unsigned queue_count;
    // If true, the device checks the bounds of buffer accesses (robustBufferAccess). If the API
    // cannot do this, gpu_device_open fails with ERROR_UNSUPPORTED.
    bool robust;
};

// Opens a device of the system, with one universal queue if `desc` is NULL. Returns NULL with the
// error if the device cannot be opened. The caller closes the device with gpu_device_close.
struct gpu_device *gpu_device_open(struct gpu_system *system, const struct gpu_info *info,
                                   const struct gpu_device_desc *desc, struct error *err);

// Closes the device and its open scopes. Every wait has a time limit. `device` may be NULL.
void gpu_device_close(struct gpu_device *device);

const struct gpu_info *gpu_device_info(const struct gpu_device *device);

// Returns the queue that was created for gpu_device_desc.queues[queue]; NULL if there is none.
struct gpu_queue *gpu_device_queue(struct gpu_device *device, unsigned queue);

// Two clocks that were read at the same time: the device's clock and the host's CLOCK_MONOTONIC.
// The device's time stamps are readings of the device's clock. Usually kernels can read this clock,
// too (DEVICE_CLOCK).
struct gpu_calibrated_timestamp {
    uint64_t device; // reading of the device's clock, in units of the device's time stamps
    uint64_t host_ns;
    uint64_t deviation_ns; // maximum time in ns between the readings of the two clocks
};

// Reads the device's clock and the host's clock at the same time. Only some Vulkan drivers can do
// so. Returns false if the API or the driver cannot do so, the device is lost, the call fails, or
// the host's time in its result is not the present time.
bool gpu_device_calibrated_timestamp(struct gpu_device *device,
                                     struct gpu_calibrated_timestamp *timestamp);

// Sets the core clock of later submissions to the clock nearest to `core_hz` that the device
// supports; throttling can still lower it. If `core_hz` is 0, restores the device's own clock.
// Needs CLOCK_CHOICE, which only simulated devices have. sensors/clocks.h sets a real card's clock.
MUST_CHECK bool gpu_device_choose_clock(struct gpu_device *device, double core_hz,
                                        struct error *err);

// Keeps the device's clocks at the driver's peak level, for all programs, until
// gpu_device_free_clock or gpu_device_close. Does nothing if the clocks are held already. Needs
// STABLE_CLOCK, which only RADV has: it holds the clocks while a program has the profiling lock.
// Before Linux 5.17, the call succeeds without any effect.
MUST_CHECK bool gpu_device_hold_clock(struct gpu_device *device, struct error *err);
void gpu_device_free_clock(struct gpu_device *device);

// Returns the number of objects in the device's open scopes. Only tests need it.
size_t gpu_device_live_objects(const struct gpu_device *device);

// Returns the number of messages that the API's validation has reported; 0 if
// gpu_system_desc.validation was not set. Sets *first to the first message, or to NULL if there is
// none; `first` may be NULL.
size_t gpu_device_validation_messages(const struct gpu_device *device, const char **first);

// Something outside fathom that changes how the driver works: a library between fathom and the
// driver, or an environment variable. Measured times may then not be the driver's own times.
struct gpu_alteration {
    const char *text; // sentence on what alters the driver, without full stop; NULL: no alteration
    // true if it only changes when submitted work starts; false if kernels may also run differently
    bool submissions_only;
};

// Returns what alters the driver of `device`, as far as fathom can find it. The text is in `arena`.
struct gpu_alteration gpu_device_alteration(const struct gpu_device *device, struct arena *arena);

// Opens a scope. The scope owns the objects that are created in it. The scopes of a device may be
// closed in any order.
struct gpu_scope *gpu_scope_open(struct gpu_device *device);

// Closes the scope and frees its objects. Unless the device is lost, first releases the scope's
// holds. Then waits for the scope's batches, and for batches that wait for a hold or a batch of the
// scope. Before each wait, releases all holds that block the queue of the awaited batch. If a batch
// is not done after 5 s, the device counts as lost, and nothing that the batch may still access is
// freed. Batches of other scopes that use the scope's buffers, images or programs must be done.
// Accepts NULL.
void gpu_scope_close(struct gpu_scope *scope);

struct gpu_device *gpu_scope_device(const struct gpu_scope *scope);

// ---------------------------------------------------------------- memory

enum gpu_memory {
    GPU_MEMORY_DEVICE,   // device memory; the host copies with gpu_buffer_write and gpu_buffer_read
    GPU_MEMORY_UPLOAD,   // mapped host memory that the host writes
    GPU_MEMORY_READBACK, // mapped host memory that the host reads; cached if possible
    GPU_MEMORY_VISIBLE,  // device memory that the host maps (resizable BAR); some devices lack it
    GPU_MEMORY_MANAGED,  // one pointer for host and device; pages move between them; needs MANAGED
};

struct gpu_buffer_desc {
    uint64_t bytes; // size in bytes: a multiple of 4 above 0
    enum gpu_memory memory;
};

struct gpu_buffer;

// Creates a buffer with undefined contents, for kernels and copies. Kernels can also use the
// buffer's address if the device has ADDRESSES. Fails with ERROR_UNSUPPORTED if the device lacks
// this kind of memory or allows only smaller buffers, with ERROR_OUT_OF_MEMORY if there is no room.
struct gpu_buffer *gpu_buffer_create(struct gpu_scope *scope, const struct gpu_buffer_desc *desc,
                                     struct error *err);
uint64_t gpu_buffer_bytes(const struct gpu_buffer *buffer);

// Returns the device address of the buffer's first byte; 0 if the device lacks ADDRESSES.
uint64_t gpu_buffer_address(const struct gpu_buffer *buffer);

// Returns the host pointer to the buffer's memory, which is valid as long as the buffer. Returns
// NULL for GPU_MEMORY_DEVICE. After gpu_batch_wait, the host sees what the batch wrote.
void *gpu_buffer_map(struct gpu_buffer *buffer);

// gpu_buffer_write and gpu_buffer_read copy between the host and any buffer, and return when the
// copy is done; they are not for timing. Unless the buffer is mapped, they wait for the work of the
// device's first queue, and fail with ERROR_INTERNAL if a hold blocks that queue. If the copy may
// still run after an error, for example after ERROR_TIMEOUT, the device counts as lost.
MUST_CHECK bool gpu_buffer_write(struct gpu_buffer *buffer, uint64_t offset, const void *data,
                                 uint64_t bytes, struct error *err);
MUST_CHECK bool gpu_buffer_read(struct gpu_buffer *buffer, uint64_t offset, void *data,
                                uint64_t bytes, struct error *err);

// The table of formats: name in C, name in files, bytes of a texel (of a block for BC formats),
// number of channels. Only Vulkan kernels can read the packed formats: RGBA8_SRGB and all after it.
// Their channels are sRGB, or in compressed blocks (BC), or not 8, 16 or 32 bits wide.
#define GPU_FORMATS(X)                                                                             \
    X(R8_UNORM, "r8_unorm", 1, 1)                                                                  \
    X(RG8_UNORM, "rg8_unorm", 2, 2)                                                                \
    X(RGBA8_UNORM, "rgba8_unorm", 4, 4)                                                            \
    X(R16_FLOAT, "r16_float", 2, 1)                                                                \
    X(RG16_FLOAT, "rg16_float", 4, 2)                                                              \
    X(RGBA16_FLOAT, "rgba16_float", 8, 4)                                                          \
    X(R32_FLOAT, "r32_float", 4, 1)                                                                \
    X(RG32_FLOAT, "rg32_float", 8, 2)                                                              \
    X(RGBA32_FLOAT, "rgba32_float", 16, 4)                                                         \
    X(R32_UINT, "r32_uint", 4, 1)                                                                  \
    X(RG32_UINT, "rg32_uint", 8, 2)                                                                \
    X(RGBA32_UINT, "rgba32_uint", 16, 4)                                                           \
    X(RGBA8_SRGB, "rgba8_srgb", 4, 4)                                                              \
    X(RGB10A2_UNORM, "rgb10a2_unorm", 4, 4)                                                        \
    X(RG11B10_FLOAT, "rg11b10_float", 4, 3)                                                        \
    X(BC1_UNORM, "bc1_unorm", 8, 4)                                                                \
    X(BC2_UNORM, "bc2_unorm", 16, 4)                                                               \
    X(BC3_UNORM, "bc3_unorm", 16, 4)                                                               \
    X(BC4_UNORM, "bc4_unorm", 8, 1)                                                                \
    X(BC5_UNORM, "bc5_unorm", 16, 2)                                                               \
    X(BC6H_UFLOAT, "bc6h_ufloat", 16, 3)                                                           \
    X(BC7_UNORM, "bc7_unorm", 16, 4)

enum gpu_format {
#define X(name, text, bytes, channels) GPU_FORMAT_##name,
    GPU_FORMATS(X)
#undef X
    GPU_FORMAT_COUNT
};

const char *gpu_format_name(enum gpu_format format);
unsigned gpu_format_bytes(enum gpu_format format);
// Returns the number of texels on a side of a block of the format: 4 for BC formats, else 1.
unsigned gpu_format_block(enum gpu_format format);
// Returns true for RGBA8_SRGB and all formats after it in GPU_FORMATS.
bool gpu_format_is_packed(enum gpu_format format);
unsigned gpu_format_channels(enum gpu_format format);

// Creates a typed view of `elements` texels of a buffer, from byte `offset` on. Needs TYPED. Fails
// with ERROR_UNSUPPORTED if the device lacks the format or allows only fewer elements.
struct gpu_typed;
struct gpu_typed *gpu_typed_create(struct gpu_scope *scope, struct gpu_buffer *buffer,
                                   enum gpu_format format, uint64_t offset, uint64_t elements,
                                   struct error *err);

enum gpu_image_kind {
    GPU_IMAGE_2D,
    GPU_IMAGE_1D,
    GPU_IMAGE_3D,
    GPU_IMAGE_CUBE
};

struct gpu_image_desc {
    enum gpu_image_kind kind;
    enum gpu_format format;
    // width, height and depth in texels, and number of mip levels; for each of them, 0 means 1
    uint32_t width, height, depth, mips;
    // number of layers (0 means 1); for a CUBE, number of faces, a multiple of 6 (0 means 6)
    uint32_t layers;
    bool storage; // true: kernels may also write the image
    bool gather;  // true: kernels may gather four texels at once (CUDA: only 2-D, one mip level)
};

// Creates an image with undefined contents. Needs IMAGES. If the image has more layers than its
// kind needs, kernels access it as an array image. A CUBE needs 6 layers, a 1-D or 2-D image 1.
// Fails with ERROR_UNSUPPORTED if the device does not allow this format, use or size.
struct gpu_image;
struct gpu_image *gpu_image_create(struct gpu_scope *scope, const struct gpu_image_desc *desc,
                                   struct error *err);

// Copies `texels` to one mip level of one layer, and returns when the copy is done. `texels` has no
// gaps between rows or slices. `bytes` must be the size of the mip level.
MUST_CHECK bool gpu_image_write(struct gpu_image *image, uint32_t mip, uint32_t layer,
                                const void *texels, uint64_t bytes, struct error *err);

// Copies rows of texels without gaps from a buffer to mip level 0 of layer 0, and returns when the
// copy is done. It is meant for images that are too large for a copy in host memory.
MUST_CHECK bool gpu_image_copy_from(struct gpu_image *image, struct gpu_buffer *source,
                                    uint64_t offset, struct error *err);

enum gpu_filter {
    GPU_FILTER_NEAREST,
    GPU_FILTER_LINEAR
};
enum gpu_wrap {
    GPU_WRAP_REPEAT,
    GPU_WRAP_CLAMP
};

struct gpu_sampler_desc {
    enum gpu_filter filter, mip_filter;
    enum gpu_wrap wrap;
    float anisotropy; // maximum ratio of the anisotropic filter; 0 or 1 means no such filter
};

struct gpu_sampler;
struct gpu_sampler *gpu_sampler_create(struct gpu_scope *scope, const struct gpu_sampler_desc *desc,
                                       struct error *err);

// ---------------------------------------------------------------- kernels and programs

enum gpu_arg_kind {
    GPU_ARG_BUFFER,   // storage buffer: a whole buffer or a range of it
    GPU_ARG_ADDRESS,  // 64-bit address of a buffer (in OpenCL C a pointer argument)
    GPU_ARG_CONSTANT, // constant (uniform) buffer, which commands of the same batch must not write
    GPU_ARG_TYPED,    // typed view that the kernel reads
    GPU_ARG_TYPED_RW, // typed view that the kernel also writes
    GPU_ARG_IMAGE,    // image that the kernel reads without a sampler
    GPU_ARG_IMAGE_RW, // image that the kernel also writes
    GPU_ARG_SAMPLED,  // image that the kernel reads through a sampler
    GPU_ARG_KIND_COUNT
};

enum {
    GPU_ARGS_MAX = 8,
    GPU_PARAMS_MAX_BYTES = 128
};

enum gpu_stage { // pipeline stage of a kernel; the default is 0, GPU_STAGE_COMPUTE
    GPU_STAGE_COMPUTE,
    GPU_STAGE_VERTEX, // the stages VERTEX and FRAGMENT are for drawing (gpu/graphics.h)
    GPU_STAGE_FRAGMENT,
    GPU_STAGE_RAYGEN, // the stages RAYGEN to INTERSECTION are for rays (gpu/rays.h)
    GPU_STAGE_MISS,
    GPU_STAGE_CLOSEST_HIT,
    GPU_STAGE_ANY_HIT,
    GPU_STAGE_INTERSECTION
};

// One variant of one kernel: constant data that the build embeds (table: gpu/kernels.h). The
// members spirv, ptx, opencl, host and stream are forms of its code. A form is NULL if the kernel
// lacks it or the build had no compiler for it.
struct gpu_kernel {
    const char *name;   // a unique name, for example "latency_vector_pointer"
    const char *source; // the source as run files name it: "bench/latency/latency.comp -DPATH=1"
    enum gpu_stage stage;
    // Number of threads of a workgroup along x, y, z. It is fixed when the kernel is compiled, and
    // is the same in all forms.
    uint32_t workgroup[3];
    enum gpu_arg_kind args[GPU_ARGS_MAX];
    unsigned arg_count;
    const uint32_t *spirv;
    size_t spirv_bytes;
    const char *ptx;            // PTX code, NUL-terminated
    const char *opencl;         // complete OpenCL C source, NUL-terminated
    const char *opencl_options; // compiler options (-D) for the OpenCL C source
    const char *entry;          // name of the entry point in ptx and opencl; in spirv it is "main"
    void (*host)(void);         // the kernel compiled for the host; the model backend runs it
    // Another form for the model backend, also compiled for the host. It describes which memory a
    // dispatch accesses, and computes the results of the dispatch.
    void (*stream)(void);
    uint64_t hash; // hash (FNV-1a) of all forms, which changes when the kernel changes
};

// How arguments reach a kernel:
// - GLSL: each argument that is not ADDRESS is in descriptor set 0; binding numbers follow the
//   order of the arguments
// - GLSL push constants: the ADDRESS arguments in order, as 64-bit addresses, then the params
// - OpenCL C: all arguments in order, then the params as one struct by value, or nothing if
//   params_bytes is 0
// bench/prelude/prelude.clh has the types and lists the exceptions from these rules.
struct gpu_program_desc {
    const struct gpu_kernel *kernel;
    struct gpu_ray_kernels {
        const struct gpu_kernel *miss, *closest_hit, *any_hit, *intersection;
        // other kernels of a ray pipeline (gpu/rays.h); all NULL unless `kernel` has stage RAYGEN
    } rays;
    // number of threads of a subgroup; 0: the driver chooses; above 0: needs SUBGROUP_CHOICE
    uint32_t subgroup_threads;
    // If L1 and shared memory are one memory, the percentage of this memory for L1, as a hint for
    // the driver; 0: the driver chooses. Ignored if the device lacks L1_CHOICE.
    unsigned l1_percent;
    // Bytes of shared memory that a workgroup gets in addition to the kernel's declared shared
    // memory. A kernel gets the address of this extra memory from CHOSEN_SHARED_WORDS
    // (bench/prelude/). Values above 0 need SHARED_CHOICE.
    unsigned shared_bytes;
};

struct gpu_program;

// Compiles a kernel for the device. Fails with ERROR_UNSUPPORTED if the kernel has no form for this
// API. If the driver refuses the kernel, the error message contains the driver's log, if any.
struct gpu_program *gpu_program_create(struct gpu_scope *scope, const struct gpu_program_desc *desc,
                                       struct error *err);
const struct gpu_kernel *gpu_program_kernel(const struct gpu_program *program);

// What the driver reports about the compiled code. A flag has_… is false if the driver does not
// report that number.
struct gpu_program_stats {
    bool has_registers, has_spills, has_shared, has_stack;
    // registers of a thread; for a ray pipeline, of the kernel that needs most registers
    unsigned registers;
    // bytes of local (scratch) memory of a thread, for example for spilled registers
    unsigned spill_bytes;
    unsigned shared_bytes;
    uint64_t stack_bytes; // bytes of stack that a ray needs in a ray pipeline
    const char *text; // text with code, statistics or messages, in `arena`; NULL if there is none
};

MUST_CHECK bool gpu_program_stats(struct gpu_program *program, struct arena *arena,
                                  struct gpu_program_stats *stats, struct error *err);

// ---------------------------------------------------------------- batches

struct gpu_batch;

struct gpu_batch_desc {
    struct gpu_queue *queue; // the queue that the batch is for; NULL means the device's first queue
    unsigned span_count;     // number of spans (timed ranges of commands), at most 64
    unsigned split_count;    // number of split barriers, at most 64; needs SPLITS
    bool unordered; // true: only barriers, splits and spans order the commands; needs UNORDERED
    bool replay;    // true: the batch is submitted as one graph (CUDA graph); needs REPLAY
    bool draws;     // true: the batch may contain draws (gpu/graphics.h); needs GRAPHICS
    bool rays;      // true: the batch may trace rays and build trees (gpu/rays.h); needs RAYS
};

struct gpu_batch *gpu_batch_create(struct gpu_scope *scope, const struct gpu_batch_desc *desc,
                                   struct error *err);

// One argument of a dispatch or draw. Which members are used depends on the kind of the argument
// (gpu_kernel.args).
struct gpu_arg {
    struct gpu_buffer *buffer; // buffer, for arguments of kind BUFFER, ADDRESS, CONSTANT
    // Range of the buffer in bytes, for arguments of kind BUFFER, CONSTANT. If `bytes` is 0, the
    // range ends at the end of the buffer or at the device's limit. For kind ADDRESS, the kernel
    // gets the address of the byte `offset`, and `bytes` must be 0.
    uint64_t offset, bytes;
    struct gpu_typed *typed;     // typed view, for arguments of kind TYPED, TYPED_RW
    struct gpu_image *image;     // image, for arguments of kind IMAGE, IMAGE_RW, SAMPLED
    struct gpu_sampler *sampler; // sampler, for arguments of kind SAMPLED
};

struct gpu_dispatch {
    struct gpu_program *program;
    uint32_t groups[3]; // number of workgroups along x, y, z; 0 means 1
    struct gpu_arg args[GPU_ARGS_MAX];
    const void *params;  // values for the kernel, copied when the command is recorded
    size_t params_bytes; // size of the params in bytes, a multiple of 4
};

// A barrier of a batch. In an ordered batch, each command waits for the command before it and sees
// its results. The first command waits for the earlier batches of the queue. In an unordered batch,
// only recorded barriers, splits and spans order the commands.
enum gpu_barrier {
    // Later commands start when earlier ones are done, and see what the earlier ones wrote.
    GPU_BARRIER_MEMORY,
    // Later commands start when earlier ones are done, but may not see what the earlier ones wrote.
    GPU_BARRIER_EXECUTION,
    GPU_BARRIER_FULL, // like GPU_BARRIER_MEMORY, but for all pipeline stages of the API
};

void gpu_batch_dispatch(struct gpu_batch *batch, const struct gpu_dispatch *dispatch);
void gpu_batch_copy(struct gpu_batch *batch, struct gpu_buffer *to, uint64_t to_offset,
                    struct gpu_buffer *from, uint64_t from_offset, uint64_t bytes);
void gpu_batch_fill(struct gpu_batch *batch, struct gpu_buffer *buffer, uint64_t offset,
                    uint64_t bytes, uint32_t word);
void gpu_batch_barrier(struct gpu_batch *batch, enum gpu_barrier barrier);

// Records a memory barrier for this buffer only: later commands see what earlier ones wrote to it.
// If an API lacks such barriers, GPU_BARRIER_MEMORY is recorded instead.
void gpu_batch_barrier_buffer(struct gpu_batch *batch, struct gpu_buffer *buffer);

// A split barrier is a memory barrier in two halves, set and wait. Commands after the wait start
// when all commands before the set are done, and see what those commands wrote. The split does not
// order the commands between set and wait. A batch sets each split at most once, then waits for it
// at most once. Needs SPLITS.
void gpu_batch_split_set(struct gpu_batch *batch, unsigned split);
void gpu_batch_split_wait(struct gpu_batch *batch, unsigned split);

// Measures the time from the end of all commands before the span to the end of all commands in the
// span. No command of the batch runs across the start or the end of the span. On Vulkan the span
// includes the time stamps (2–3 µs on an H200), but not the barrier after the span. Spans must not
// nest. A batch has at most 64 spans, and records each span at most once. If an API has no time
// stamps in batches, its backend times the commands.
void gpu_batch_span_begin(struct gpu_batch *batch, unsigned span);
void gpu_batch_span_end(struct gpu_batch *batch, unsigned span);

// Ends the recording of the batch. Fails with the first error of the recording. If it succeeds, the
// batch can be submitted.
MUST_CHECK bool gpu_batch_end(struct gpu_batch *batch, struct error *err);

// Discards all recorded commands, so that the batch can be recorded again. Fails if the batch is in
// flight.
MUST_CHECK bool gpu_batch_reset(struct gpu_batch *batch, struct error *err);

// Creates a hold. A batch that is submitted with a hold does not start before the hold is released
// (gpu_hold_release, gpu_scope_close). Needs HOLDS.
struct gpu_hold;
struct gpu_hold *gpu_hold_create(struct gpu_scope *scope, struct error *err);
MUST_CHECK bool gpu_hold_release(struct gpu_hold *hold, struct error *err);

// Submits the batch. If `hold` is not NULL, the batch starts after the release of the hold. An
// ordered batch starts after the earlier work of its queue. Fails if the batch is in flight. If the
// driver refuses the submission, the hold is released, because the queue may already wait for it.
MUST_CHECK bool gpu_batch_submit(struct gpu_batch *batch, struct gpu_hold *hold, struct error *err);

enum {
    GPU_AFTER_MAX = GPU_QUEUES_MAX
};

struct gpu_submit {
    struct gpu_hold *hold; // hold that the batch waits for; NULL if there is none
    // Batches of the same device that were submitted earlier. This batch starts when their latest
    // submissions are done, and sees what they wrote. If several batches are on one queue, only the
    // last batch is needed.
    struct gpu_batch *after[GPU_AFTER_MAX];
    unsigned after_count;
};

// Submits the batch so that it starts after other batches, on any queue. The device waits for the
// other batches (timeline semaphores or events); the host does not. The host may wait for the other
// batches, submit them and record them again. Closing their scope waits for this batch, too.
MUST_CHECK bool gpu_batch_submit_after(struct gpu_batch *batch, const struct gpu_submit *submit,
                                       struct error *err);

// Waits until the batch is done; returns at once if it is done already. Fails with ERROR_TIMEOUT
// after timeout_ns. The batch then stays in flight, and the caller can wait for it again.
MUST_CHECK bool gpu_batch_wait(struct gpu_batch *batch, uint64_t timeout_ns, struct error *err);

// Submits the batch and waits for it.
MUST_CHECK bool gpu_batch_run(struct gpu_batch *batch, uint64_t timeout_ns, struct error *err);

// Sets *ns to the length of a span in the last submission of the batch, as the device's clock
// measured it. Fails while the batch is in flight.
MUST_CHECK bool gpu_batch_span_ns(struct gpu_batch *batch, unsigned span, double *ns,
                                  struct error *err);

#endif
