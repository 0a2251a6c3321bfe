// SPDX-License-Identifier: MIT
// The interface that a backend implements. The front end (gpu/*.c) checks every call and keeps the
// lists of objects. A backend allocates its objects in the scope's arena; the first member of each
// is the struct of this header for such objects. A backend may assume valid input. The folders of
// real APIs use the same file names: api.h, backend.c, device.c, memory.c, image.c, program.c,
// batch.c.
//
// Slots are the function pointers of a backend. A _create slot sets the members that its comment
// names. The front end sets the other members of the new struct right after that. Descriptions
// arrive with defaults in place of zeros: no queue is NULL; no size of an image and no number of
// workgroups or instances is 0; every range has its length; queue_count is at least 1. A slot that
// fails has freed everything it made and has filled the error; it leaves the device usable, unless
// the device is lost.
//
// Order: the backend orders commands. In an ordered batch each command starts after the previous
// command is done, and sees its results. Streams and in-order queues do this by themselves; Vulkan
// records a barrier. In an unordered batch only barriers, splits and spans order commands.
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

// First member of every struct for an object that a scope owns. `older` points to the object that
// was created in the same scope before this one.
struct gpu_object {
    enum gpu_object_kind kind;
    struct gpu_scope *scope;
    struct gpu_object *older;
};

struct gpu_buffer {
    struct gpu_object object;
    uint64_t bytes;
    enum gpu_memory memory;
    uint64_t address; // device address of the buffer; 0 if the device lacks ADDRESSES
    void *mapped;     // host pointer to the mapped buffer; NULL for GPU_MEMORY_DEVICE
};

struct gpu_typed {
    struct gpu_object object;
    struct gpu_buffer *buffer;
    enum gpu_format format;
    uint64_t offset, elements;
    bool writable; // true: kernels may write to this view (GPU_ARG_TYPED_RW)
};

struct gpu_image {
    struct gpu_object object;
    // The caller's description of the image, with defaults in place of zeros.
    struct gpu_image_desc desc;
    bool filterable; // true: kernels may read the image through a linear filter
};

struct gpu_sampler {
    struct gpu_object object;
    struct gpu_sampler_desc desc;
};

struct gpu_program {
    struct gpu_object object;
    const struct gpu_kernel *kernel;
    // Statistics of the compiled kernel, as the driver reports them; NULL: not read yet.
    struct gpu_program_stats *stats;
};

enum gpu_batch_state {
    GPU_BATCH_RECORDING,
    GPU_BATCH_READY,     // the recording has ended without error; the batch is not in flight
    GPU_BATCH_IN_FLIGHT, // the batch is submitted; no wait for its end has succeeded yet
    GPU_BATCH_FAILED     // recording (see first_error) or a reset failed, or the device was lost
};

struct gpu_batch {
    struct gpu_object object;
    struct gpu_queue *queue;
    struct gpu_batch_desc desc;
    enum gpu_batch_state state;
    struct error first_error; // first error while the batch was recorded; ERROR_NONE: no error
    unsigned commands;        // number of recorded commands, without barriers, splits and spans
    int open_span;            // index of the span that has begun but not ended; -1: no span is open
    uint64_t spans_recorded;  // bit i: both the begin and the end of span i were recorded
    // Bit i of splits_set: the command that sets split barrier i was recorded. Bit i of
    // splits_waited: the command that waits for split barrier i was recorded.
    uint64_t splits_set, splits_waited;
    // True: the host has waited for a submission of the recorded commands, so the lengths of the
    // spans can be read.
    bool finished;
    // What the batch in flight waits for on the device: a hold, which the host releases (NULL:
    // none), and batches submitted before it. `after` is set before batch_submit is called, `hold`
    // after that call has succeeded.
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
    // The target's colour image. It is in no scope's list of objects, because it is destroyed
    // together with the target.
    struct gpu_image *image;
    bool blends; // true: draws can blend into the target
};

struct gpu_draw_program {
    struct gpu_object object;
    // The vertex or the fragment kernel, whichever has the longer list of arguments. Each draw
    // passes arguments for this list.
    const struct gpu_kernel *args;
    enum gpu_format format;
    bool depth; // true: the program draws into targets with a depth buffer
};

struct gpu_tree {
    struct gpu_object object;
    struct gpu_tree_desc desc;
    // True: gpu_tree_create_copy made the tree, so the tree can only be the destination of copies.
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
    bool clock_held;  // true: gpu_device_hold_clock keeps the device's clocks at their peak
    atomic_bool lost; // true: the device was lost or hangs, so later calls fail
    // True: a batch or copy did not end in time, so the device's objects are never destroyed.
    bool hung;
};

struct gpu_scope {
    struct gpu_device *device;
    struct arena *arena; // arena with the scope's objects; it lives as long as the scope
    struct gpu_object *newest;
    struct gpu_scope *older;
};

// Passed to gpu_backend.load: the backend calls the function pointers of this struct to report its
// devices.
struct gpu_enumeration {
    struct arena *arena; // arena for memory that lives as long as the system (gpu_system)
    const struct gpu_system_desc *desc;
    // Adds a device to the list. add_device copies `info`.
    void (*add_device)(struct gpu_enumeration *, const struct gpu_info *info);
    void (*add_unavailable)(struct gpu_enumeration *, const char *reason, const char *remedy);
};

// For backends: if a driver reports more devices than a machine can have, lists the API as
// unavailable and returns false.
bool gpu_count_check(struct gpu_enumeration *to, uint64_t devices);

// The functions of a backend that implement gpu/graphics.h.
struct gpu_graphics {
    // Creates a render target. Sets its `blends`, and sets all members of its colour image
    // (target->image) except `object` and `desc`.
    struct gpu_target *(*target_create)(struct gpu_scope *, const struct gpu_target_desc *,
                                        struct error *);
    // Creates a draw program. `args` is its vertex or its fragment kernel, whichever has the longer
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
    // Creates a ray-tracing tree (acceleration structure), and sets its `bytes` and `address`. If
    // copy_bytes is above 0, the tree gets this size and can only be the destination of copies.
    // Else it gets the size that its build needs.
    struct gpu_tree *(*tree_create)(struct gpu_scope *, const struct gpu_tree_desc *,
                                    uint64_t copy_bytes, struct error *);
    bool (*tree_compact_bytes)(struct gpu_tree *, uint64_t *bytes, struct error *);
    bool (*batch_tree_build)(struct gpu_batch *, struct gpu_tree *, bool update, struct error *);
    bool (*batch_tree_copy)(struct gpu_batch *, struct gpu_tree *to, struct gpu_tree *from,
                            bool compact, struct error *);
};

// The functions of a backend that implement gpu/peers.h. Both devices of a call belong to this
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
    bool kept;           // true: a run left its profiler open, for the next run of its set
    struct arena *arena; // arena with the counter sets; it lives as long as the counters are open
    // sources[c]: the native counter for counter c of GPU_COUNTERS. If its member `native` is NULL,
    // the device lacks the counter.
    struct gpu_counter_source sources[GPU_COUNTER_COUNT];
    const char **natives; // names of the native counters that fathom lists
    size_t native_count;
};

struct gpu_counter_set {
    struct gpu_counters *counters;
    const double *factors; // factors[i]: gpu_counter_source.factor of the set's counter i
    size_t count;
    unsigned passes;
    // Number of batches that the run of the set counts; set before set_begin is called.
    size_t batches;
    bool done; // true if the run of the set has succeeded; set before set_end is called
};

// The functions of a backend that implement gpu/counters.h.
struct gpu_counting {
    // Opens the hardware counters of a device, and sets `sources`, `natives` and `native_count`.
    // Returns a struct, in the arena given, whose first member is struct gpu_counters.
    struct gpu_counters *(*open)(struct gpu_device *, struct arena *, struct error *);
    void (*close)(struct gpu_counters *);
    enum gpu_counter_unit (*native_unit)(const struct gpu_counters *, const char *native);
    // Creates a set of `count` counters, and sets its `passes`. Returns a struct, in the arena of
    // the counters, whose first member is struct gpu_counter_set. A call that fails may leave it to
    // `close` to free what it has made.
    struct gpu_counter_set *(*set_create)(struct gpu_counters *, const struct gpu_counter_source *,
                                          size_t count, struct error *);
    // A run counts some batches with a set of counters. Its calls: set_begin; the calls of each
    // pass; set_read for each batch; set_end. The calls of a pass: pass_begin; for each batch
    // batch_begin and batch_end, between which the batch runs; pass_end, which says whether another
    // pass is needed. Nothing runs on the device during a call. If set_begin succeeded, set_end is
    // called even if a later call failed. A backend may keep its profiler open for the next run
    // (gpu_counters.kept), and closes it when a run fails. If a run with a kept profiler fails with
    // ERROR_UNSUPPORTED, the front end repeats the run once. set_read returns values without the
    // factors. pass_begin may be NULL.
    bool (*set_begin)(struct gpu_counter_set *, struct error *);
    bool (*pass_begin)(struct gpu_counter_set *, struct error *);
    bool (*batch_begin)(struct gpu_counter_set *, size_t batch, struct error *);
    bool (*batch_end)(struct gpu_counter_set *, size_t batch, struct error *);
    bool (*pass_end)(struct gpu_counter_set *, bool *more, struct error *);
    bool (*set_read)(struct gpu_counter_set *, size_t batch, double *values, struct error *);
    void (*set_end)(struct gpu_counter_set *);
};

// Name of the setting in GLIBC_TUNABLES that reserves space for thread-local variables of libraries
// that are loaded late.
#define GPU_TUNABLE_STATIC_TLS "glibc.rtld.optional_static_tls"

// A backend: constant data and functions (slots). `load` returns the backend's state. A slot may be
// NULL only if its comment says so, or if its comment names a capability that no device of the
// backend has.
struct gpu_backend {
    const char *name; // name of the API, for example "vulkan"
    bool no_driver;   // true: the backend loads no driver, so listing its devices cannot crash

    // Loads the API's library and reports its devices to `to`. Returns the backend's state. If
    // there is no usable device, calls add_unavailable with the reason and returns NULL; then
    // unload is not called.
    void *(*load)(struct gpu_enumeration *to);
    void (*unload)(void *state);

    // True if the backends before this one in gpu_backends must be loaded first, because otherwise
    // this backend's library would not find all its devices. For OpenCL that is so if NVIDIA's
    // driver is installed and GLIBC_TUNABLES lacks GPU_TUNABLE_STATIC_TLS. The system then loads
    // the earlier backends even if only this one was asked for. The slot may be NULL.
    bool (*after_others)(void);

    // Opens a device. Returns a struct, in `arena`, whose first member is struct gpu_device. Sets
    // its `queues` (each with device, request and family) and queue_count.
    struct gpu_device *(*device_open)(void *state, const struct gpu_info *info,
                                      const struct gpu_device_desc *desc, struct arena *arena,
                                      struct error *err);
    // Closes a device whose scopes are all closed. If device->hung is set, does not free objects
    // whose release could block.
    void (*device_close)(struct gpu_device *device);
    // A backend may leave validation_messages and device_calibrated_timestamp NULL.
    size_t (*validation_messages)(const struct gpu_device *device, const char **first);
    bool (*device_calibrated_timestamp)(struct gpu_device *device,
                                        struct gpu_calibrated_timestamp *timestamp);

    // device_choose_clock is called only for devices with the capability CLOCK_CHOICE.
    bool (*device_choose_clock)(struct gpu_device *device, double core_hz, struct error *err);
    // The front end calls device_hold_clock and device_free_clock alternately. Before it closes a
    // device whose clock is held, it calls device_free_clock. Both are called only for devices with
    // the capability STABLE_CLOCK.
    bool (*device_hold_clock)(struct gpu_device *, struct error *);
    void (*device_free_clock)(struct gpu_device *);

    // Creates a buffer, and sets its `address` and `mapped`.
    struct gpu_buffer *(*buffer_create)(struct gpu_scope *, const struct gpu_buffer_desc *,
                                        struct error *);
    bool (*buffer_write)(struct gpu_buffer *, uint64_t offset, const void *data, uint64_t bytes,
                         struct error *);
    bool (*buffer_read)(struct gpu_buffer *, uint64_t offset, void *data, uint64_t bytes,
                        struct error *);
    // Creates a typed view of a buffer, and sets its `writable`. Called only for devices with the
    // capability TYPED.
    struct gpu_typed *(*typed_create)(struct gpu_scope *, struct gpu_buffer *, enum gpu_format,
                                      uint64_t offset, uint64_t elements, struct error *);
    // Creates an image, and sets its `filterable`. Called only for devices with the capability
    // IMAGES.
    struct gpu_image *(*image_create)(struct gpu_scope *, const struct gpu_image_desc *,
                                      struct error *);
    // image_write is called only for devices with the capability IMAGES.
    bool (*image_write)(struct gpu_image *, uint32_t mip, uint32_t layer, const void *texels,
                        uint64_t bytes, struct error *);
    // image_copy_from is called only for devices with the capability IMAGES.
    bool (*image_copy_from)(struct gpu_image *, struct gpu_buffer *, uint64_t offset,
                            struct error *);
    // sampler_create is called only for devices with the capability SAMPLERS.
    struct gpu_sampler *(*sampler_create)(struct gpu_scope *, const struct gpu_sampler_desc *,
                                          struct error *);

    struct gpu_program *(*program_create)(struct gpu_scope *, const struct gpu_program_desc *,
                                          struct error *);
    // program_stats is called only for devices with the capability KERNEL_STATS.
    bool (*program_stats)(struct gpu_program *, struct arena *, struct gpu_program_stats *,
                          struct error *);

    struct gpu_batch *(*batch_create)(struct gpu_scope *, const struct gpu_batch_desc *,
                                      struct error *);
    // The functions that record a command (batch_dispatch to batch_span) return false with the
    // error if they fail; the front end keeps the first error. During such a call, batch->commands
    // is the number of commands recorded before, without barriers, splits and spans.
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
    // batch_split is called only for devices with the capability SPLITS.
    bool (*batch_split)(struct gpu_batch *, unsigned split, bool wait, struct error *);
    bool (*batch_span)(struct gpu_batch *, unsigned span, bool end, struct error *);
    bool (*batch_end)(struct gpu_batch *, struct error *);
    bool (*batch_reset)(struct gpu_batch *, struct error *);
    // Submits a batch that is ready, without checks and without allocation. `hold` may be NULL or
    // already released. The batch starts after the latest submission of each batch in batch->after;
    // some of these submissions may already be done.
    bool (*batch_submit)(struct gpu_batch *, struct gpu_hold *hold, struct error *);
    // The front end calls batch_wait only for a batch in flight.
    bool (*batch_wait)(struct gpu_batch *, uint64_t timeout_ns, struct error *);
    bool (*batch_span_ns)(struct gpu_batch *, unsigned span, double *ns, struct error *);

    // hold_create and hold_release are called only for devices with the capability HOLDS.
    struct gpu_hold *(*hold_create)(struct gpu_scope *, struct error *);
    bool (*hold_release)(struct gpu_hold *, struct error *);

    const struct gpu_graphics *graphics; // slots for devices with the capability GRAPHICS
    const struct gpu_rays *rays;         // slots for devices with the capability RAYS
    const struct gpu_peers *peers;       // slots for devices with the capability PEERS
    const struct gpu_managed *managed;   // slots for devices with the capability MANAGED

    const struct gpu_counting *counting; // slots for hardware counters; NULL: the backend has none

    // Destroys an object that a _create slot has made. The device no longer uses the object.
    void (*object_destroy)(struct gpu_object *object);
};

// True if the argument lists `a` and `b` for `kernel` name the same objects and ranges. Ignores
// arguments of kind GPU_ARG_ADDRESS.
bool gpu_args_equal(const struct gpu_kernel *kernel, const struct gpu_arg *a,
                    const struct gpu_arg *b);

// The list of all backends, in order of preference; it ends with NULL. It is defined in gpu/list.c;
// test programs define lists of their own.
extern const struct gpu_backend *const gpu_backends[];

#endif
