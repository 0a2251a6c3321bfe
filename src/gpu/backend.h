// SPDX-License-Identifier: MIT
// The interface that a backend implements. The front end (gpu/*.c) checks every call and keeps the
// lists of objects. A backend allocates its objects in the scope's arena: structs whose first
// member is the struct of this header. It may assume valid input. The folders of real APIs use the
// same file names: api.h, backend.c, device.c, memory.c, image.c, program.c, batch.c.
//
// Filling: a _create slot fills the members that its comment below names. The front end sets all
// other members of these structs right after the slot has returned. Descriptions arrive with their
// defaults resolved: no queue is NULL, no size or count is 0, every range has its length,
// queue_count is at least 1. A slot that fails has freed everything it made and has filled the
// error; it leaves the device usable, unless the device is lost.
//
// Order: the backend orders commands. In an ordered batch each command starts after the previous
// command is done, and sees what it wrote. Streams and in-order queues do this by themselves;
// Vulkan records a barrier. In an unordered batch only barriers, splits and spans order commands.
#ifndef GPU_BACKEND_H
#define GPU_BACKEND_H

#include "gpu/counters.h"
#include "gpu/graphics.h"
#include "gpu/managed.h"
#include "gpu/peers.h"
#include "gpu/rays.h"

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

// The first member of every object in a scope. `older` links the scope's objects, newest first.
struct gpu_object {
    enum gpu_object_kind kind;
    struct gpu_scope *scope;
    struct gpu_object *older;
};

struct gpu_buffer {
    struct gpu_object object;
    uint64_t bytes;
    enum gpu_memory memory;
    uint64_t address; // 0 without ADDRESSES
    void *mapped;     // NULL for GPU_MEMORY_DEVICE
};

struct gpu_typed {
    struct gpu_object object;
    struct gpu_buffer *buffer;
    enum gpu_format format;
    uint64_t offset, elements;
    bool writable; // true: may be used as GPU_ARG_TYPED_RW
};

struct gpu_image {
    struct gpu_object object;
    struct gpu_image_desc desc; // the description, with defaults in place of zeros
    bool filterable;            // true: may be read through a linear filter
};

struct gpu_sampler {
    struct gpu_object object;
    struct gpu_sampler_desc desc;
};

struct gpu_program {
    struct gpu_object object;
    const struct gpu_kernel *kernel;
    struct gpu_program_stats *stats; // the driver's statistics; NULL: not read yet
};

enum gpu_batch_state {
    GPU_BATCH_RECORDING,
    GPU_BATCH_READY,     // ended, and not in flight
    GPU_BATCH_IN_FLIGHT, // submitted, and not waited for yet
    GPU_BATCH_FAILED     // recording failed (see first_error), or the device was lost
};

struct gpu_batch {
    struct gpu_object object;
    struct gpu_queue *queue;
    struct gpu_batch_desc desc;
    enum gpu_batch_state state;
    struct error first_error;           // the first error of the recording; ERROR_NONE: none
    unsigned commands;                  // number of commands; not barriers, splits, spans
    int open_span;                      // number of the open span; -1: none
    uint64_t spans_recorded;            // bit i: span i is recorded
    uint64_t splits_set, splits_waited; // bit i: split i is set, is waited for
    bool finished;                      // true: a submission is done, so the spans have lengths
    // What the submission in flight waits for: a hold (or NULL), and batches that were submitted
    // before it. `hold` is set after batch_submit succeeds, `after` before batch_submit is called.
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
    struct gpu_image *image; // the colours; destroyed with the target, not in the scope's list
    bool blends;             // true: draws can blend into it
};

struct gpu_draw_program {
    struct gpu_object object;
    const struct gpu_kernel *args; // the kernel whose list of arguments a draw passes
    enum gpu_format format;
    bool depth; // true: for targets with a depth buffer
};

struct gpu_tree {
    struct gpu_object object;
    struct gpu_tree_desc desc;
    bool is_copy; // made by gpu_tree_create_copy
    uint64_t bytes, address;
};

struct gpu_queue {
    struct gpu_device *device;
    struct gpu_queue_request request;
    unsigned family; // index in gpu_info.families
};

struct gpu_device {
    const struct gpu_backend *backend;
    const struct gpu_info *info;
    struct arena *arena; // lives as long as the device
    struct gpu_queue *queues[GPU_QUEUES_MAX];
    unsigned queue_count;
    size_t live_objects;
    struct gpu_scope *scopes; // list, newest first
    bool clock_held;          // by gpu_device_hold_clock
    bool lost;                // the device was lost, or hangs: later calls fail
    bool hung;                // a batch or copy did not end in time: nothing more is destroyed
};

struct gpu_scope {
    struct gpu_device *device;
    struct arena *arena; // lives as long as the scope; its objects are in it
    struct gpu_object *newest;
    struct gpu_scope *older;
};

// Receives the devices that a backend lists.
struct gpu_enumeration {
    struct arena *arena; // lives as long as the system
    const struct gpu_system_desc *desc;
    void (*add_device)(struct gpu_enumeration *, const struct gpu_info *info); // copies `info`
    void (*add_unavailable)(struct gpu_enumeration *, const char *reason, const char *remedy);
};

// For backends: if a driver reports more devices than a machine can have, calls add_unavailable and
// returns false.
bool gpu_count_check(struct gpu_enumeration *to, uint64_t devices);

// The slots that implement gpu/graphics.h.
struct gpu_graphics {
    // Fills `blends`, and all members of `image` except object and desc.
    struct gpu_target *(*target_create)(struct gpu_scope *, const struct gpu_target_desc *,
                                        struct error *);
    // `args`: see struct gpu_draw_program.
    struct gpu_draw_program *(*program_create)(struct gpu_scope *,
                                               const struct gpu_draw_program_desc *,
                                               const struct gpu_kernel *args, struct error *);
    bool (*batch_draw)(struct gpu_batch *, const struct gpu_draw *, struct error *);
    bool (*batch_barrier_target)(struct gpu_batch *, struct gpu_target *, struct error *);
    bool (*batch_copy_target)(struct gpu_batch *, struct gpu_buffer *to, uint64_t to_offset,
                              struct gpu_target *, struct error *);
};

// The slots that implement gpu/rays.h.
struct gpu_rays {
    // Fills bytes and address. `copy_bytes` is the size of a tree that receives copies; 0 means
    // that the tree will be built, and gets the size that its build needs.
    struct gpu_tree *(*tree_create)(struct gpu_scope *, const struct gpu_tree_desc *,
                                    uint64_t copy_bytes, struct error *);
    bool (*tree_compact_bytes)(struct gpu_tree *, uint64_t *bytes, struct error *);
    bool (*batch_tree_build)(struct gpu_batch *, struct gpu_tree *, bool update, struct error *);
    bool (*batch_tree_copy)(struct gpu_batch *, struct gpu_tree *to, struct gpu_tree *from,
                            bool compact, struct error *);
};

// The slots that implement gpu/peers.h. Both devices belong to this backend.
struct gpu_peers {
    bool (*connect)(struct gpu_device *from, struct gpu_device *to, bool *direct, struct error *);
    bool (*batch_copy)(struct gpu_batch *, const struct gpu_peers_copy *, struct error *);
};

// The slots that implement gpu/managed.h.
struct gpu_managed {
    bool (*free_bytes)(struct gpu_device *, uint64_t *bytes, struct error *);
    bool (*advise)(struct gpu_buffer *, enum gpu_managed_advice, struct error *);
    bool (*batch_prefetch)(struct gpu_batch *, const struct gpu_managed_range *, struct error *);
};

struct gpu_counters {
    struct gpu_device *device;
    bool kept;           // true: the next run uses the profiler that an earlier run has left open
    struct arena *arena; // lives as long as the counters; their sets are in it
};

struct gpu_counter_set {
    struct gpu_counters *counters;
    const double *factors; // gpu_counter_source.factor of each counter
    size_t count;
    unsigned passes;
    bool done; // for set_end: true if the run has succeeded
};

// The slots that implement gpu/counters.h.
struct gpu_counting {
    // Returns a struct that begins with struct gpu_counters, in `arena`.
    struct gpu_counters *(*open)(struct gpu_device *, struct arena *, struct error *);
    void (*close)(struct gpu_counters *);
    const struct gpu_counter_source *(*source)(const struct gpu_counters *, enum gpu_counter);
    const char *const *(*natives)(const struct gpu_counters *, size_t *count);
    enum gpu_counter_unit (*native_unit)(const struct gpu_counters *, const char *native);
    // Fills passes. Returns a struct that begins with struct gpu_counter_set, in the counters'
    // arena. Factors are not applied to the values that set_read returns.
    struct gpu_counter_set *(*set_create)(struct gpu_counters *, const struct gpu_counter_source *,
                                          size_t count, struct error *);
    // A backend may keep its profiler open for the next run (gpu_counters.kept), and closes the
    // profiler when a run fails. If a run with a kept profiler fails with ERROR_UNSUPPORTED, the
    // front end repeats the run once.
    // One run: set_begin, then pass_begin and pass_end until no more pass is needed, set_read,
    // set_end. Nothing runs on the device during these calls. set_end follows a set_begin that
    // succeeded, whatever failed later.
    bool (*set_begin)(struct gpu_counter_set *, struct error *);
    bool (*pass_begin)(struct gpu_counter_set *, struct error *);
    bool (*pass_end)(struct gpu_counter_set *, bool *more, struct error *);
    bool (*set_read)(struct gpu_counter_set *, double *values, struct error *);
    void (*set_end)(struct gpu_counter_set *);
};

// The tunable of glibc that reserves space for thread-local variables of libraries loaded later.
#define GPU_TUNABLE_STATIC_TLS "glibc.rtld.optional_static_tls"

// A backend is constant data; load() returns its state. A slot is required unless its comment names
// a capability or says that it is optional.
struct gpu_backend {
    const char *name; // for example "vulkan"
    bool no_driver;   // true: it loads no driver, so listing its devices cannot crash

    // Loads the library and passes its devices to `to`. Returns the backend's state. If there is no
    // usable device, calls add_unavailable with the reason and returns NULL; unload is then not
    // called.
    void *(*load)(struct gpu_enumeration *to);
    void (*unload)(void *state);

    // Optional. True if the library finds all its devices only in a process that has loaded the
    // backends before it in the list, and GLIBC_TUNABLES of this process lacks
    // GPU_TUNABLE_STATIC_TLS. The system then loads those backends first, even if only this one was
    // asked for.
    bool (*after_others)(void);

    // Returns a struct that begins with struct gpu_device, in `arena`. Fills queues (each with
    // device, request and family) and queue_count.
    struct gpu_device *(*device_open)(void *state, const struct gpu_info *info,
                                      const struct gpu_device_desc *desc, struct arena *arena,
                                      struct error *err);
    // Called when all scopes are closed. If device->hung is set, frees nothing that could block.
    void (*device_close)(struct gpu_device *device);
    size_t (*validation_messages)(const struct gpu_device *device, const char **first); // optional
    bool (*device_calibrated_timestamp)(struct gpu_device *device,
                                        struct gpu_calibrated_timestamp *timestamp); // optional

    bool (*device_choose_clock)(struct gpu_device *device, double core_hz,
                                struct error *err); // required for CLOCK_CHOICE
    // Called in turn, free_clock for the last time before the device is closed.
    bool (*device_hold_clock)(struct gpu_device *, struct error *); // required for STABLE_CLOCK
    void (*device_free_clock)(struct gpu_device *);                 // required for STABLE_CLOCK

    // Fills `address` and `mapped`.
    struct gpu_buffer *(*buffer_create)(struct gpu_scope *, const struct gpu_buffer_desc *,
                                        struct error *);
    bool (*buffer_write)(struct gpu_buffer *, uint64_t offset, const void *data, uint64_t bytes,
                         struct error *);
    bool (*buffer_read)(struct gpu_buffer *, uint64_t offset, void *data, uint64_t bytes,
                        struct error *);
    // Fills `writable`.
    struct gpu_typed *(*typed_create)(struct gpu_scope *, struct gpu_buffer *, enum gpu_format,
                                      uint64_t offset, uint64_t elements,
                                      struct error *); // required for TYPED
    // Fills `filterable`.
    struct gpu_image *(*image_create)(struct gpu_scope *, const struct gpu_image_desc *,
                                      struct error *); // required for IMAGES
    bool (*image_write)(struct gpu_image *, uint32_t mip, uint32_t layer, const void *texels,
                        uint64_t bytes, struct error *); // required for IMAGES
    bool (*image_copy_from)(struct gpu_image *, struct gpu_buffer *, uint64_t offset,
                            struct error *); // required for IMAGES
    struct gpu_sampler *(*sampler_create)(struct gpu_scope *, const struct gpu_sampler_desc *,
                                          struct error *); // required for SAMPLERS

    struct gpu_program *(*program_create)(struct gpu_scope *, const struct gpu_program_desc *,
                                          struct error *);
    bool (*program_stats)(struct gpu_program *, struct arena *, struct gpu_program_stats *,
                          struct error *); // required for KERNEL_STATS

    struct gpu_batch *(*batch_create)(struct gpu_scope *, const struct gpu_batch_desc *,
                                      struct error *);
    // Recording functions return false with the error; the front end keeps the first error.
    // batch->commands is the number of earlier commands, without barriers, splits and spans.
    bool (*batch_dispatch)(struct gpu_batch *, const struct gpu_dispatch *, struct error *);
    bool (*batch_copy)(struct gpu_batch *, struct gpu_buffer *to, uint64_t to_offset,
                       struct gpu_buffer *from, uint64_t from_offset, uint64_t bytes,
                       struct error *);
    bool (*batch_fill)(struct gpu_batch *, struct gpu_buffer *, uint64_t offset, uint64_t bytes,
                       uint32_t word, struct error *);
    bool (*batch_barrier)(struct gpu_batch *, enum gpu_barrier, struct error *);
    // The next two slots are optional. For NULL the front end calls batch_barrier with MEMORY.
    bool (*batch_barrier_buffer)(struct gpu_batch *, struct gpu_buffer *, struct error *);
    bool (*batch_barrier_image)(struct gpu_batch *, struct gpu_image *, struct error *);
    bool (*batch_split)(struct gpu_batch *, unsigned split, bool wait,
                        struct error *); // required for SPLITS
    bool (*batch_span)(struct gpu_batch *, unsigned span, bool end, struct error *);
    bool (*batch_end)(struct gpu_batch *, struct error *);
    bool (*batch_reset)(struct gpu_batch *, struct error *);
    // Submits a batch that is ready, without checks and without allocation. `hold` may be NULL or
    // already released. The batch starts after the latest submission of each batch in batch->after,
    // which may already be done.
    bool (*batch_submit)(struct gpu_batch *, struct gpu_hold *hold, struct error *);
    // Called only for a batch in flight.
    bool (*batch_wait)(struct gpu_batch *, uint64_t timeout_ns, struct error *);
    bool (*batch_span_ns)(struct gpu_batch *, unsigned span, double *ns, struct error *);

    struct gpu_hold *(*hold_create)(struct gpu_scope *, struct error *); // required for HOLDS
    bool (*hold_release)(struct gpu_hold *, struct error *);             // required for HOLDS

    const struct gpu_graphics *graphics; // required for GRAPHICS
    const struct gpu_rays *rays;         // required for RAYS
    const struct gpu_peers *peers;       // required for PEERS
    const struct gpu_managed *managed;   // required for MANAGED

    const struct gpu_counting *counting; // NULL: fathom reads no hardware counters through this API

    // Frees what a _create slot made. The device no longer uses the object.
    void (*object_destroy)(struct gpu_object *object);
};

// True if `a` and `b`, two lists of arguments for `kernel`, name the same objects and ranges.
// Ignores GPU_ARG_ADDRESS arguments.
bool gpu_args_equal(const struct gpu_kernel *kernel, const struct gpu_arg *a,
                    const struct gpu_arg *b);

// The list of all backends, in order of preference; it ends with NULL. It is in gpu/list.c and, for
// the test program, in tests/fakes.
extern const struct gpu_backend *const gpu_backends[];

#endif
