// SPDX-License-Identifier: MIT
// What the files of the Vulkan backend share. The backend uses Vulkan 1.3 through volk, without a
// link to libvulkan: instance functions are volk's global pointers, device functions are in the
// device's table.
//
//   backend.c     the loader, the instance, validation, the table of slots
//   enumerate.c   physical devices → gpu_info, with its queue families and number of cores
//   features.c    extensions and features: those of a device, and those that are enabled
//   device.c      logical device, queues, the profiling lock
//   transfer.c    blocking copies between host and device
//   memory.c      allocations and buffers;  image.c  images, samplers, typed views
//   program.c     pipelines;  stats.c  the driver's statistics of compiled kernels
//   batch.c       command buffers, submission, holds;  record.c  recording commands
//   spare.c       keeps objects of destroyed batches for reuse
//   descriptors.c descriptor sets of a batch
//   graphics.h    drawing;  rays.h  acceleration structures, ray pipelines
//   counters.c    hardware counters
//   result.c      VkResult → struct error
#ifndef GPU_VULKAN_API_H
#define GPU_VULKAN_API_H

#include "gpu/backend.h"

#include <volk.h>

// Device extensions that are used if the device has them. None is required.
#define VULKAN_EXTENSIONS(X)                                                                       \
    X(KHR_shader_clock)                                                                            \
    X(KHR_pipeline_executable_properties)                                                          \
    X(KHR_performance_query)                                                                       \
    X(KHR_global_priority)                                                                         \
    X(EXT_global_priority)                                                                         \
    X(NV_shader_sm_builtins)                                                                       \
    X(NV_cooperative_matrix)                                                                       \
    X(KHR_cooperative_matrix)                                                                      \
    X(AMD_shader_core_properties)                                                                  \
    X(AMD_shader_core_properties2)                                                                 \
    X(EXT_memory_budget)                                                                           \
    X(EXT_pci_bus_info)                                                                            \
    X(EXT_calibrated_timestamps)                                                                   \
    X(EXT_robustness2)                                                                             \
    X(EXT_shader_atomic_float)                                                                     \
    X(KHR_deferred_host_operations)                                                                \
    X(KHR_acceleration_structure)                                                                  \
    X(KHR_ray_query)                                                                               \
    X(KHR_ray_tracing_pipeline)

struct vulkan_extensions {
#define X(name) bool name;
    VULKAN_EXTENSIONS(X)
#undef X
};

// The features of VK_KHR_cooperative_matrix (vk.xml). The headers 1.3.239 of Debian 12 lack them.
struct vulkan_matrix_features {
    VkStructureType sType;
    void *pNext;
    VkBool32 cooperativeMatrix;
    VkBool32 cooperativeMatrixRobustBufferAccess;
};

// A chain of feature structs, for querying features and for opening a device with them.
struct vulkan_features {
    VkPhysicalDeviceFeatures2 core;
    VkPhysicalDeviceVulkan11Features v11;
    VkPhysicalDeviceVulkan12Features v12;
    VkPhysicalDeviceVulkan13Features v13;
    VkPhysicalDeviceShaderClockFeaturesKHR clock;
    VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR executable;
    VkPhysicalDevicePerformanceQueryFeaturesKHR counters;
    VkPhysicalDeviceShaderSMBuiltinsFeaturesNV sm;
    VkPhysicalDeviceCooperativeMatrixFeaturesNV matrix_nv;
    struct vulkan_matrix_features matrix;
    VkPhysicalDeviceRobustness2FeaturesEXT robustness2;
    VkPhysicalDeviceShaderAtomicFloatFeaturesEXT atomic_float;
    VkPhysicalDeviceAccelerationStructureFeaturesKHR trees;
    VkPhysicalDeviceRayQueryFeaturesKHR ray_query;
    VkPhysicalDeviceRayTracingPipelineFeaturesKHR ray_pipeline;
};

struct vulkan_physical {
    VkPhysicalDevice handle;
    struct vulkan_extensions extensions;
    struct vulkan_features features;      // all features of the device; pNext is not valid
    uint32_t families[GPU_FAMILIES_MAX];  // Vulkan's family for gpu_info.families[i]
    bool subgroup_choice, full_subgroups; // what compute kernels may demand
    float max_anisotropy;
    uint64_t tree_primitives, tree_instances; // most in one acceleration structure
    uint64_t scratch_align_bytes;             // alignment of the memory for building one
    // For shader binding tables: bytes of the handle of a shader group, and alignment of an entry.
    uint32_t ray_handle_bytes, ray_align_bytes;
    double stamp_ns; // one unit of a time stamp; gpu_limits.stamp_step_ps is this value, rounded
};

// The backend's state, which gpu_backend.load returns. Lives in the system's arena.
struct vulkan_state {
    struct dynlib *loader;
    VkInstance instance;
    VkDebugUtilsMessengerEXT messenger;
    size_t messages; // number of messages from the validation layer
    char first_message[1024];
    struct vulkan_physical *physical; // indexed by gpu_info.index
    size_t physical_count, physical_capacity;
    bool abandoned; // a device hung, so the instance must not be destroyed
};

struct vulkan_queue {
    struct gpu_queue base;
    VkQueue handle;
    uint32_t family;              // Vulkan's family index
    VkPipelineStageFlags2 stages; // stages that barriers in its batches cover
};

// Staging memory and a command buffer, for blocking copies on the first queue.
struct vulkan_transfer {
    VkCommandPool pool;
    VkCommandBuffer commands;
    VkFence fence;
    VkBuffer buffer;
    VkDeviceMemory memory;
    void *mapped;
};

struct vulkan_device {
    struct gpu_device base;
    struct vulkan_state *state;
    const struct vulkan_physical *physical;
    const struct gpu_info *info;
    VkDevice handle;
    struct VolkDeviceTable vk;
    VkPhysicalDeviceMemoryProperties memory;
    struct vulkan_queue queues[GPU_QUEUES_MAX];
    uint32_t families[GPU_QUEUES_MAX]; // Vulkan's indices of the families in use, each once
    uint32_t family_count;
    struct vulkan_transfer transfer;
    unsigned locks;                     // how many hold the driver's profiling lock
    bool counters_open;                 // hardware counters are open
    struct vulkan_counter_set *counted; // the set that counts submissions now; NULL: none does
    struct vulkan_spare *spare,
        *empty; // two lists: objects of destroyed batches, for reuse; structs for new entries
};

struct vulkan_buffer {
    struct gpu_buffer base;
    VkBuffer handle;
    VkDeviceMemory memory;
};

struct vulkan_typed {
    struct gpu_typed base;
    VkBuffer alias; // the same memory as a second VkBuffer that has texel usage only
    VkBufferView view;
};

struct vulkan_image {
    struct gpu_image base;
    VkImage handle;
    VkDeviceMemory memory;
    VkImageView view;
    VkImageLayout layout; // the layout outside of copies and draws
};

struct vulkan_sampler {
    struct gpu_sampler base;
    VkSampler handle;
};

struct vulkan_layouts {
    VkDescriptorSetLayout set; // VK_NULL_HANDLE: no descriptors
    VkPipelineLayout pipeline;
};

struct vulkan_program {
    struct gpu_program base;
    struct gpu_program_desc desc;
    struct vulkan_layouts layouts;
    VkPipeline pipeline;
    struct vulkan_ray_table *table; // NULL: a compute kernel
};

struct vulkan_descriptors {
    VkDescriptorPool *pools;
    size_t count, capacity;
    size_t current;
};

struct vulkan_batch {
    struct gpu_batch base;
    const struct vulkan_queue *queue;
    VkPipelineStageFlags2 stages; // stages that its barriers cover
    bool unordered;
    unsigned span_count, split_count;
    VkCommandPool pool;
    VkCommandBuffer commands;
    // The primary command buffer that executes `commands`, if the batch was created while hardware
    // counters were open. VK_NULL_HANDLE: `commands` is a primary one.
    VkCommandBuffer whole;
    VkQueryPool stamps;
    VkEvent *splits; // the host resets them when a submission is done
    struct vulkan_stamp {
        uint64_t value, available;
    } * stamp_values; // time stamps of the latest finished submission; two per span
    bool barrier_due; // an ordered batch needs a barrier before its next command
    struct vulkan_descriptors descriptors;
    struct gpu_dispatch last; // the dispatch that last_set was written for
    VkDescriptorSet last_set;
    const struct vulkan_program *last_program;
    struct vulkan_pass *pass; // NULL: the batch was created without `draws`
    VkSemaphore done;         // timeline semaphore; counts finished submissions, also those of the
                              // destroyed batch that it was taken from
    VkSemaphoreSubmitInfo signal, waits[1 + GPU_AFTER_MAX];
    VkCommandBufferSubmitInfo commands_info;
    VkSubmitInfo2 submit; // points to signal, waits and commands_info
};

// Vulkan objects of a destroyed batch, for the next batch of the same kind: creating and destroying
// them costs far more than recording a few commands. Lives in the device's arena.
struct vulkan_spare {
    struct vulkan_spare *next;
    uint32_t family;
    unsigned span_count;
    VkCommandPool pool;
    VkCommandBuffer commands;
    VkQueryPool stamps;
    struct vulkan_descriptors descriptors;
    VkSemaphore done;
    uint64_t submissions; // number of finished submissions: the value of `done`
};

struct vulkan_hold {
    struct gpu_hold base;
    VkSemaphore semaphore; // timeline semaphore; value 1: released
};

static inline struct vulkan_device *vulkan_device_of(const struct gpu_object *object)
{
    return (struct vulkan_device *)object->scope->device;
}

static inline struct vulkan_device *vulkan_scope_device(const struct gpu_scope *scope)
{
    return (struct vulkan_device *)scope->device;
}

// How long the host polls for the end of work before it lets the driver block.
#define VULKAN_LOOK_NS (5 * NS_PER_MS)

// ---------------------------------------------------------------- result.c

// Fills an error "WHAT: VK_ERROR_…", with the code that matches `result`, and returns false.
// `result` must not be VK_SUCCESS.
bool vulkan_error(struct error *err, VkResult result, const char *what, ...) PRINTF_LIKE(3, 4);

// ---------------------------------------------------------------- enumerate.c, features.c

// Passes all devices with Vulkan 1.3 to `to`, and adds them to state->physical.
void vulkan_enumerate(struct vulkan_state *state, struct gpu_enumeration *to);

// Finds out which of VULKAN_EXTENSIONS the device has. The results of the query stay in `scratch`.
void vulkan_extensions_query(VkPhysicalDevice device, struct arena *scratch,
                             struct vulkan_extensions *extensions);

// Writes the names of the extensions that are set in `extensions` to `names`, for vkCreateDevice,
// and returns their number: at most one per member of vulkan_extensions.
uint32_t vulkan_extensions_list(const struct vulkan_extensions *extensions, const char **names);

void vulkan_features_query(VkPhysicalDevice device, const struct vulkan_extensions *extensions,
                           struct vulkan_features *features);

// Fills `want` with the features that a device is opened with. They are chained: &want->core is the
// head.
void vulkan_features_want(const struct vulkan_physical *physical, bool robust,
                          struct vulkan_features *want);

// ---------------------------------------------------------------- device.c, transfer.c

struct gpu_device *vulkan_device_open(void *state, const struct gpu_info *info,
                                      const struct gpu_device_desc *desc, struct arena *arena,
                                      struct error *err);
void vulkan_device_close(struct gpu_device *base);

// Takes the driver's profiling lock, or fails with the remedy. Each call needs one of
// vulkan_profiling_unlock; the driver's lock is held from the first to the last.
MUST_CHECK bool vulkan_profiling_lock(struct vulkan_device *device, struct error *err);
void vulkan_profiling_unlock(struct vulkan_device *device);
bool vulkan_device_hold_clock(struct gpu_device *base, struct error *err);
void vulkan_device_free_clock(struct gpu_device *base);

// Creates staging memory and a command buffer unless they exist. The first copy does this, not the
// opening of the device, because RADV without hardware, which compiles kernels in tests, has no
// memory for them. vulkan_transfer_fini is legal even if they do not exist.
MUST_CHECK bool vulkan_transfer_need(struct vulkan_device *device, struct error *err);
void vulkan_transfer_fini(struct vulkan_device *device);

// vulkan_transfer_begin begins the device's only transfer command buffer, transfer.commands.
// vulkan_transfer_end records a barrier, submits the command buffer and waits for it. If that takes
// longer than 10 s, the device counts as lost and hung.
MUST_CHECK bool vulkan_transfer_begin(struct vulkan_device *device, struct error *err);
MUST_CHECK bool vulkan_transfer_end(struct vulkan_device *device, struct error *err);

bool vulkan_buffer_write(struct gpu_buffer *buffer, uint64_t offset, const void *data,
                         uint64_t bytes, struct error *err);
bool vulkan_buffer_read(struct gpu_buffer *buffer, uint64_t offset, void *data, uint64_t bytes,
                        struct error *err);

enum {
    VULKAN_STAGING_BYTES = 4 * 1024 * 1024
};

// ---------------------------------------------------------------- memory.c, image.c

struct vulkan_allocation {
    VkMemoryRequirements needs;
    enum gpu_memory memory;
    bool address; // kernels use the address of the memory
    const char *what;
};

// Allocates memory of the most suitable type. Fails with ERROR_UNSUPPORTED if no type is suitable,
// and with ERROR_OUT_OF_MEMORY and the size if the memory does not fit.
MUST_CHECK bool vulkan_memory_allocate(const struct vulkan_device *device,
                                       const struct vulkan_allocation *allocation,
                                       VkDeviceMemory *memory, struct error *err);

// Creates a VkBuffer that all families in use share.
MUST_CHECK bool vulkan_buffer_make(const struct vulkan_device *device, uint64_t bytes,
                                   VkBufferUsageFlags usage, VkBuffer *buffer, struct error *err);

struct gpu_buffer *vulkan_buffer_create(struct gpu_scope *scope, const struct gpu_buffer_desc *desc,
                                        struct error *err);
void vulkan_buffer_destroy(struct vulkan_device *device, struct vulkan_buffer *buffer);

VkFormat vulkan_format(enum gpu_format format);
VkFormatFeatureFlags vulkan_format_features(const struct vulkan_device *device, VkFormat format);

struct gpu_typed *vulkan_typed_create(struct gpu_scope *scope, struct gpu_buffer *base,
                                      enum gpu_format format, uint64_t offset, uint64_t elements,
                                      struct error *err);
// What an image is used for.
struct vulkan_image_use {
    VkFormat format;
    VkImageUsageFlags usage;
    VkImageAspectFlags aspect;
    const char *what; // for error messages
};

// Creates an image with its memory and a view of all of it, shared by all families in use. If it
// fails, the caller calls vulkan_image_destroy.
MUST_CHECK bool vulkan_image_make(const struct vulkan_device *device,
                                  const struct gpu_image_desc *desc,
                                  const struct vulkan_image_use *use, struct vulkan_image *image,
                                  struct error *err);

// A barrier for an image, placed after the stages `after` and before the stages `before`: work in
// `before` waits for work in `after`. If `from` and `to` differ, it also changes the layout.
struct vulkan_image_change {
    VkImage image;
    const VkImageSubresourceRange *part; // NULL: all levels and layers of a colour image
    VkImageLayout from, to;
    VkPipelineStageFlags2 after, before;
    VkAccessFlags2 written, used; // accesses in the stages `after` and in the stages `before`
};
void vulkan_image_barrier(const struct vulkan_device *device, VkCommandBuffer commands,
                          const struct vulkan_image_change *change);

struct gpu_image *vulkan_image_create(struct gpu_scope *scope, const struct gpu_image_desc *desc,
                                      struct error *err);
bool vulkan_image_write(struct gpu_image *image, uint32_t mip, uint32_t layer, const void *texels,
                        uint64_t bytes, struct error *err);
bool vulkan_image_copy_from(struct gpu_image *image, struct gpu_buffer *source, uint64_t offset,
                            struct error *err);
struct gpu_sampler *vulkan_sampler_create(struct gpu_scope *scope,
                                          const struct gpu_sampler_desc *desc, struct error *err);
void vulkan_typed_destroy(struct vulkan_device *device, struct vulkan_typed *typed);
void vulkan_image_destroy(struct vulkan_device *device, struct vulkan_image *image);
void vulkan_sampler_destroy(struct vulkan_device *device, struct vulkan_sampler *sampler);

// ---------------------------------------------------------------- program.c, stats.c

struct gpu_program *vulkan_program_create(struct gpu_scope *scope,
                                          const struct gpu_program_desc *desc, struct error *err);
void vulkan_program_destroy(struct vulkan_device *device, struct vulkan_program *program);

// Creates the layouts for a kernel's arguments, for use in `stages`. vulkan_program_destroy and
// vulkan_draw_program_destroy destroy them.
MUST_CHECK bool vulkan_layouts_init(const struct vulkan_device *device,
                                    const struct gpu_kernel *kernel, VkShaderStageFlags stages,
                                    struct vulkan_layouts *layouts, struct error *err);
MUST_CHECK bool vulkan_module_create(const struct vulkan_device *device,
                                     const struct gpu_kernel *kernel, VkShaderModule *module,
                                     struct error *err);

// Compiles the kernel with `flags`. The caller owns the pipeline.
MUST_CHECK bool vulkan_pipeline_create(const struct vulkan_device *device,
                                       const struct vulkan_program *program,
                                       VkPipelineCreateFlags flags, VkPipeline *pipeline,
                                       struct error *err);
bool vulkan_program_stats(struct gpu_program *program, struct arena *arena,
                          struct gpu_program_stats *stats, struct error *err);

// Returns the descriptor type for a kind of argument, which must not be GPU_ARG_ADDRESS.
VkDescriptorType vulkan_descriptor_type(enum gpu_arg_kind kind);

// ---------------------------------------------------------------- spare.c

// Gives the batch the objects of a destroyed batch with the same queue family and number of spans,
// after a reset of them. False if there are none, or if hardware counters are open: the batch then
// creates its own.
bool vulkan_spare_take(struct vulkan_device *device, struct vulkan_batch *batch);

// Keeps the objects of a batch for reuse; destroys them if the batch is incomplete or the device is
// lost. The batch must not be in flight.
void vulkan_spare_put(struct vulkan_device *device, const struct vulkan_batch *batch);

void vulkan_spare_fini(struct vulkan_device *device);

// ---------------------------------------------------------------- batch.c, record.c

struct gpu_batch *vulkan_batch_create(struct gpu_scope *scope, const struct gpu_batch_desc *desc,
                                      struct error *err);
void vulkan_batch_destroy(struct vulkan_device *device, struct vulkan_batch *batch);
bool vulkan_batch_end(struct gpu_batch *batch, struct error *err);
bool vulkan_batch_reset(struct gpu_batch *batch, struct error *err);
bool vulkan_batch_submit(struct gpu_batch *batch, struct gpu_hold *hold, struct error *err);
bool vulkan_batch_wait(struct gpu_batch *batch, uint64_t timeout_ns, struct error *err);
bool vulkan_batch_span_ns(struct gpu_batch *batch, unsigned span, double *ns, struct error *err);

struct gpu_hold *vulkan_hold_create(struct gpu_scope *scope, struct error *err);
bool vulkan_hold_release(struct gpu_hold *hold, struct error *err);
void vulkan_hold_destroy(struct vulkan_device *device, struct vulkan_hold *hold);

bool vulkan_batch_dispatch(struct gpu_batch *batch, const struct gpu_dispatch *dispatch,
                           struct error *err);
bool vulkan_batch_copy(struct gpu_batch *batch, struct gpu_buffer *to, uint64_t to_offset,
                       struct gpu_buffer *from, uint64_t from_offset, uint64_t bytes,
                       struct error *err);
bool vulkan_batch_fill(struct gpu_batch *batch, struct gpu_buffer *buffer, uint64_t offset,
                       uint64_t bytes, uint32_t word, struct error *err);
bool vulkan_batch_barrier(struct gpu_batch *batch, enum gpu_barrier barrier, struct error *err);
bool vulkan_batch_barrier_buffer(struct gpu_batch *batch, struct gpu_buffer *buffer,
                                 struct error *err);
bool vulkan_batch_barrier_image(struct gpu_batch *batch, struct gpu_image *image,
                                struct error *err);
bool vulkan_batch_split(struct gpu_batch *batch, unsigned split, bool wait, struct error *err);
bool vulkan_batch_span(struct gpu_batch *batch, unsigned span, bool end, struct error *err);

// ---------------------------------------------------------------- counters.c

extern const struct gpu_counting vulkan_counting;

// Returns what to submit so that the set counts the batch: batch->submit with other commands. NULL
// with the error.
const VkSubmitInfo2 *vulkan_counted_submit(struct vulkan_counter_set *set,
                                           const struct vulkan_batch *batch, struct error *err);

// ---------------------------------------------------------------- record.c, descriptors.c

// Ends the open render pass if there is one. Legal for all batches.
void vulkan_pass_leave(struct vulkan_batch *batch);

// Called before each command that is not a draw: ends the render pass, and records the barrier if
// one is due.
void vulkan_batch_order(struct vulkan_batch *batch);

struct vulkan_bindings {
    const struct gpu_kernel *kernel;
    const struct gpu_arg *args;
    const void *params;
    size_t params_bytes;
};

// Writes the push constants in the order that gpu.h describes: addresses, then params. Returns
// their size in bytes.
uint32_t vulkan_push_constants(const struct vulkan_bindings *bindings,
                               unsigned char bytes[GPU_PARAMS_MAX_BYTES]);

// Allocates and writes a descriptor set. It is valid until vulkan_descriptors_reset.
MUST_CHECK bool vulkan_descriptors_take(struct vulkan_batch *batch, VkDescriptorSetLayout layout,
                                        const struct vulkan_bindings *bindings,
                                        VkDescriptorSet *set, struct error *err);
void vulkan_descriptors_reset(const struct vulkan_device *device,
                              struct vulkan_descriptors *descriptors);
void vulkan_descriptors_fini(const struct vulkan_device *device,
                             struct vulkan_descriptors *descriptors);

#endif
