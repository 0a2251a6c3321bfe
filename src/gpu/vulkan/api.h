// SPDX-License-Identifier: MIT
// Declarations that the files of the Vulkan backend share. The functions of Vulkan 1.3 for
// instances are volk's global pointers. The functions of a device are in its table (functions.h).
//
//   backend.c     the loader, the instance, validation, the table of functions
//   enumerate.c   physical devices → gpu_info, with its queue families and number of cores
//   features.c    extensions and features: those of a device, and those that are enabled
//   device.c      logical device, queues, the profiling lock;  functions.h  functions of a device
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
#include "gpu/vulkan/functions.h"

// Device extensions that fathom uses if the device has them. None of them is required. A device
// that has KHR_portability_subset (MoltenVK) requires that a program enables it.
#define VULKAN_EXTENSIONS(X)                                                                       \
    X(KHR_shader_clock)                                                                            \
    X(KHR_pipeline_executable_properties)                                                          \
    X(KHR_performance_query)                                                                       \
    X(KHR_global_priority)                                                                         \
    X(EXT_global_priority)                                                                         \
    X(NV_shader_sm_builtins)                                                                       \
    X(NV_cooperative_matrix)                                                                       \
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
    X(KHR_ray_tracing_pipeline)                                                                    \
    X(KHR_portability_subset)

struct vulkan_extensions {
#define X(name) bool name;
    VULKAN_EXTENSIONS(X)
#undef X
};

// A pNext chain of feature structs. These are either the features that a device has, or the
// features that fathom enables when it opens the device.
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
    VkPhysicalDeviceRobustness2FeaturesEXT robustness2;
    VkPhysicalDeviceShaderAtomicFloatFeaturesEXT atomic_float;
    VkPhysicalDeviceAccelerationStructureFeaturesKHR trees;
    VkPhysicalDeviceRayQueryFeaturesKHR ray_query;
    VkPhysicalDeviceRayTracingPipelineFeaturesKHR ray_pipeline;
};

struct vulkan_physical {
    VkPhysicalDevice handle;
    VkPhysicalDeviceMemoryProperties memory;
    struct vulkan_extensions extensions;
    struct vulkan_features features;     // features of the device; their pNext is not valid
    uint32_t families[GPU_FAMILIES_MAX]; // families[i] is Vulkan's index of gpu_info.families[i]
    bool subgroup_choice, full_subgroups;
    float max_anisotropy;
    // tree_primitives, tree_instances: maximum number of primitives and of instances in a tree.
    uint64_t tree_primitives, tree_instances;
    // Alignment in bytes of the temporary memory with which a tree is built.
    uint64_t scratch_align_bytes;
    // Bytes of a shader group's handle (ray_handle_bytes), and alignment in bytes of an entry in a
    // shader binding table (ray_align_bytes).
    uint32_t ray_handle_bytes, ray_align_bytes;
    // Unit of time stamps in ns; gpu_limits.stamp_step_ps is this unit in whole ps.
    double stamp_ns;
};

// The state of the Vulkan backend, which its `load` returns. It lives in the system's arena.
struct vulkan_state {
    struct dynlib *loader;
    VkInstance instance;
    VkDebugUtilsMessengerEXT messenger;
    size_t messages; // number of messages that the validation layer has sent
    char first_message[1024];
    // physical[i] is the device with gpu_info.index i
    struct vulkan_physical *physical;
    size_t physical_count, physical_capacity;
    bool abandoned; // true if a device hangs; the instance is then never destroyed
};

struct vulkan_queue {
    struct gpu_queue base;
    VkQueue handle;
    uint32_t family; // Vulkan's index of the queue family
    // pipeline stages of copies and, unless the queue is a TRANSFER queue, of compute kernels
    VkPipelineStageFlags2 stages;
};

struct vulkan_buffer {
    struct gpu_buffer base;
    VkBuffer handle;
    VkDeviceMemory memory;
};

// Staging memory and a command buffer for blocking host copies, which run on the first queue.
struct vulkan_transfer {
    VkCommandPool pool;
    VkCommandBuffer commands;
    VkFence fence;
    struct vulkan_buffer staging;
};

struct vulkan_device {
    struct gpu_device base;
    struct vulkan_state *state;
    const struct vulkan_physical *physical;
    const struct gpu_info *info;
    VkDevice handle;
    struct vulkan_functions vk;
    struct vulkan_queue queues[GPU_QUEUES_MAX];
    uint32_t families[GPU_QUEUES_MAX]; // Vulkan's indices of the queue families in use, each once
    uint32_t family_count;
    struct vulkan_transfer transfer;
    unsigned locks;     // number of holders of the profiling lock
    bool counters_open; // true while hardware counters are open
    // The counter set that counts the present submission; NULL if there is none.
    struct vulkan_counter_set *counted;
    // `spare`: list of Vulkan objects for reuse; `empty`: list of structs without objects
    struct vulkan_spare *spare, *empty;
};

struct vulkan_typed {
    struct gpu_typed base;
    VkBuffer alias; // second VkBuffer over the memory of the buffer, for the typed view only
    VkBufferView view;
};

struct vulkan_image {
    struct gpu_image base;
    VkImage handle;
    VkDeviceMemory memory;
    VkImageView view;
    VkImageLayout layout; // layout in which kernels access the image
};

struct vulkan_sampler {
    struct gpu_sampler base;
    VkSampler handle;
};

struct vulkan_layouts {
    VkDescriptorSetLayout set; // descriptor set layout; VK_NULL_HANDLE if the kernel needs none
    VkPipelineLayout pipeline;
};

struct vulkan_program {
    struct gpu_program base;
    struct gpu_program_desc desc;
    struct vulkan_layouts layouts;
    VkPipeline pipeline;
    struct vulkan_ray_table *table; // shader binding table; NULL for compute kernels
};

struct vulkan_descriptors {
    VkDescriptorPool *pools;
    size_t count, capacity;
    size_t current;
};

struct vulkan_batch {
    struct gpu_batch base;
    const struct vulkan_queue *queue;
    VkPipelineStageFlags2 stages; // pipeline stages of all commands that the batch may contain
    VkCommandPool pool;
    VkCommandBuffer commands;
    // The primary command buffer that executes `commands`, which is then a secondary one. If the
    // hardware counters were not open when the batch was created, `whole` is VK_NULL_HANDLE and
    // `commands` is the primary command buffer.
    VkCommandBuffer whole;
    VkQueryPool stamps;
    // splits[i] is the event of split barrier i. The host resets it after each wait for the batch.
    VkEvent *splits;
    // Time stamps of the latest finished submission. Span i has the elements 2 i and 2 i + 1.
    struct vulkan_stamp {
        uint64_t value, available;
    } * stamp_values;
    bool barrier_due; // true if a barrier must be recorded before the next command
    struct vulkan_descriptors descriptors;
    struct gpu_dispatch last; // dispatch whose arguments are in the descriptor set last_set
    VkDescriptorSet last_set;
    const struct vulkan_program *last_program;
    struct vulkan_pass *pass; // state of draws; NULL if the batch was created without `draws`
    // Timeline semaphore that counts finished submissions. It may come from a destroyed batch; the
    // count then continues.
    VkSemaphore done;
    VkSemaphoreSubmitInfo signal, waits[1 + GPU_AFTER_MAX];
    VkCommandBufferSubmitInfo commands_info;
    // The prepared submission, which points to `signal`, `waits` and `commands_info`.
    VkSubmitInfo2 submit;
};

// The Vulkan objects of a destroyed batch, for reuse by a batch with the same queue family and
// number of spans. Lives in the device's arena.
struct vulkan_spare {
    struct vulkan_spare *next;
    uint32_t family;
    unsigned span_count;
    VkCommandPool pool;
    VkCommandBuffer commands;
    VkQueryPool stamps;
    struct vulkan_descriptors descriptors;
    VkSemaphore done;
    uint64_t submissions; // number of finished submissions, which is the value of `done`
};

struct vulkan_hold {
    struct gpu_hold base;
    VkSemaphore semaphore; // timeline semaphore; its value 1 means that the hold is released
};

static inline struct vulkan_device *vulkan_device_of(const struct gpu_object *object)
{
    return (struct vulkan_device *)object->scope->device;
}

static inline struct vulkan_device *vulkan_scope_device(const struct gpu_scope *scope)
{
    return (struct vulkan_device *)scope->device;
}

static inline struct vulkan_device *vulkan_batch_device(const struct vulkan_batch *batch)
{
    return vulkan_device_of(&batch->base.object);
}

// Maximum time in ns for which the host polls for the end of work, before it starts a blocking
// wait.
#define VULKAN_LOOK_NS (5 * NS_PER_MS)

// ---------------------------------------------------------------- result.c

// Fails with the error code that matches `result`, which must not be VK_SUCCESS. The message is
// "WHAT: VK_ERROR_…", or "WHAT: VkResult NUMBER" if fathom knows no name; WHAT is made from the
// argument `what`.
bool vulkan_error(struct error *err, VkResult result, const char *what, ...) PRINTF_LIKE(3, 4);

// ---------------------------------------------------------------- enumerate.c, features.c

// Reports all devices with Vulkan 1.3 or later to `to`, and adds them to state->physical. Devices
// with an older Vulkan are listed as unavailable.
void vulkan_enumerate(struct vulkan_state *state, struct gpu_enumeration *to);

// Finds out which of VULKAN_EXTENSIONS the device has. If it has both extensions for global
// priorities, EXT_global_priority is false. Temporary memory comes from `scratch`.
void vulkan_extensions_query(VkPhysicalDevice device, struct arena *scratch,
                             struct vulkan_extensions *extensions);

// Writes to `names` the names of the extensions whose member in `extensions` is true, for
// vkCreateDevice. Returns the number of names. `names` needs as many elements as vulkan_extensions
// has members.
uint32_t vulkan_extensions_list(const struct vulkan_extensions *extensions, const char **names);

void vulkan_features_query(VkPhysicalDevice device, const struct vulkan_extensions *extensions,
                           struct vulkan_features *features);

// Sets `want` to the features with which fathom opens a device. They form a pNext chain that begins
// at &want->core.
void vulkan_features_want(const struct vulkan_physical *physical, bool robust,
                          struct vulkan_features *want);

// ---------------------------------------------------------------- device.c, transfer.c

// The first call of vulkan_profiling_lock takes the driver's profiling lock; the last call of
// vulkan_profiling_unlock releases it. Each successful lock call needs one unlock call. If the
// driver refuses the lock, the error message says what the user can do.
MUST_CHECK bool vulkan_profiling_lock(struct vulkan_device *device, struct error *err);
void vulkan_profiling_unlock(struct vulkan_device *device);

// vulkan_transfer_need creates staging memory and a command buffer, unless they exist. Each
// transfer calls it. The opening of a device does not, because RADV without hardware (in tests) has
// no memory for these objects. vulkan_transfer_fini destroys the objects if they exist.
MUST_CHECK bool vulkan_transfer_need(struct vulkan_device *device, struct error *err);
void vulkan_transfer_fini(struct vulkan_device *device);

// vulkan_transfer_begin begins transfer.commands with a barrier, so that the commands recorded next
// see what earlier batches wrote. vulkan_transfer_end submits the commands and waits, at most 10 s.
// If the wait fails, the device counts as lost, and as hung unless the error is ERROR_DEVICE_LOST.
MUST_CHECK bool vulkan_transfer_begin(struct vulkan_device *device, struct error *err);
MUST_CHECK bool vulkan_transfer_end(struct vulkan_device *device, struct error *err);

enum {
    VULKAN_STAGING_BYTES = 4 * 1024 * 1024
};

// ---------------------------------------------------------------- memory.c, image.c

struct vulkan_allocation {
    VkMemoryRequirements needs;
    enum gpu_memory memory;
    bool address; // true if kernels use the address of the memory
    const char *what;
};

// Allocates memory of the most suitable type. Fails with ERROR_UNSUPPORTED if no type is suitable,
// and with ERROR_OUT_OF_MEMORY if there is not enough memory; the message then has the size.
MUST_CHECK bool vulkan_memory_allocate(const struct vulkan_device *device,
                                       const struct vulkan_allocation *allocation,
                                       VkDeviceMemory *memory, struct error *err);

// Creates a VkBuffer that the queues of all families in use may access.
MUST_CHECK bool vulkan_buffer_make(const struct vulkan_device *device, uint64_t bytes,
                                   VkBufferUsageFlags usage, VkBuffer *buffer, struct error *err);

// Creates the VkBuffer of `buffer` and its memory. Sets base.mapped unless the memory is
// GPU_MEMORY_DEVICE, and base.address if `usage` asks for an address. `what` is the name of the
// buffer in error messages. If this fails, the caller must call vulkan_buffer_destroy.
MUST_CHECK bool vulkan_buffer_init(const struct vulkan_device *device,
                                   const struct gpu_buffer_desc *desc, VkBufferUsageFlags usage,
                                   const char *what, struct vulkan_buffer *buffer,
                                   struct error *err);
void vulkan_buffer_destroy(struct vulkan_device *device, struct vulkan_buffer *buffer);

VkFormat vulkan_format(enum gpu_format format);
VkFormatFeatureFlags vulkan_format_features(const struct vulkan_device *device, VkFormat format);

// What a VkImage is used for; an argument of vulkan_image_make.
struct vulkan_image_use {
    VkFormat format;
    VkImageUsageFlags usage;
    VkImageAspectFlags aspect;
    const char *what; // name of the image in error messages
};

// Creates an image with its memory and a view of the whole image. Queues of all families in use may
// access the image. If this fails, the caller must call vulkan_image_destroy.
MUST_CHECK bool vulkan_image_make(const struct vulkan_device *device,
                                  const struct gpu_image_desc *desc,
                                  const struct vulkan_image_use *use, struct vulkan_image *image,
                                  struct error *err);

// A barrier for an image, between earlier commands (stages `after`) and later commands (stages
// `before`). If `from` and `to` differ, the barrier also changes the layout of the image.
struct vulkan_image_change {
    VkImage image;
    const VkImageSubresourceRange *part; // NULL means all mip levels and layers of a colour image
    VkImageLayout from, to;
    VkPipelineStageFlags2 after, before;
    // `written`: accesses of the earlier commands. `used`: accesses of the later commands.
    VkAccessFlags2 written, used;
};
void vulkan_image_barrier(const struct vulkan_device *device, VkCommandBuffer commands,
                          const struct vulkan_image_change *change);

void vulkan_typed_destroy(struct vulkan_device *device, struct vulkan_typed *typed);
void vulkan_image_destroy(struct vulkan_device *device, struct vulkan_image *image);
void vulkan_sampler_destroy(struct vulkan_device *device, struct vulkan_sampler *sampler);

// ---------------------------------------------------------------- program.c, stats.c

// Creates a program of a compute kernel; vulkan_ray_program_create creates the programs of RAYGEN
// kernels.
GPU_SLOT(gpu_backend, program_create) vulkan_compute_program_create;
void vulkan_program_destroy(struct vulkan_device *device, struct vulkan_program *program);

// Creates the layouts (VkDescriptorSetLayout, VkPipelineLayout) of a kernel's arguments for use in
// `stages`. vulkan_program_destroy and vulkan_draw_program_destroy destroy the layouts.
MUST_CHECK bool vulkan_layouts_init(const struct vulkan_device *device,
                                    const struct gpu_kernel *kernel, VkShaderStageFlags stages,
                                    struct vulkan_layouts *layouts, struct error *err);
MUST_CHECK bool vulkan_module_create(const struct vulkan_device *device,
                                     const struct gpu_kernel *kernel, VkShaderModule *module,
                                     struct error *err);

// Creates the compute pipeline of the program with `flags`. The caller owns the pipeline.
MUST_CHECK bool vulkan_pipeline_create(const struct vulkan_device *device,
                                       const struct vulkan_program *program,
                                       VkPipelineCreateFlags flags, VkPipeline *pipeline,
                                       struct error *err);

// Returns the Vulkan descriptor type for a kind of argument, which must not be GPU_ARG_ADDRESS.
VkDescriptorType vulkan_descriptor_type(enum gpu_arg_kind kind);

// ---------------------------------------------------------------- spare.c

// Gives the batch the Vulkan objects of a destroyed batch with the same queue family and number of
// spans. Returns false if there are no such objects, their reset fails, or hardware counters are
// open; the caller then creates new objects.
bool vulkan_spare_take(struct vulkan_device *device, struct vulkan_batch *batch);

// Keeps the Vulkan objects of a batch for reuse, or destroys them if they cannot be used again. The
// batch must not be in flight.
void vulkan_spare_put(struct vulkan_device *device, const struct vulkan_batch *batch);

void vulkan_spare_fini(struct vulkan_device *device);

// ---------------------------------------------------------------- batch.c

void vulkan_batch_destroy(struct vulkan_device *device, struct vulkan_batch *batch);
void vulkan_hold_destroy(struct vulkan_device *device, struct vulkan_hold *hold);

// ---------------------------------------------------------------- counters.c

extern const struct gpu_counting vulkan_counting;

// Returns the submission that replaces batch->submit while the counter set counts the batch. It has
// the same semaphores, but a command buffer of the set. Returns NULL with the error if this fails.
const VkSubmitInfo2 *vulkan_counted_submit(struct vulkan_counter_set *set,
                                           const struct vulkan_batch *batch, struct error *err);

// ---------------------------------------------------------------- record.c, descriptors.c

// Returns the pipeline stages of all copies, kernels and builds of trees in the batch. The
// fixed-function stages of draws are not included.
VkPipelineStageFlags2 vulkan_kernel_stages(const struct vulkan_batch *batch);

// Ends the render pass of the batch if one is open. May be called for every batch.
void vulkan_pass_leave(struct vulkan_batch *batch);

// Must be called before each command that is not a draw. Ends the render pass if one is open, and
// records the barrier that the command needs, if any.
void vulkan_batch_order(struct vulkan_batch *batch);

struct vulkan_bindings {
    const struct gpu_kernel *kernel;
    const struct gpu_arg *args;
    const void *params;
    size_t params_bytes;
};

// Writes the push constants of a kernel to `bytes`: the addresses, then the params (gpu/gpu.h).
// Returns their size in bytes.
uint32_t vulkan_push_constants(const struct vulkan_bindings *bindings,
                               unsigned char bytes[GPU_PARAMS_MAX_BYTES]);

// Allocates a descriptor set and writes the arguments to it. It is valid until
// vulkan_descriptors_reset.
MUST_CHECK bool vulkan_descriptors_take(struct vulkan_batch *batch, VkDescriptorSetLayout layout,
                                        const struct vulkan_bindings *bindings,
                                        VkDescriptorSet *set, struct error *err);
void vulkan_descriptors_reset(const struct vulkan_device *device,
                              struct vulkan_descriptors *descriptors);
void vulkan_descriptors_fini(const struct vulkan_device *device,
                             struct vulkan_descriptors *descriptors);

// ---------------------------------------------------------------- slots of the backend

#define X(slot) GPU_SLOT(gpu_backend, slot) vulkan_##slot;
GPU_SLOTS(X)
#undef X
GPU_SLOT(gpu_backend, device_hold_clock) vulkan_device_hold_clock;
GPU_SLOT(gpu_backend, device_free_clock) vulkan_device_free_clock;
GPU_SLOT(gpu_backend, program_stats) vulkan_program_stats;
GPU_SLOT(gpu_backend, batch_barrier_buffer) vulkan_batch_barrier_buffer;
GPU_SLOT(gpu_backend, batch_barrier_image) vulkan_batch_barrier_image;
GPU_SLOT(gpu_backend, batch_split) vulkan_batch_split;

#endif
