// SPDX-License-Identifier: MIT
// Ray pipelines and their shader binding tables.
#include "gpu/vulkan/rays.h"

enum {
    STAGES_MAX = 5
};

// The stages of a ray pipeline, in the order of add_stages; missing kernels have no stage.
struct stages {
    VkShaderModule modules[STAGES_MAX];
    VkPipelineShaderStageCreateInfo infos[STAGES_MAX];
    uint32_t count;
};

// Adds a stage and sets *number to its index; VK_SHADER_UNUSED_KHR if there is no kernel.
static bool add_stage(const struct vulkan_device *device, const struct gpu_kernel *kernel,
                      VkShaderStageFlagBits stage, struct stages *stages, uint32_t *number,
                      struct error *err)
{
    *number = VK_SHADER_UNUSED_KHR;
    if (!kernel)
        return true;
    if (!vulkan_module_create(device, kernel, &stages->modules[stages->count], err))
        return false;
    stages->infos[stages->count] = (VkPipelineShaderStageCreateInfo){
        .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
        .stage = stage,
        .module = stages->modules[stages->count],
        .pName = "main",
    };
    *number = stages->count++;
    return true;
}

static VkRayTracingShaderGroupCreateInfoKHR group_of(VkRayTracingShaderGroupTypeKHR type)
{
    return (VkRayTracingShaderGroupCreateInfoKHR){
        .sType = VK_STRUCTURE_TYPE_RAY_TRACING_SHADER_GROUP_CREATE_INFO_KHR,
        .type = type,
        .generalShader = VK_SHADER_UNUSED_KHR,
        .closestHitShader = VK_SHADER_UNUSED_KHR,
        .anyHitShader = VK_SHADER_UNUSED_KHR,
        .intersectionShader = VK_SHADER_UNUSED_KHR,
    };
}

static bool add_stages(const struct vulkan_device *device, const struct gpu_program_desc *desc,
                       struct stages *stages,
                       VkRayTracingShaderGroupCreateInfoKHR groups[VULKAN_RAY_GROUPS],
                       struct error *err)
{
    groups[0] = groups[1] = group_of(VK_RAY_TRACING_SHADER_GROUP_TYPE_GENERAL_KHR);
    groups[2] = group_of(desc->rays.intersection
                             ? VK_RAY_TRACING_SHADER_GROUP_TYPE_PROCEDURAL_HIT_GROUP_KHR
                             : VK_RAY_TRACING_SHADER_GROUP_TYPE_TRIANGLES_HIT_GROUP_KHR);
    return add_stage(device, desc->kernel, VK_SHADER_STAGE_RAYGEN_BIT_KHR, stages,
                     &groups[0].generalShader, err) &&
           add_stage(device, desc->rays.miss, VK_SHADER_STAGE_MISS_BIT_KHR, stages,
                     &groups[1].generalShader, err) &&
           add_stage(device, desc->rays.closest_hit, VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR, stages,
                     &groups[2].closestHitShader, err) &&
           add_stage(device, desc->rays.any_hit, VK_SHADER_STAGE_ANY_HIT_BIT_KHR, stages,
                     &groups[2].anyHitShader, err) &&
           add_stage(device, desc->rays.intersection, VK_SHADER_STAGE_INTERSECTION_BIT_KHR, stages,
                     &groups[2].intersectionShader, err);
}

bool vulkan_ray_pipeline_create(const struct vulkan_device *device,
                                const struct vulkan_program *program, VkPipelineCreateFlags flags,
                                VkPipeline *pipeline, struct error *err)
{
    struct stages stages = {.count = 0};
    VkRayTracingShaderGroupCreateInfoKHR groups[VULKAN_RAY_GROUPS];
    bool ok = add_stages(device, &program->desc, &stages, groups, err);
    const VkRayTracingPipelineCreateInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_CREATE_INFO_KHR,
        .flags = flags,
        .stageCount = stages.count,
        .pStages = stages.infos,
        .groupCount = VULKAN_RAY_GROUPS,
        .pGroups = groups,
        .maxPipelineRayRecursionDepth = 1,
        .layout = program->layouts.pipeline,
    };
    if (ok) {
        VkResult result = device->vk.vkCreateRayTracingPipelinesKHR(
            device->handle, VK_NULL_HANDLE, VK_NULL_HANDLE, 1, &info, NULL, pipeline);
        ok = result == VK_SUCCESS ||
             vulkan_error(err, result, "kernel %s: vkCreateRayTracingPipelinesKHR",
                          program->desc.kernel->name);
    }
    for (uint32_t i = 0; i < stages.count; i++)
        device->vk.vkDestroyShaderModule(device->handle, stages.modules[i], NULL);
    return ok;
}

// Returns Vulkan's default stack size, in bytes, for rays that trace no further rays.
VkDeviceSize vulkan_ray_stack_bytes(const struct vulkan_device *device,
                                    const struct vulkan_program *program)
{
    const struct gpu_ray_kernels *called = &program->desc.rays;
    const struct {
        bool there;
        uint32_t group;
        VkShaderGroupShaderKHR kernel;
    } kernels[STAGES_MAX] = {
        {true, 0, VK_SHADER_GROUP_SHADER_GENERAL_KHR},
        {called->miss, 1, VK_SHADER_GROUP_SHADER_GENERAL_KHR},
        {called->closest_hit, 2, VK_SHADER_GROUP_SHADER_CLOSEST_HIT_KHR},
        {called->any_hit, 2, VK_SHADER_GROUP_SHADER_ANY_HIT_KHR},
        {called->intersection, 2, VK_SHADER_GROUP_SHADER_INTERSECTION_KHR},
    };
    VkDeviceSize bytes[STAGES_MAX] = {0};
    for (size_t i = 0; i < STAGES_MAX; i++)
        if (kernels[i].there)
            bytes[i] = device->vk.vkGetRayTracingShaderGroupStackSizeKHR(
                device->handle, program->pipeline, kernels[i].group, kernels[i].kernel);
    const VkDeviceSize at_end = bytes[1] > bytes[2] ? bytes[1] : bytes[2];
    const VkDeviceSize on_way = bytes[3] + bytes[4];
    return bytes[0] + (at_end > on_way ? at_end : on_way);
}

// ---------------------------------------------------------------- the table

// Copies the groups' handles to the buffer, from byte `first` on, `stride` bytes apart.
static bool write_table(struct vulkan_device *device, const struct vulkan_program *program,
                        VkDeviceSize first, uint32_t stride, struct error *err)
{
    const uint32_t bytes = device->physical->ray_handle_bytes;
    struct arena *scratch = arena_create();
    unsigned char *names = arena_alloc(scratch, (size_t)bytes * VULKAN_RAY_GROUPS);
    VkResult result = device->vk.vkGetRayTracingShaderGroupHandlesKHR(
        device->handle, program->pipeline, 0, VULKAN_RAY_GROUPS, (size_t)bytes * VULKAN_RAY_GROUPS,
        names);
    bool ok = result == VK_SUCCESS ||
              vulkan_error(err, result, "kernel %s: vkGetRayTracingShaderGroupHandlesKHR",
                           program->desc.kernel->name);
    ok = ok && vulkan_transfer_begin(device, err);
    if (ok) {
        for (uint32_t i = 0; i < VULKAN_RAY_GROUPS; i++)
            device->vk.vkCmdUpdateBuffer(device->transfer.commands, program->table->buffer.handle,
                                         first + (VkDeviceSize)i * stride, bytes,
                                         names + (size_t)i * bytes);
        ok = vulkan_transfer_end(device, err);
    }
    arena_destroy(scratch);
    return ok;
}

static bool create_table(struct vulkan_device *device, const struct vulkan_program *program,
                         struct error *err)
{
    const struct vulkan_physical *physical = device->physical;
    struct vulkan_ray_table *table = program->table;
    const uint32_t align = physical->ray_align_bytes;
    const uint32_t stride = (physical->ray_handle_bytes + align - 1) / align * align;
    // The buffer has room for one more entry, because the table begins at the first aligned address
    // in it.
    if (!vulkan_ray_buffer(device, (uint64_t)(VULKAN_RAY_GROUPS + 1) * stride,
                           VK_BUFFER_USAGE_SHADER_BINDING_TABLE_BIT_KHR |
                               VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                           &table->buffer, err))
        return false;
    const VkDeviceAddress start = table->buffer.base.address;
    const VkDeviceAddress address = (start + align - 1) / align * align;
    if (!write_table(device, program, address - start, stride, err))
        return false;
    for (uint32_t i = 0; i < VULKAN_RAY_GROUPS; i++)
        table->groups[i] = (VkStridedDeviceAddressRegionKHR){
            .deviceAddress = address + (VkDeviceSize)i * stride, .stride = stride, .size = stride};
    return true;
}

struct gpu_program *vulkan_ray_program_create(struct gpu_scope *scope,
                                              const struct gpu_program_desc *desc,
                                              struct error *err)
{
    struct vulkan_device *device = vulkan_scope_device(scope);
    struct vulkan_program *program = ARENA_NEW(scope->arena, struct vulkan_program);
    program->desc = *desc;
    program->table = ARENA_NEW(scope->arena, struct vulkan_ray_table);
    if (vulkan_layouts_init(device, desc->kernel, VULKAN_RAY_STAGES, &program->layouts, err) &&
        vulkan_ray_pipeline_create(device, program, 0, &program->pipeline, err) &&
        create_table(device, program, err))
        return &program->base;
    if (!device->base.hung)
        vulkan_program_destroy(device, program);
    return NULL;
}
