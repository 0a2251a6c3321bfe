// SPDX-License-Identifier: MIT
// What a backend implements. gpu/*.c checks every call and keeps the lists of objects; a backend
// makes its objects (structs that begin with the neutral one, from the scope's arena) and may
// assume valid input. Same file names in every folder of a real API: backend.c device.c memory.c
// program.c batch.c api.h.
//
// Who fills what: a _create slot fills what its comment below names; all other neutral members are
// the front's, set right after the slot returned. Descriptions arrive with their defaults resolved:
// no queue is NULL, no size or count 0, no range open, queue_count at least 1. A failing slot has
// freed all it made, filled the error, and left the device usable unless it is lost.
//
// Who orders: the backend. In an ordered batch it sees to it that each command starts after the
// one before it is done and its writes are seen (streams and in-order queues do so by themselves;
// Vulkan records a barrier). In an unordered one it orders only at batch_barrier and at spans.
#ifndef GPU_BACKEND_H
#define GPU_BACKEND_H

#include "gpu/graphics.h"
#include "gpu/managed.h"
#include "gpu/peers.h"

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
};

// Head of every object in a scope: a list, newest first.
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
    void *mapped;     // NULL for DEVICE
};

struct gpu_typed {
    struct gpu_object object;
    struct gpu_buffer *buffer;
    enum gpu_format format;
    uint64_t offset, elements;
    bool writable; // can be GPU_ARG_TYPED_RW
};

struct gpu_image {
    struct gpu_object object;
    struct gpu_image_desc desc; // with zeros resolved
    bool filterable;            // linear filters may be used with it
};

struct gpu_sampler {
    struct gpu_object object;
    struct gpu_sampler_desc desc;
};

struct gpu_program {
    struct gpu_object object;
    const struct gpu_kernel *kernel;
    struct gpu_program_stats *stats; // asked for before; NULL: not yet
};

enum gpu_batch_state {
    GPU_BATCH_RECORDING,
    GPU_BATCH_READY,     // ended; never submitted, or its last submission is done
    GPU_BATCH_IN_FLIGHT, // submitted and not yet waited for
    GPU_BATCH_FAILED     // by recording (first_error says how) or with the device
};

struct gpu_batch {
    struct gpu_object object;
    struct gpu_queue *queue;
    struct gpu_batch_desc desc;
    enum gpu_batch_state state;
    struct error first_error;           // while recording
    unsigned commands;                  // recorded so far
    int open_span;                      // -1: none
    uint64_t spans_recorded;            // bit set
    uint64_t splits_set, splits_waited; // bit sets
    bool finished;                      // a submission was waited for: spans have lengths
    // What the submission in flight waits for: a hold or NULL, and batches submitted before it. Set
    // before batch_submit is called.
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
    struct gpu_image *image; // part of the target: it is in no list
    bool blends;
};

struct gpu_draw_program {
    struct gpu_object object;
    const struct gpu_kernel *args; // the kernel whose arguments a draw gives
    enum gpu_format format;
    bool depth; // of the targets that it is for
};

struct gpu_queue {
    struct gpu_device *device;
    struct gpu_queue_request request;
    unsigned family; // in gpu_info.families
};

struct gpu_device {
    const struct gpu_backend *backend;
    const struct gpu_info *info;
    struct arena *arena; // as long as the device
    struct gpu_queue *queues[GPU_QUEUES_MAX];
    unsigned queue_count;
    size_t live_objects;
    struct gpu_scope *scopes; // list, newest first
    bool lost;                // set by the front from ERROR_DEVICE_LOST: all later calls fail
    bool hung;                // a closing scope waited in vain: nothing is destroyed any more
};

struct gpu_scope {
    struct gpu_device *device;
    struct arena *arena; // as long as the scope; objects live here
    struct gpu_object *newest;
    struct gpu_scope *older;
};

// Where a backend's enumeration writes to.
struct gpu_enumeration {
    struct arena *arena; // as long as the system
    const struct gpu_system_desc *desc;
    void (*add_device)(struct gpu_enumeration *, const struct gpu_info *info); // copies
    void (*add_unavailable)(struct gpu_enumeration *, const char *reason, const char *remedy);
};

// Behind gpu/graphics.h.
struct gpu_graphics {
    // Fills image, whose object and desc are the front's, and blends.
    struct gpu_target *(*target_create)(struct gpu_scope *, const struct gpu_target_desc *,
                                        struct error *);
    // `args` as in struct gpu_draw_program.
    struct gpu_draw_program *(*program_create)(struct gpu_scope *,
                                               const struct gpu_draw_program_desc *,
                                               const struct gpu_kernel *args, struct error *);
    bool (*batch_draw)(struct gpu_batch *, const struct gpu_draw *, struct error *);
    bool (*batch_barrier_target)(struct gpu_batch *, struct gpu_target *, struct error *);
    bool (*batch_copy_target)(struct gpu_batch *, struct gpu_buffer *to, uint64_t to_offset,
                              struct gpu_target *, struct error *);
};

// Behind gpu/peers.h. Both devices are of this backend.
struct gpu_peers {
    bool (*connect)(struct gpu_device *from, struct gpu_device *to, bool *direct, struct error *);
    bool (*batch_copy)(struct gpu_batch *, const struct gpu_peers_copy *, struct error *);
};

// Behind gpu/managed.h.
struct gpu_managed {
    bool (*free_bytes)(struct gpu_device *, uint64_t *bytes, struct error *);
    bool (*advise)(struct gpu_buffer *, enum gpu_managed_advice, struct error *);
    bool (*batch_prefetch)(struct gpu_batch *, const struct gpu_managed_range *, struct error *);
};

// A backend is const data; its state hangs on what load() returns. Every slot is required unless
// it says otherwise.
struct gpu_backend {
    const char *name; // "vulkan"

    // Loads the library and lists devices into `to`; returns the backend's state (NULL when there
    // is nothing to use, having said why through add_unavailable). unload(NULL) is never called.
    void *(*load)(struct gpu_enumeration *to);
    void (*unload)(void *state);

    // Optional. True where the library finds all its devices only in a process into which the
    // backends before it in the list were loaded: then they are, for this one alone too.
    bool (*after_others)(void);

    // The device struct begins with struct gpu_device and lives in `arena`. The backend fills
    // queues (with device, request, family) and queue_count.
    struct gpu_device *(*device_open)(void *state, const struct gpu_info *info,
                                      const struct gpu_device_desc *desc, struct arena *arena,
                                      struct error *err);
    // All scopes are closed. Where device->hung, it frees nothing that could block.
    void (*device_close)(struct gpu_device *device);
    size_t (*validation_messages)(const struct gpu_device *device, const char **first); // optional
    bool (*device_calibrated_timestamp)(struct gpu_device *device,
                                        struct gpu_calibrated_timestamp *timestamp); // optional

    bool (*device_choose_clock)(struct gpu_device *device, double core_hz,
                                struct error *err); // with CLOCK_CHOICE

    // Fills address and mapped.
    struct gpu_buffer *(*buffer_create)(struct gpu_scope *, const struct gpu_buffer_desc *,
                                        struct error *);
    bool (*buffer_write)(struct gpu_buffer *, uint64_t offset, const void *data, uint64_t bytes,
                         struct error *);
    bool (*buffer_read)(struct gpu_buffer *, uint64_t offset, void *data, uint64_t bytes,
                        struct error *);
    // Fills writable.
    struct gpu_typed *(*typed_create)(struct gpu_scope *, struct gpu_buffer *, enum gpu_format,
                                      uint64_t offset, uint64_t elements,
                                      struct error *); // with TYPED
    // Fills filterable.
    struct gpu_image *(*image_create)(struct gpu_scope *, const struct gpu_image_desc *,
                                      struct error *); // with IMAGES
    bool (*image_write)(struct gpu_image *, uint32_t mip, uint32_t layer, const void *texels,
                        uint64_t bytes, struct error *); // with IMAGES
    bool (*image_copy_from)(struct gpu_image *, struct gpu_buffer *, uint64_t offset,
                            struct error *); // with IMAGES
    struct gpu_sampler *(*sampler_create)(struct gpu_scope *, const struct gpu_sampler_desc *,
                                          struct error *); // with SAMPLERS

    struct gpu_program *(*program_create)(struct gpu_scope *, const struct gpu_program_desc *,
                                          struct error *);
    bool (*program_stats)(struct gpu_program *, struct arena *, struct gpu_program_stats *,
                          struct error *); // with KERNEL_STATS

    struct gpu_batch *(*batch_create)(struct gpu_scope *, const struct gpu_batch_desc *,
                                      struct error *);
    // Recording: return false with the error; the front keeps the first. batch->commands is the
    // number of dispatches, copies and fills before this one.
    bool (*batch_dispatch)(struct gpu_batch *, const struct gpu_dispatch *, struct error *);
    bool (*batch_copy)(struct gpu_batch *, struct gpu_buffer *to, uint64_t to_offset,
                       struct gpu_buffer *from, uint64_t from_offset, uint64_t bytes,
                       struct error *);
    bool (*batch_fill)(struct gpu_batch *, struct gpu_buffer *, uint64_t offset, uint64_t bytes,
                       uint32_t word, struct error *);
    bool (*batch_barrier)(struct gpu_batch *, enum gpu_barrier, struct error *);
    // Optional: where NULL, batch_barrier is called with MEMORY.
    bool (*batch_barrier_buffer)(struct gpu_batch *, struct gpu_buffer *, struct error *);
    bool (*batch_barrier_image)(struct gpu_batch *, struct gpu_image *, struct error *);
    bool (*batch_split)(struct gpu_batch *, unsigned split, bool wait,
                        struct error *); // with SPLITS
    bool (*batch_span)(struct gpu_batch *, unsigned span, bool end, struct error *);
    bool (*batch_end)(struct gpu_batch *, struct error *);
    bool (*batch_reset)(struct gpu_batch *, struct error *);
    // No check, no allocation: the batch is ready. `hold` may be NULL, or released already. It
    // starts after the latest submission of each of batch->after, which may be done already.
    bool (*batch_submit)(struct gpu_batch *, struct gpu_hold *hold, struct error *);
    // Only for a batch in flight.
    bool (*batch_wait)(struct gpu_batch *, uint64_t timeout_ns, struct error *);
    bool (*batch_span_ns)(struct gpu_batch *, unsigned span, double *ns, struct error *);

    struct gpu_hold *(*hold_create)(struct gpu_scope *, struct error *); // with HOLDS
    bool (*hold_release)(struct gpu_hold *, struct error *);             // with HOLDS

    const struct gpu_graphics *graphics; // with GRAPHICS
    const struct gpu_peers *peers;       // with PEERS
    const struct gpu_managed *managed;   // with MANAGED

    // Frees what any of the _create slots made. The object is not in use.
    void (*object_destroy)(struct gpu_object *object);
};

// True if two argument lists of `kernel` name the same objects and ranges. Addresses
// (GPU_ARG_ADDRESS) are not compared.
bool gpu_args_equal(const struct gpu_kernel *kernel, const struct gpu_arg *a,
                    const struct gpu_arg *b);

// The explicit list of backends, NULL-terminated, in order of preference: gpu/list.c, and
// tests/fakes for the test program.
extern const struct gpu_backend *const gpu_backends[];

#endif
