// SPDX-License-Identifier: MIT
// The neutral device interface: everything a benchmark may ask of a GPU, through any API.
//
//   system ── enumerates ──> gpu_info (gpu/info.h: what a device is and can do)
//   device ── opened from one gpu_info, in the process that measures
//   scope  ── owns objects; closing it releases holds, waits (bounded), frees the rest,
//             newest first
//   buffer, typed view, image, sampler, program ── made in a scope
//   batch  ── commands recorded once, submitted many times: a submit is one driver call,
//             unchecked and without allocation
//   hold   ── keeps a submitted batch from starting until the host releases it; what a batch comes
//             after (gpu_batch_submit_after) is told to the device alone, across queues
//
// Checks happen here, once, while objects are made and batches recorded; backends may assume that
// what reaches them is valid. Recording functions return nothing: the first error sticks to the
// batch and gpu_batch_end reports it. A call that its own arguments forbid is ERROR_INTERNAL (a
// mistake of the caller), what the device cannot do is ERROR_UNSUPPORTED, and once a device is lost
// every call on it is ERROR_DEVICE_LOST.
//
// Thread safety: none. One thread drives one device. Optional families (graphics: gpu/graphics.h,
// where managed pages are: gpu/managed.h, copies between devices: gpu/peers.h) have headers of
// their own and need a capability.
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

// Why a backend has no devices here ("libcuda.so.1: cannot open shared object file").
struct gpu_unavailable {
    const char *api;
    const char *reason; // one line
    const char *remedy; // what to do about it, or NULL where there is nothing to do
};

struct gpu_system_desc {
    const char *only_api; // NULL: every backend
    bool validation;      // turn the API's own validation on (Vulkan); its messages become errors
};

// Loads every backend and lists its devices; opens none. Missing libraries are absences, never
// errors: the call itself cannot fail. The system must outlive its devices.
struct gpu_system *gpu_system_create(const struct gpu_system_desc *desc);
void gpu_system_destroy(struct gpu_system *system);

size_t gpu_system_device_count(const struct gpu_system *system);
const struct gpu_info *gpu_system_info(const struct gpu_system *system, size_t device);
size_t gpu_system_unavailable_count(const struct gpu_system *system);
const struct gpu_unavailable *gpu_system_unavailable(const struct gpu_system *system, size_t index);

// The device of that id; NULL when there is none.
const struct gpu_info *gpu_system_find(const struct gpu_system *system, const char *id);

// ---------------------------------------------------------------- devices, queues, scopes

struct gpu_device;
struct gpu_queue;
struct gpu_scope;

enum gpu_priority { // zero is the default: medium
    GPU_PRIORITY_MEDIUM,
    GPU_PRIORITY_LOW,
    GPU_PRIORITY_HIGH,
    GPU_PRIORITY_REALTIME,
};

struct gpu_queue_request {
    enum gpu_queue_kind kind;
    enum gpu_priority priority; // global priority where the API has one
};

enum {
    GPU_QUEUES_MAX = 8
};

struct gpu_device_desc {
    // Queues wanted; none = one universal queue. Opening fails with ERROR_UNSUPPORTED where a
    // family has too few or a priority is refused.
    struct gpu_queue_request queues[GPU_QUEUES_MAX];
    unsigned queue_count;
    bool robust; // bounds-checked buffer access (robustBufferAccess); may be unsupported
};

// Opens a device of the system. Owned by the caller.
struct gpu_device *gpu_device_open(struct gpu_system *system, const struct gpu_info *info,
                                   const struct gpu_device_desc *desc, struct error *err);

// Closes what is still open on it, then the device. NULL is legal. Never hangs: waits are bounded.
void gpu_device_close(struct gpu_device *device);

const struct gpu_info *gpu_device_info(const struct gpu_device *device);

// Queue number `queue` of the request; never NULL for queue < queue_count (or 0).
struct gpu_queue *gpu_device_queue(struct gpu_device *device, unsigned queue);

// One moment by two clocks, as the API relates them: its time stamps' (where a device-wide clock
// can be read in kernels, commonly the same) and the host's CLOCK_MONOTONIC.
struct gpu_calibrated_timestamp {
    uint64_t device; // units of the time stamps
    uint64_t host_ns;
    uint64_t deviation_ns; // the two readings are at most so far apart
};

// False where the API relates no clocks (only some Vulkan drivers do).
bool gpu_device_calibrated_timestamp(struct gpu_device *device,
                                     struct gpu_calibrated_timestamp *timestamp);

// Sets the core clock for batches that are submitted from now on: the nearest clock that the device
// can run at, or its own again if `core_hz` is 0. Needs CLOCK_CHOICE, which only models have: no
// API sets the clock of a real card, only its driver does, for the whole machine
// (sensors/clocks.h).
MUST_CHECK bool gpu_device_choose_clock(struct gpu_device *device, double core_hz,
                                        struct error *err);

// Objects alive on the device; 0 after all scopes are closed. For tests.
size_t gpu_device_live_objects(const struct gpu_device *device);

// Messages of the API's validation so far (0 without gpu_system_desc.validation), and the first.
size_t gpu_device_validation_messages(const struct gpu_device *device, const char **first);

// A scope owns what is made in it. Scopes of one device close in any order.
struct gpu_scope *gpu_scope_open(struct gpu_device *device);

// Releases holds (its own, and those that its batches stand behind), waits for its submitted
// batches and those that wait for its holds or batches (at most 5 s each), frees everything.
// Batches of other scopes that use its objects must be done. Where a wait runs out, nothing that
// the device might still use is freed and the device counts as lost. NULL is legal.
void gpu_scope_close(struct gpu_scope *scope);

struct gpu_device *gpu_scope_device(const struct gpu_scope *scope);

// ---------------------------------------------------------------- memory

enum gpu_memory {
    GPU_MEMORY_DEVICE,   // on the device; the host reaches it by gpu_buffer_write / _read
    GPU_MEMORY_UPLOAD,   // host memory, mapped, for writing by the host
    GPU_MEMORY_READBACK, // host memory, mapped, cached, for reading by the host
    GPU_MEMORY_VISIBLE,  // device memory mapped into the host (resizable BAR); may be unsupported
    GPU_MEMORY_MANAGED,  // one pointer for host and device, pages move between them; needs MANAGED
};

struct gpu_buffer_desc {
    uint64_t bytes; // > 0; a multiple of 4
    enum gpu_memory memory;
};

struct gpu_buffer;

// A buffer for every use: storage, constant, typed, copies, and its address where the device has
// ADDRESSES. Contents undefined. ERROR_OUT_OF_MEMORY where it does not fit.
struct gpu_buffer *gpu_buffer_create(struct gpu_scope *scope, const struct gpu_buffer_desc *desc,
                                     struct error *err);
uint64_t gpu_buffer_bytes(const struct gpu_buffer *buffer);

// Device address of byte 0; 0 where the device lacks ADDRESSES.
uint64_t gpu_buffer_address(const struct gpu_buffer *buffer);

// Host pointer of UPLOAD, READBACK, VISIBLE and MANAGED buffers; NULL for DEVICE. Valid as long as
// the buffer. Coherent: what a finished batch wrote is seen after gpu_batch_wait.
void *gpu_buffer_map(struct gpu_buffer *buffer);

// Blocking copies between host and any buffer, on the device's first queue; not for timing. They
// are refused while a held batch blocks that queue.
MUST_CHECK bool gpu_buffer_write(struct gpu_buffer *buffer, uint64_t offset, const void *data,
                                 uint64_t bytes, struct error *err);
MUST_CHECK bool gpu_buffer_read(struct gpu_buffer *buffer, uint64_t offset, void *data,
                                uint64_t bytes, struct error *err);

// Formats: name, bytes a texel (of a block for BC), channels. The name is the file spelling. Those
// from RGBA8_SRGB on are read by Vulkan kernels only: their channels are not whole words that stand
// for themselves.
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
unsigned gpu_format_block(enum gpu_format format); // texels a side that those bytes hold: 1, BC: 4
bool gpu_format_is_packed(enum gpu_format format); // from RGBA8_SRGB on
unsigned gpu_format_channels(enum gpu_format format);

// A typed view of `elements` texels from byte `offset` of a buffer. Needs TYPED;
// ERROR_UNSUPPORTED where the format or the number of elements is not to be had.
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
    uint32_t width, height, depth, mips; // 0 counts as 1
    uint32_t layers;                     // 0 counts as 1; CUBE: faces, 0 counts as 6, else 6·n
    bool storage;                        // also written by kernels
    bool gather;                         // also read four texels at a time (CUDA: 2-D, one level)
};

// An image in the layout that kernels read, contents undefined until gpu_image_write. Kernels see
// it as an array where it has more layers than its kind needs (2-D and 1-D: 1, CUBE: 6).
// ERROR_UNSUPPORTED where the format, the use or the size is not to be had. Needs IMAGES.
struct gpu_image;
struct gpu_image *gpu_image_create(struct gpu_scope *scope, const struct gpu_image_desc *desc,
                                   struct error *err);

// Blocking: fills one mip level of one layer, tightly packed rows (and slices for 3-D).
MUST_CHECK bool gpu_image_write(struct gpu_image *image, uint32_t mip, uint32_t layer,
                                const void *texels, uint64_t bytes, struct error *err);

// Fills mip 0, layer 0 on the device from a buffer (tightly packed rows); for images too large to
// build on the host. Blocking.
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
    float anisotropy; // 0 or 1 = none
};

struct gpu_sampler;
struct gpu_sampler *gpu_sampler_create(struct gpu_scope *scope, const struct gpu_sampler_desc *desc,
                                       struct error *err);

// ---------------------------------------------------------------- kernels and programs

enum gpu_arg_kind {
    GPU_ARG_BUFFER,   // storage buffer, bound whole or by range
    GPU_ARG_ADDRESS,  // a buffer passed by its 64-bit address (a pointer argument in OpenCL C)
    GPU_ARG_CONSTANT, // constant (uniform) buffer
    GPU_ARG_TYPED,    // typed view, read-only
    GPU_ARG_TYPED_RW, // typed view, storage
    GPU_ARG_IMAGE,    // image, read without sampler
    GPU_ARG_IMAGE_RW, // storage image
    GPU_ARG_SAMPLED,  // image with a sampler
    GPU_ARG_KIND_COUNT
};

enum {
    GPU_ARGS_MAX = 8,
    GPU_PARAMS_MAX_BYTES = 128
};

enum gpu_stage { // zero is the default: compute
    GPU_STAGE_COMPUTE,
    GPU_STAGE_VERTEX, // the other two: gpu/graphics.h
    GPU_STAGE_FRAGMENT
};

// One variant of one kernel, as the build embedded it: const data, one table for the program.
// A member is NULL / 0 where the toolchain of that form was missing or cannot express the kernel.
struct gpu_kernel {
    const char *name;   // "latency_vector_pointer": unique
    const char *source; // "bench/latency/latency.comp -DPATH=1": for the run file
    enum gpu_stage stage;
    uint32_t workgroup[3]; // threads; also compiled into every form
    enum gpu_arg_kind args[GPU_ARGS_MAX];
    unsigned arg_count;
    const uint32_t *spirv;
    size_t spirv_bytes;
    const char *ptx;            // NUL-terminated
    const char *opencl;         // self-contained OpenCL C source, NUL-terminated
    const char *opencl_options; // its -D options
    const char *entry;          // entry point in ptx and opencl ("main" in spirv)
    void (*host)(void);         // compiled for the host, for models (gpu/model.h)
    void (*stream)(void);       // … that tells what a dispatch reads and writes, and does it
    uint64_t hash;              // FNV-1a of all forms: tells results of changed kernels apart
};

// How arguments reach a kernel. GLSL: descriptor set 0, binding = position among the args that are
// not ADDRESS; push constants = the ADDRESS args as 64-bit addresses in their order, then the
// params. OpenCL C: every arg in order as a kernel argument, then the params as one struct by value
// (none where params_bytes is 0); bench/prelude/prelude.clh has the types and tells the exceptions.
struct gpu_program_desc {
    const struct gpu_kernel *kernel;
    uint32_t subgroup_threads; // 0: the driver's choice; else needs SUBGROUP_CHOICE
    // Where a core's L1 and shared memory are one: the part wanted as L1, 1 … 100 %, a hint.
    // 0: the driver's choice. Ignored without L1_CHOICE.
    unsigned l1_percent;
    // Shared memory beyond what the kernel declares, for kernels that take as much as they are
    // given (chosen_shared() in OpenCL C). 0: none; else needs SHARED_CHOICE.
    unsigned shared_bytes;
};

struct gpu_program;

// Compiles one kernel for the device; ERROR_UNSUPPORTED where it has no form for this API. The
// driver's log is part of the message when it refuses.
struct gpu_program *gpu_program_create(struct gpu_scope *scope, const struct gpu_program_desc *desc,
                                       struct error *err);
const struct gpu_kernel *gpu_program_kernel(const struct gpu_program *program);

// What the driver says of the compiled code. A has_ flag is false where it does not say.
struct gpu_program_stats {
    bool has_registers, has_spills, has_shared;
    unsigned registers; // a thread
    unsigned spill_bytes;
    unsigned shared_bytes;
    const char *text; // the ISA or all statistics, as one text; NULL if none; lives in `arena`
};

MUST_CHECK bool gpu_program_stats(struct gpu_program *program, struct arena *arena,
                                  struct gpu_program_stats *stats, struct error *err);

// ---------------------------------------------------------------- batches

struct gpu_batch;

struct gpu_batch_desc {
    struct gpu_queue *queue; // NULL: the device's first
    unsigned span_count;     // spans that the batch will stamp
    unsigned split_count;    // split barriers that it will hold, at most 64 (SPLITS)
    bool unordered;          // commands may overlap unless a barrier stands between (UNORDERED)
    bool replay;             // as a graph where the API tells the difference (REPLAY)
    bool draws;              // draws will be recorded too (gpu/graphics.h, GRAPHICS)
};

struct gpu_batch *gpu_batch_create(struct gpu_scope *scope, const struct gpu_batch_desc *desc,
                                   struct error *err);

// One argument of a dispatch; which member counts is told by the kernel's args[].
struct gpu_arg {
    struct gpu_buffer *buffer;   // BUFFER, ADDRESS, CONSTANT
    uint64_t offset, bytes;      // BUFFER, CONSTANT: the range; bytes 0 = to the end (clamped to
                                 // storage_range_bytes only where the range was not given)
    struct gpu_typed *typed;     // TYPED
    struct gpu_image *image;     // IMAGE, IMAGE_RW, SAMPLED
    struct gpu_sampler *sampler; // SAMPLED
};

struct gpu_dispatch {
    struct gpu_program *program;
    uint32_t groups[3]; // workgroups; 0 counts as 1
    struct gpu_arg args[GPU_ARGS_MAX];
    const void *params;  // copied while recording
    size_t params_bytes; // a multiple of 4
};

// Ordered batches put a full barrier between commands, and before their first one, so that batches
// of one queue run one after another; unordered ones have only these.
enum gpu_barrier {
    GPU_BARRIER_MEMORY,    // all writes before are seen by all after (global memory barrier)
    GPU_BARRIER_EXECUTION, // order only, no memory
    GPU_BARRIER_FULL,      // as MEMORY, between all stages that the API has
};

void gpu_batch_dispatch(struct gpu_batch *batch, const struct gpu_dispatch *dispatch);
void gpu_batch_copy(struct gpu_batch *batch, struct gpu_buffer *to, uint64_t to_offset,
                    struct gpu_buffer *from, uint64_t from_offset, uint64_t bytes);
void gpu_batch_fill(struct gpu_batch *batch, struct gpu_buffer *buffer, uint64_t offset,
                    uint64_t bytes, uint32_t word);
void gpu_batch_barrier(struct gpu_batch *batch, enum gpu_barrier barrier);

// Orders as GPU_BARRIER_MEMORY, but shows only what was written to this buffer.
void gpu_batch_barrier_buffer(struct gpu_batch *batch, struct gpu_buffer *buffer);

// A memory barrier in two halves: what follows the wait comes after all that stands before the set;
// what stands between them is not bound to either by the API. Each split is set once a batch, and
// waited for once, behind it. Needs SPLITS.
void gpu_batch_split_set(struct gpu_batch *batch, unsigned split);
void gpu_batch_split_wait(struct gpu_batch *batch, unsigned split);

// The commands between begin and end of a span are timed: from when all before them were done to
// when all of them are. So each begin and each end drains the device, in unordered batches too: on
// Vulkan begin costs a barrier and both a stamp (2–3 µs apart on an H200), which is inside the span
// once; end's barrier is behind its stamp. Spans may not nest and each is recorded once a batch; at
// most 64. An API that cannot stamp inside a batch times the commands themselves.
void gpu_batch_span_begin(struct gpu_batch *batch, unsigned span);
void gpu_batch_span_end(struct gpu_batch *batch, unsigned span);

// Ends recording; false with the first error that recording met. Then the batch can be submitted.
MUST_CHECK bool gpu_batch_end(struct gpu_batch *batch, struct error *err);

// Drops what was recorded, to record anew; must not be in flight.
MUST_CHECK bool gpu_batch_reset(struct gpu_batch *batch, struct error *err);

// A hold: a submission waits for it until the host releases it. Released at the latest when its
// scope closes. Needs HOLDS.
struct gpu_hold;
struct gpu_hold *gpu_hold_create(struct gpu_scope *scope, struct error *err);
MUST_CHECK bool gpu_hold_release(struct gpu_hold *hold, struct error *err);

// Starts the batch (after `hold`, or at once where it is NULL). One driver call. A batch in
// flight cannot be submitted again.
MUST_CHECK bool gpu_batch_submit(struct gpu_batch *batch, struct gpu_hold *hold, struct error *err);

enum {
    GPU_AFTER_MAX = GPU_QUEUES_MAX
};

struct gpu_submit {
    struct gpu_hold *hold; // or NULL
    // Batches of the same device, submitted before this call: this one starts when that submission
    // of theirs is done and its writes are seen. The newest of a queue stands for all before it.
    struct gpu_batch *after[GPU_AFTER_MAX];
    unsigned after_count;
};

// gpu_batch_submit behind other batches, on any queue: the device waits, the host does not (points
// of timeline semaphores, events of streams). The others may be waited for, submitted again and
// recorded anew as usual; only their scope's closing waits for this batch.
MUST_CHECK bool gpu_batch_submit_after(struct gpu_batch *batch, const struct gpu_submit *submit,
                                       struct error *err);

// Until the batch is done (at once where it already is); ERROR_TIMEOUT after timeout_ns: it is
// still in flight and can be waited for again. ERROR_DEVICE_LOST where that happened.
MUST_CHECK bool gpu_batch_wait(struct gpu_batch *batch, uint64_t timeout_ns, struct error *err);

// Submit and wait.
MUST_CHECK bool gpu_batch_run(struct gpu_batch *batch, uint64_t timeout_ns, struct error *err);

// Length of a span of the last finished submission, in ns by the device's clock. The batch must not
// be in flight.
MUST_CHECK bool gpu_batch_span_ns(struct gpu_batch *batch, unsigned span, double *ns,
                                  struct error *err);

#endif
