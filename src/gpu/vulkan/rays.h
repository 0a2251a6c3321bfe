// SPDX-License-Identifier: MIT
// Rays through Vulkan: acceleration structures (rays.c) and ray pipelines (trace.c).
#ifndef GPU_VULKAN_RAYS_H
#define GPU_VULKAN_RAYS_H

#include "gpu/vulkan/api.h"

struct vulkan_tree {
    struct gpu_tree base;
    VkAccelerationStructureKHR handle;
    // `storage` is the buffer of the tree. `scratch` is the temporary memory of builds. If the tree
    // can only be the destination of copies, the handles of `scratch` are VK_NULL_HANDLE.
    struct vulkan_buffer storage, scratch;
    VkDeviceAddress scratch_address; // address in `scratch` with the alignment that a build needs
};

// Creates a buffer in device memory that has an address. If this fails, the caller must call
// vulkan_buffer_destroy.
MUST_CHECK bool vulkan_ray_buffer(const struct vulkan_device *device, uint64_t bytes,
                                  VkBufferUsageFlags usage, struct vulkan_buffer *buffer,
                                  struct error *err);

GPU_SLOT(gpu_rays, tree_create) vulkan_tree_create;
void vulkan_tree_destroy(struct vulkan_device *device, struct vulkan_tree *tree);
GPU_SLOT(gpu_rays, tree_compact_bytes) vulkan_tree_compact_bytes;
GPU_SLOT(gpu_rays, batch_tree_build) vulkan_batch_tree_build;
GPU_SLOT(gpu_rays, batch_tree_copy) vulkan_batch_tree_copy;

// Returns the pipeline stages that a batch with rays needs in addition to the stages of its queue.
VkPipelineStageFlags2 vulkan_ray_stages(const struct vulkan_device *device);

// ---------------------------------------------------------------- trace.c

#define VULKAN_RAY_STAGES                                                                          \
    (VK_SHADER_STAGE_RAYGEN_BIT_KHR | VK_SHADER_STAGE_MISS_BIT_KHR |                               \
     VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR | VK_SHADER_STAGE_ANY_HIT_BIT_KHR |                       \
     VK_SHADER_STAGE_INTERSECTION_BIT_KHR)

enum {
    VULKAN_RAY_GROUPS = 3 // number of shader groups: RAYGEN, MISS, and the kernels for hits
};

// The shader binding table of a ray pipeline, which has one entry for each shader group.
struct vulkan_ray_table {
    struct vulkan_buffer buffer;
    VkStridedDeviceAddressRegionKHR groups[VULKAN_RAY_GROUPS];
};

MUST_CHECK bool vulkan_ray_pipeline_create(const struct vulkan_device *device,
                                           const struct vulkan_program *program,
                                           VkPipelineCreateFlags flags, VkPipeline *pipeline,
                                           struct error *err);

// Returns the bytes of stack that one ray needs: the stack of the RAYGEN kernel, plus the largest
// stack that the kernels called by it need at one time.
VkDeviceSize vulkan_ray_stack_bytes(const struct vulkan_device *device,
                                    const struct vulkan_program *program);

GPU_SLOT(gpu_backend, program_create) vulkan_ray_program_create;

#endif
