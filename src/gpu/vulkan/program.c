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

static VkResult create_set_layout(const struct vulkan_device *device,
                                  const struct gpu_kernel *kernel, VkShaderStageFlags stages,
                                  VkDescriptorSetLayout *layout)
{
    VkDescriptorSetLayoutBinding bindings[GPU_ARGS_MAX];
    uint32_t count = 0;
    for (unsigned i = 0; i < kernel->arg_count; i++) {
        if (kernel->args[i] == GPU_ARG_ADDRESS)
            continue;
        bindings[count] = (VkDescriptorSetLayoutBinding){
            .binding = count,
            .descriptorType = vulkan_descriptor_type(kernel->args[i]),
            .descriptorCount = 1,
            .stageFlags = stages,
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
    return device->vk.vkCreateDescriptorSetLayout(device->handle, &info, NULL, layout);
}

VkResult vulkan_layouts_init(const struct vulkan_device *device, const struct gpu_kernel *kernel,
                             VkShaderStageFlags stages, struct vulkan_layouts *layouts)
{
    *layouts = (struct vulkan_layouts){VK_NULL_HANDLE, VK_NULL_HANDLE};
    VkResult result = create_set_layout(device, kernel, stages, &layouts->set);
    if (result != VK_SUCCESS)
        return result;
    VkPushConstantRange range = {.stageFlags = stages,
                                 .size = (uint32_t)device->info->limits.params_bytes};
    VkPipelineLayoutCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
        .setLayoutCount = layouts->set ? 1 : 0,
        .pSetLayouts = &layouts->set,
        .pushConstantRangeCount = 1,
        .pPushConstantRanges = &range,
    };
    return device->vk.vkCreatePipelineLayout(device->handle, &info, NULL, &layouts->pipeline);
}

void vulkan_layouts_fini(const struct vulkan_device *device, struct vulkan_layouts *layouts)
{
    device->vk.vkDestroyPipelineLayout(device->handle, layouts->pipeline, NULL);
    device->vk.vkDestroyDescriptorSetLayout(device->handle, layouts->set, NULL);
}

bool vulkan_module_create(const struct vulkan_device *device, const struct gpu_kernel *kernel,
                          VkShaderModule *module, struct error *err)
{
    VkShaderModuleCreateInfo code = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                     .codeSize = kernel->spirv_bytes,
                                     .pCode = kernel->spirv};
    if (!kernel->spirv)
        return error_set(err, ERROR_UNSUPPORTED, "kernel %s has no SPIR-V form in this build",
                         kernel->name);
    VkResult result = device->vk.vkCreateShaderModule(device->handle, &code, NULL, module);
    return result == VK_SUCCESS ||
           vulkan_error(err, result, "kernel %s: vkCreateShaderModule", kernel->name);
}

bool vulkan_pipeline_create(const struct vulkan_device *device,
                            const struct vulkan_program *program, VkPipelineCreateFlags flags,
                            VkPipeline *pipeline, struct error *err)
{
    const struct gpu_kernel *kernel = program->desc.kernel;
    uint32_t subgroup = program->desc.subgroup_threads;
    VkShaderModule module;
    if (!vulkan_module_create(device, kernel, &module, err))
        return false;
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
        .layout = program->layouts.pipeline,
    };
    VkResult result = device->vk.vkCreateComputePipelines(device->handle, VK_NULL_HANDLE, 1, &info,
                                                          NULL, pipeline);
    device->vk.vkDestroyShaderModule(device->handle, module, NULL);
    return result == VK_SUCCESS ||
           vulkan_error(err, result, "kernel %s: vkCreateComputePipelines", kernel->name);
}

struct gpu_program *vulkan_program_create(struct gpu_scope *scope,
                                          const struct gpu_program_desc *desc, struct error *err)
{
    struct vulkan_device *device = vulkan_scope_device(scope);
    struct vulkan_program *program = ARENA_NEW(scope->arena, struct vulkan_program);
    program->desc = *desc;
    VkResult result =
        vulkan_layouts_init(device, desc->kernel, VK_SHADER_STAGE_COMPUTE_BIT, &program->layouts);
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
    vulkan_layouts_fini(device, &program->layouts);
}
