// SPDX-License-Identifier: MIT
// The interface that a backend implements. The front end (gpu/*.c) checks every call and manages
// the lists of objects, so a backend may assume valid input. A backend allocates its objects in the
// scope's arena; the first member of each is this header's struct for its kind. The folders of the
// real APIs use the same file names: api.h, backend.c, device.c, memory.c, image.c, program.c,
// batch.c.
//
// A slot is a function pointer of a backend. A slot whose name ends in _create sets the members
// that its comment names; the front end then sets the other members. Before a call, the front end
// replaces zeros in descriptions by defaults: queues are not NULL, ranges have their length, and
// sizes of images, numbers of workgroups or instances, and queue_count are above 0. A slot that
// fails sets the error; a _create also frees what it made, unless the device hangs. The device
// stays usable after a failure, unless it is lost.
//
// In an ordered batch, each command must start after the command before it is done, and see its
// results. CUDA streams and in-order queues of OpenCL keep this order; for Vulkan, the backend
// records barriers. In an unordered batch, only barriers, splits and spans order the commands.
#ifndef GPU_BACKEND_H
#define GPU_BACKEND_H

#include "gpu/counters.h"
#include "gpu/graphics.h"
#include "gpu/managed.h"
#include "gpu/peers.h"
#include "gpu/rays.h"

#include <stdatomic.h>

enum gpu_object_kind {
    GPU_OBJECT_BUFFER,
    GPU_OBJECT_TYPED,
    GPU_OBJECT_IMAGE,
    GPU_OBJECT_SAMPLER,
    GPU_OBJECT_PROGRAM,
    GPU_OBJECT_BATCH,
    GPU_OBJECT_HOLD,
    GPU_OBJECT_TARGET,
    GPU_OBJECT_DRAW_PROGRAM,
    GPU_OBJECT_TREE,
};

// The first member of every object that a scope owns. A scope's objects form a list: `older` points
// to the object that was created just before this object.
struct gpu_object {
    enum gpu_object_kind kind;
    struct gpu_scope *scope;
    struct gpu_object *older;
};

struct gpu_buffer {
    struct gpu_object object;
    uint64_t bytes;
    enum gpu_memory memory;
    // device address of the buffer; 0 if the device lacks the capability ADDRESSES
    uint64_t address;
    void *mapped; // host pointer to the buffer's memory; NULL for GPU_MEMORY_DEVICE
};

struct gpu_typed {
    struct gpu_object object;
    struct gpu_buffer *buffer;
    enum gpu_format format;
    uint64_t offset, elements;
    bool writable; // true if kernels may write to this view (GPU_ARG_TYPED_RW)
};

struct gpu_image {
    struct gpu_object object;
    // description of the image, in which the front end has replaced zeros by defaults
    struct gpu_image_desc desc;
    bool filterable; // true if kernels may read the image through a linear filter
};

struct gpu_sampler {
    struct gpu_object object;
    struct gpu_sampler_desc desc;
};

struct gpu_program {
    struct gpu_object object;
    const struct gpu_kernel *kernel;
    // the driver's statistics of the compiled kernel; NULL until they are read
    struct gpu_program_stats *stats;
};

enum gpu_batch_state {
    GPU_BATCH_RECORDING,
    // the batch is recorded without error and is not in flight, so it can be submitted
    GPU_BATCH_READY,
    GPU_BATCH_IN_FLIGHT, // the batch is submitted, and no wait for its end has succeeded
    GPU_BATCH_FAILED     // the recording or a reset failed, or a wait found the device lost
};

enum {
    GPU_SPANS_MAX = 64 // maximum number of spans in a batch: spans_recorded has a bit for each
};

struct gpu_batch {
    struct gpu_object object;
    struct gpu_queue *queue;
    struct gpu_batch_desc desc;
    enum gpu_batch_state state;
    // first error of the recording; its code is ERROR_NONE if there was no error
    struct error first_error;
    unsigned commands; // number of recorded commands; barriers, splits and spans are not counted
    // index of the span (timed range) that has begun but not ended; −1 if there is none
    int open_span;
    uint64_t spans_recorded; // set of spans: bit i is 1 if begin and end of span i are recorded
    uint64_t ready_ns;       // host time when the recording ended; all spans are later
    // Bit i of splits_set is 1 if the first half of split barrier i, its set, is recorded. Bit i of
    // splits_waited is 1 if the second half, its wait, is recorded.
    uint64_t splits_set, splits_waited;
    // True once the host has waited for a submission of the recorded commands. From then on, the
    // lengths of the spans can be read, except while the batch is in flight, after it has failed,
    // and after the device was lost.
    bool finished;
    // The batch in flight waits on the device for the batches in `after` and, unless it is NULL,
    // for `hold`. The front end sets `after` before batch_submit, and `hold` after it.
    struct gpu_hold *hold;
    struct gpu_batch *after[GPU_AFTER_MAX];
    unsigned after_count;
};

struct gpu_hold {
    struct gpu_object object;
    bool released;
};

struct gpu_target {
    struct gpu_object object;
    struct gpu_target_desc desc;
    // The target's colour image. It is not in a scope's list of objects, because it is destroyed
    // together with the target.
    struct gpu_image *image;
    bool blends; // true if draws can blend into the target
};

struct gpu_draw_program {
    struct gpu_object object;
    // The vertex or the fragment kernel, whichever has more arguments. A draw passes the arguments
    // of this kernel. The other kernel's list of arguments is the beginning of this list.
    const struct gpu_kernel *args;
    enum gpu_format format;
    bool depth; // true if the program draws into targets with a depth buffer
};

struct gpu_tree {
    struct gpu_object object;
    struct gpu_tree_desc desc;
    // true if the tree can only be the destination of copies (gpu_tree_create_copy)
    bool is_copy;
    uint64_t bytes, address;
};

struct gpu_queue {
    struct gpu_device *device;
    struct gpu_queue_request request;
    unsigned family; // index of the queue's family in gpu_info.families
};

struct gpu_device {
    const struct gpu_backend *backend;
    const struct gpu_info *info;
    struct arena *arena; // arena for memory that lives as long as the open device
    struct gpu_queue *queues[GPU_QUEUES_MAX];
    unsigned queue_count;
    atomic_size_t live_objects; // number of objects that the device's scopes own
    struct gpu_scope *scopes;   // list of the device's open scopes, the newest first
    bool clock_held;  // true while gpu_device_hold_clock keeps the device's clocks at their peak
    atomic_bool lost; // true if the device was lost or hangs; calls that use the device then fail
    // true if a batch (gpu_batch_finish) or a copy between host and device did not end in time; the
    // device's objects are then never destroyed
    bool hung;
};

struct gpu_scope {
    struct gpu_device *device;
    struct arena *arena; // arena for the scope's objects; it lives as long as the scope
    struct gpu_object *newest;
    struct gpu_scope *older;
};

// The argument of gpu_backend.load. The backend calls the function pointers of this struct to
// report its devices.
struct gpu_enumeration {
    struct arena *arena; // arena for memory that lives as long as the system (gpu_system)
    const struct gpu_system_desc *desc;
    // Reports a device that the backend found; `info` is copied.
    void (*add_device)(struct gpu_enumeration *, const struct gpu_info *info);
    void (*add_unavailable)(struct gpu_enumeration *, const char *reason, const char *remedy);
};

// Checks the number of devices that the backend's driver reports. If no machine can have so many
// devices, lists the API as unavailable and returns false.
bool gpu_count_check(struct gpu_enumeration *to, uint64_t devices);

// Fails if `ns` cannot be the length of a span, because it is negative, or much longer than the
// host's time since the recording ended. Then the driver's time stamps are wrong.
MUST_CHECK bool gpu_span_check(const struct gpu_batch *batch, double ns, struct error *err);

// The functions of a backend that implement gpu/graphics.h.
struct gpu_graphics {
    // Creates a render target. Sets its members `image` and `blends`, and all members of the image
    // except `object` and `desc`.
    struct gpu_target *(*target_create)(struct gpu_scope *, const struct gpu_target_desc *,
                                        struct error *);
    // Creates a draw program. `args` is the vertex or the fragment kernel, whichever has the longer
    // list of arguments.
    struct gpu_draw_program *(*program_create)(struct gpu_scope *,
                                               const struct gpu_draw_program_desc *,
                                               const struct gpu_kernel *args, struct error *);
    bool (*batch_draw)(struct gpu_batch *, const struct gpu_draw *, struct error *);
    bool (*batch_barrier_target)(struct gpu_batch *, struct gpu_target *, struct error *);
    bool (*batch_copy_target)(struct gpu_batch *, struct gpu_buffer *to, uint64_t to_offset,
                              struct gpu_target *, struct error *);
};

// The functions of a backend that implement gpu/rays.h.
struct gpu_rays {
    // Creates a ray-tracing tree (acceleration structure), and sets its members `bytes` and
    // `address`. If copy_bytes is above 0, the tree gets that size and can only be the destination
    // of copies. If copy_bytes is 0, the tree gets the size that its build needs.
    struct gpu_tree *(*tree_create)(struct gpu_scope *, const struct gpu_tree_desc *,
                                    uint64_t copy_bytes, struct error *);
    bool (*tree_compact_bytes)(struct gpu_tree *, uint64_t *bytes, struct error *);
    bool (*batch_tree_build)(struct gpu_batch *, struct gpu_tree *, bool update, struct error *);
    bool (*batch_tree_copy)(struct gpu_batch *, struct gpu_tree *to, struct gpu_tree *from,
                            bool compact, struct error *);
};

// The functions of a backend that implement gpu/peers.h. Both devices in a call are devices of this
// backend.
struct gpu_peers {
    bool (*connect)(struct gpu_device *from, struct gpu_device *to, bool *direct, struct error *);
    bool (*batch_copy)(struct gpu_batch *, const struct gpu_peers_copy *, struct error *);
};

// The functions of a backend that implement gpu/managed.h.
struct gpu_managed {
    bool (*free_bytes)(struct gpu_device *, uint64_t *bytes, struct error *);
    bool (*advise)(struct gpu_buffer *, enum gpu_managed_advice, struct error *);
    bool (*batch_prefetch)(struct gpu_batch *, const struct gpu_managed_range *, struct error *);
};

struct gpu_counters {
    struct gpu_device *device;
    // true if the profiler stays open after a run, so that the next run of the same set can use it
    bool kept;
    struct arena *arena; // arena for the counter sets; it lives as long as the counters are open
    // sources[c] is the native counter from which counter c of GPU_COUNTERS is computed. If the
    // device lacks counter c, sources[c].native is NULL.
    struct gpu_counter_source sources[GPU_COUNTER_COUNT];
    const char **natives; // names of the native counters that fathom lists
    size_t native_count;
};

struct gpu_counter_set {
    struct gpu_counters *counters;
    // value of counter i of the set = factors[i] · value of its native counter
    const double *factors;
    size_t count;
    unsigned passes;
    // number of batches that the run counts; the front end sets it before it calls set_begin
    size_t batches;
    bool done; // true if the run has succeeded; the front end sets it before it calls set_end
};

// The functions of a backend that implement gpu/counters.h.
struct gpu_counting {
    // Opens the hardware counters of a device, and sets `sources`, `natives` and `native_count`.
    // The returned struct is allocated in the given arena, and its first member is a struct
    // gpu_counters.
    struct gpu_counters *(*open)(struct gpu_device *, struct arena *, struct error *);
    void (*close)(struct gpu_counters *);
    enum gpu_counter_unit (*native_unit)(const struct gpu_counters *, const char *native);
    // Creates a counter set with `count` counters, and sets its `passes`. The returned struct is
    // allocated in the arena of the counters, and its first member is a struct gpu_counter_set. A
    // failed call may leave objects that only `close` destroys.
    struct gpu_counter_set *(*set_create)(struct gpu_counters *, const struct gpu_counter_source *,
                                          size_t count, struct error *);
    // A run counts batches with a counter set. The front end makes these calls, while nothing runs
    // on the device:
    //
    //   set_begin
    //   for each pass:
    //     pass_begin (may be NULL)
    //     for each batch: batch_begin, the batch itself, batch_end
    //     pass_end, which says whether another pass is needed
    //   for each batch: set_read, whose values are not yet multiplied by the factors
    //   set_end, also after an error, but not if set_begin failed
    //
    // A backend may keep its profiler open for the next run (gpu_counters.kept), but closes it if a
    // run fails. If a run with a kept profiler fails with ERROR_UNSUPPORTED, the front end repeats
    // the run once.
    bool (*set_begin)(struct gpu_counter_set *, struct error *);
    bool (*pass_begin)(struct gpu_counter_set *, struct error *);
    bool (*batch_begin)(struct gpu_counter_set *, size_t batch, struct error *);
    bool (*batch_end)(struct gpu_counter_set *, size_t batch, struct error *);
    bool (*pass_end)(struct gpu_counter_set *, bool *more, struct error *);
    bool (*set_read)(struct gpu_counter_set *, size_t batch, double *values, struct error *);
    void (*set_end)(struct gpu_counter_set *);
};

// The name of a setting in the environment variable GLIBC_TUNABLES. The setting reserves space for
// thread-local variables of libraries that are loaded late.
#define GPU_TUNABLE_STATIC_TLS "glibc.rtld.optional_static_tls"

// A backend: constant data and pointers to functions (slots). A slot may be NULL if its comment
// says so, or if its comment names a capability that no device of the backend has. All other slots
// must be set. The state that `load` returns is an argument of some slots.
struct gpu_backend {
    const char *name; // name of the API, for example "vulkan"
    bool no_driver;   // true if the backend loads no driver; listing its devices then cannot crash

    // Loads the API's library, reports its devices through `to`, and returns the backend's state.
    // If there is no usable device, reports the reason (add_unavailable) and returns NULL; unload
    // is then not called. The model backend reports no reason if the user asked for no model.
    void *(*load)(struct gpu_enumeration *to);
    void (*unload)(void *state);

    // Returns true if the earlier backends of gpu_backends must be loaded before this backend,
    // because its library may miss devices otherwise. Only the OpenCL backend has this slot
    // (opencl_after_others); in other backends it is NULL.
    bool (*after_others)(void);

    // Opens a device. The returned struct is allocated in `arena`, and its first member is a struct
    // gpu_device. Sets the members `queues` and queue_count of the device, and the members device,
    // request and family of each queue.
    struct gpu_device *(*device_open)(void *state, const struct gpu_info *info,
                                      const struct gpu_device_desc *desc, struct arena *arena,
                                      struct error *err);
    // Closes a device after all its scopes are closed. If device->hung is set, keeps the objects
    // whose release could block.
    void (*device_close)(struct gpu_device *device);
    // The pointers validation_messages, interceptor and device_calibrated_timestamp may be NULL.
    size_t (*validation_messages)(const struct gpu_device *device, const char **first);
    // Returns the path of a file that intercepts fathom's calls of the driver, for example a Vulkan
    // layer. Returns NULL if no such file is known.
    const char *(*interceptor)(const struct gpu_device *device);
    bool (*device_calibrated_timestamp)(struct gpu_device *device,
                                        struct gpu_calibrated_timestamp *timestamp);

    // device_choose_clock is called only for a device with the capability CLOCK_CHOICE.
    bool (*device_choose_clock)(struct gpu_device *device, double core_hz, struct error *err);
    // device_hold_clock and device_free_clock need the capability STABLE_CLOCK, and their calls
    // alternate. If a device's clock is held, the front end calls device_free_clock before it
    // closes the device, unless the device hangs.
    bool (*device_hold_clock)(struct gpu_device *, struct error *);
    void (*device_free_clock)(struct gpu_device *);

    // Creates a buffer, and sets its members `address` and `mapped`.
    struct gpu_buffer *(*buffer_create)(struct gpu_scope *, const struct gpu_buffer_desc *,
                                        struct error *);
    bool (*buffer_write)(struct gpu_buffer *, uint64_t offset, const void *data, uint64_t bytes,
                         struct error *);
    bool (*buffer_read)(struct gpu_buffer *, uint64_t offset, void *data, uint64_t bytes,
                        struct error *);
    // Creates a typed view of a buffer, and sets its member `writable`. Called only for a device
    // with the capability TYPED.
    struct gpu_typed *(*typed_create)(struct gpu_scope *, struct gpu_buffer *, enum gpu_format,
                                      uint64_t offset, uint64_t elements, struct error *);
    // Creates an image, and sets its member `filterable`. Called only for a device with the
    // capability IMAGES.
    struct gpu_image *(*image_create)(struct gpu_scope *, const struct gpu_image_desc *,
                                      struct error *);
    // image_write is called only for a device with the capability IMAGES.
    bool (*image_write)(struct gpu_image *, uint32_t mip, uint32_t layer, const void *texels,
                        uint64_t bytes, struct error *);
    // image_copy_from is called only for a device with the capability IMAGES.
    bool (*image_copy_from)(struct gpu_image *, struct gpu_buffer *, uint64_t offset,
                            struct error *);
    // sampler_create is called only for a device with the capability SAMPLERS.
    struct gpu_sampler *(*sampler_create)(struct gpu_scope *, const struct gpu_sampler_desc *,
                                          struct error *);

    struct gpu_program *(*program_create)(struct gpu_scope *, const struct gpu_program_desc *,
                                          struct error *);
    // program_stats is called only for a device with the capability KERNEL_STATS.
    bool (*program_stats)(struct gpu_program *, struct arena *, struct gpu_program_stats *,
                          struct error *);

    struct gpu_batch *(*batch_create)(struct gpu_scope *, const struct gpu_batch_desc *,
                                      struct error *);
    // The functions from batch_dispatch to batch_span record a command. If one fails, it returns
    // false with the error, and the front end keeps the first error. During such a call,
    // batch->commands does not yet include the new command.
    bool (*batch_dispatch)(struct gpu_batch *, const struct gpu_dispatch *, struct error *);
    bool (*batch_copy)(struct gpu_batch *, struct gpu_buffer *to, uint64_t to_offset,
                       struct gpu_buffer *from, uint64_t from_offset, uint64_t bytes,
                       struct error *);
    bool (*batch_fill)(struct gpu_batch *, struct gpu_buffer *, uint64_t offset, uint64_t bytes,
                       uint32_t word, struct error *);
    bool (*batch_barrier)(struct gpu_batch *, enum gpu_barrier, struct error *);
    // If batch_barrier_buffer or batch_barrier_image is NULL, the front end calls batch_barrier
    // with GPU_BARRIER_MEMORY instead.
    bool (*batch_barrier_buffer)(struct gpu_batch *, struct gpu_buffer *, struct error *);
    bool (*batch_barrier_image)(struct gpu_batch *, struct gpu_image *, struct error *);
    // batch_split is called only for a device with the capability SPLITS.
    bool (*batch_split)(struct gpu_batch *, unsigned split, bool wait, struct error *);
    bool (*batch_span)(struct gpu_batch *, unsigned span, bool end, struct error *);
    bool (*batch_end)(struct gpu_batch *, struct error *);
    bool (*batch_reset)(struct gpu_batch *, struct error *);
    // Submits a batch that is ready. Must not allocate memory, unless counters count the batch.
    // `hold` may be NULL or already released. The batch must not start before the latest submission
    // of each batch in batch->after is done.
    bool (*batch_submit)(struct gpu_batch *, struct gpu_hold *hold, struct error *);
    // batch_wait is called only for a batch that is in flight: submitted, and not waited for.
    bool (*batch_wait)(struct gpu_batch *, uint64_t timeout_ns, struct error *);
    bool (*batch_span_ns)(struct gpu_batch *, unsigned span, double *ns, struct error *);

    // hold_create and hold_release are called only for a device with the capability HOLDS.
    struct gpu_hold *(*hold_create)(struct gpu_scope *, struct error *);
    bool (*hold_release)(struct gpu_hold *, struct error *);

    const struct gpu_graphics *graphics; // functions for the capability GRAPHICS
    const struct gpu_rays *rays;         // functions for the capability RAYS
    const struct gpu_peers *peers;       // functions for the capability PEERS
    const struct gpu_managed *managed;   // functions for the capability MANAGED

    // functions for hardware counters; NULL if the backend has no counters
    const struct gpu_counting *counting;

    // Destroys an object that a _create function has made. The device must no longer use the
    // object.
    void (*object_destroy)(struct gpu_object *object);
};

// The type of the function in a slot of a table such as struct gpu_backend. Example of a
// declaration: GPU_SLOT(gpu_backend, batch_wait) cuda_batch_wait;
#define GPU_SLOT(table, slot) __typeof__(*((struct table *)0)->slot)

// The slots of struct gpu_backend that every backend of a real API fills.
#define GPU_SLOTS(X)                                                                               \
    X(load)                                                                                        \
    X(unload)                                                                                      \
    X(device_open)                                                                                 \
    X(device_close)                                                                                \
    X(buffer_create)                                                                               \
    X(buffer_write)                                                                                \
    X(buffer_read)                                                                                 \
    X(typed_create)                                                                                \
    X(image_create)                                                                                \
    X(image_write)                                                                                 \
    X(image_copy_from)                                                                             \
    X(sampler_create)                                                                              \
    X(program_create)                                                                              \
    X(batch_create)                                                                                \
    X(batch_dispatch)                                                                              \
    X(batch_copy)                                                                                  \
    X(batch_fill)                                                                                  \
    X(batch_barrier)                                                                               \
    X(batch_span)                                                                                  \
    X(batch_end)                                                                                   \
    X(batch_reset)                                                                                 \
    X(batch_submit)                                                                                \
    X(batch_wait)                                                                                  \
    X(batch_span_ns)                                                                               \
    X(hold_create)                                                                                 \
    X(hold_release)                                                                                \
    X(object_destroy)

enum gpu_channel_type {
    GPU_CHANNEL_UNORM8,
    GPU_CHANNEL_HALF,
    GPU_CHANNEL_FLOAT,
    GPU_CHANNEL_UINT32,
};

// Returns the type of a format's channels. The result has no meaning for packed formats
// (gpu_format_is_packed).
enum gpu_channel_type gpu_format_channel_type(enum gpu_format format);

// Returns the length in texels of a side of mip level `mip`. `side` is the length at level 0.
static inline uint32_t gpu_level_side(uint32_t side, uint32_t mip)
{
    return side >> mip ? side >> mip : 1;
}

// Returns true if the argument lists `a` and `b` for `kernel` contain the same objects and the same
// ranges. Ignores arguments of kind GPU_ARG_ADDRESS.
bool gpu_args_equal(const struct gpu_kernel *kernel, const struct gpu_arg *a,
                    const struct gpu_arg *b);

// The list of all backends, in the order in which they are preferred; it ends with NULL. gpu/list.c
// defines it; test programs define lists of their own.
extern const struct gpu_backend *const gpu_backends[];

#endif
