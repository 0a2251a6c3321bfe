// SPDX-License-Identifier: MIT
// Compute pipelines.
#include "gpu/vulkan/api.h"

VkDescriptorType vulkan_descriptor_type(enum gpu_arg_kind kind)
{
    static const VkDescriptorType types[GPU_ARG_KIND_COUNT] = {
        [GPU_ARG_BUFFER] = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
        [GPU_ARG_CONSTANT] = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
        [GPU_ARG_TYPED] = VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER,
        [GPU_ARG_TYPED_RW] = VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER,
        [GPU_ARG_IMAGE] = VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
        [GPU_ARG_IMAGE_RW] = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
        [GPU_ARG_SAMPLED] = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
    };
    return types[kind];
}

static VkResult create_set_layout(struct vulkan_device *device, struct vulkan_program *program)
{
    const struct gpu_kernel *kernel = program->desc.kernel;
    VkDescriptorSetLayoutBinding bindings[GPU_ARGS_MAX];
    uint32_t count = 0;
    for (unsigned i = 0; i < kernel->arg_count; i++) {
        if (kernel->args[i] == GPU_ARG_ADDRESS)
            continue;
        bindings[count] = (VkDescriptorSetLayoutBinding){
            .binding = count,
            .descriptorType = vulkan_descriptor_type(kernel->args[i]),
            .descriptorCount = 1,
            .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
        };
        count++;
    }
    if (count == 0)
        return VK_SUCCESS;
    VkDescriptorSetLayoutCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .bindingCount = count,
        .pBindings = bindings,
    };
    return device->vk.vkCreateDescriptorSetLayout(device->handle, &info, NULL,
                                                  &program->set_layout);
}

static VkResult create_layout(struct vulkan_device *device, struct vulkan_program *program)
{
    VkPushConstantRange range = {.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
                                 .size = (uint32_t)device->info->limits.params_bytes};
    VkPipelineLayoutCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
        .setLayoutCount = program->set_layout ? 1 : 0,
        .pSetLayouts = &program->set_layout,
        .pushConstantRangeCount = 1,
        .pPushConstantRanges = &range,
    };
    return device->vk.vkCreatePipelineLayout(device->handle, &info, NULL, &program->layout);
}

bool vulkan_pipeline_create(const struct vulkan_device *device,
                            const struct vulkan_program *program, VkPipelineCreateFlags flags,
                            VkPipeline *pipeline, struct error *err)
{
    const struct gpu_kernel *kernel = program->desc.kernel;
    uint32_t subgroup = program->desc.subgroup_threads;
    VkShaderModuleCreateInfo code = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                     .codeSize = kernel->spirv_bytes,
                                     .pCode = kernel->spirv};
    VkShaderModule module;
    VkResult result = device->vk.vkCreateShaderModule(device->handle, &code, NULL, &module);
    if (result != VK_SUCCESS)
        return vulkan_error(err, result, "kernel %s: vkCreateShaderModule", kernel->name);
    VkPipelineShaderStageRequiredSubgroupSizeCreateInfo required = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO,
        .requiredSubgroupSize = subgroup,
    };
    bool full =
        subgroup && kernel->workgroup[0] % subgroup == 0 && device->physical->full_subgroups;
    VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .flags = flags,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .pNext = subgroup ? &required : NULL,
                  .flags = full ? VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT : 0,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = module,
                  .pName = "main"},
        .layout = program->layout,
    };
    result = device->vk.vkCreateComputePipelines(device->handle, VK_NULL_HANDLE, 1, &info, NULL,
                                                 pipeline);
    device->vk.vkDestroyShaderModule(device->handle, module, NULL);
    return result == VK_SUCCESS ||
           vulkan_error(err, result, "kernel %s: vkCreateComputePipelines", kernel->name);
}

struct gpu_program *vulkan_program_create(struct gpu_scope *scope,
                                          const struct gpu_program_desc *desc, struct error *err)
{
    struct vulkan_device *device = vulkan_scope_device(scope);
    if (!desc->kernel->spirv) {
        error_set(err, ERROR_UNSUPPORTED, "kernel %s has no SPIR-V form in this build",
                  desc->kernel->name);
        return NULL;
    }
    struct vulkan_program *program = ARENA_NEW(scope->arena, struct vulkan_program);
    program->desc = *desc;
    VkResult result = create_set_layout(device, program);
    if (result == VK_SUCCESS)
        result = create_layout(device, program);
    bool ok = result == VK_SUCCESS ||
              vulkan_error(err, result, "kernel %s: pipeline layout", desc->kernel->name);
    if (!ok || !vulkan_pipeline_create(device, program, 0, &program->pipeline, err)) {
        vulkan_program_destroy(device, program);
        return NULL;
    }
    return &program->base;
}

void vulkan_program_destroy(struct vulkan_device *device, struct vulkan_program *program)
{
    device->vk.vkDestroyPipeline(device->handle, program->pipeline, NULL);
    device->vk.vkDestroyPipelineLayout(device->handle, program->layout, NULL);
    device->vk.vkDestroyDescriptorSetLayout(device->handle, program->set_layout, NULL);
}
