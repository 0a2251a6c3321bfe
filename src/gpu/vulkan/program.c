// SPDX-License-Identifier: MIT
// Compute pipelines and graphics pipelines; ray pipelines are in trace.c. The state of a graphics
// pipeline is constant where no benchmark varies it.
#include "gpu/vulkan/graphics.h"
#include "gpu/vulkan/rays.h"

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

bool vulkan_layouts_init(const struct vulkan_device *device, const struct gpu_kernel *kernel,
                         VkShaderStageFlags stages, struct vulkan_layouts *layouts,
                         struct error *err)
{
    *layouts = (struct vulkan_layouts){VK_NULL_HANDLE, VK_NULL_HANDLE};
    VkResult result = create_set_layout(device, kernel, stages, &layouts->set);
    VkPushConstantRange range = {.stageFlags = stages,
                                 .size = (uint32_t)device->info->limits.params_bytes};
    VkPipelineLayoutCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
        .setLayoutCount = layouts->set ? 1 : 0,
        .pSetLayouts = &layouts->set,
        .pushConstantRangeCount = 1,
        .pPushConstantRanges = &range,
    };
    if (result == VK_SUCCESS)
        result = device->vk.vkCreatePipelineLayout(device->handle, &info, NULL, &layouts->pipeline);
    return result == VK_SUCCESS ||
           vulkan_error(err, result, "kernel %s: pipeline layout", kernel->name);
}

static void layouts_fini(const struct vulkan_device *device, struct vulkan_layouts *layouts)
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

// ---------------------------------------------------------------- compute

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

struct gpu_program *vulkan_compute_program_create(struct gpu_scope *scope,
                                                  const struct gpu_program_desc *desc,
                                                  struct error *err)
{
    struct vulkan_device *device = vulkan_scope_device(scope);
    struct vulkan_program *program = ARENA_NEW(scope->arena, struct vulkan_program);
    program->desc = *desc;
    if (!vulkan_layouts_init(device, desc->kernel, VK_SHADER_STAGE_COMPUTE_BIT, &program->layouts,
                             err) ||
        !vulkan_pipeline_create(device, program, 0, &program->pipeline, err)) {
        vulkan_program_destroy(device, program);
        return NULL;
    }
    return &program->base;
}

void vulkan_program_destroy(struct vulkan_device *device, struct vulkan_program *program)
{
    device->vk.vkDestroyPipeline(device->handle, program->pipeline, NULL);
    layouts_fini(device, &program->layouts);
    if (program->table)
        vulkan_buffer_destroy(device, &program->table->buffer);
}

// ---------------------------------------------------------------- graphics

static VkPipelineColorBlendAttachmentState blend_of(const struct gpu_draw_program_desc *desc)
{
    VkPipelineColorBlendAttachmentState state = {
        .blendEnable = desc->blend != GPU_BLEND_NONE,
        .srcColorBlendFactor = VK_BLEND_FACTOR_ONE,
        .dstColorBlendFactor = VK_BLEND_FACTOR_ONE,
        .colorWriteMask = VK_COLOR_COMPONENT_R_BIT | VK_COLOR_COMPONENT_G_BIT |
                          VK_COLOR_COMPONENT_B_BIT | VK_COLOR_COMPONENT_A_BIT,
    };
    if (desc->blend == GPU_BLEND_ALPHA) {
        state.srcColorBlendFactor = VK_BLEND_FACTOR_SRC_ALPHA;
        state.dstColorBlendFactor = VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA;
    }
    state.srcAlphaBlendFactor = state.srcColorBlendFactor;
    state.dstAlphaBlendFactor = state.dstColorBlendFactor;
    if (!desc->fragment) // without a fragment kernel, a draw does not change colours
        state.colorWriteMask = 0;
    return state;
}

static VkResult create_from_stages(const struct vulkan_device *device,
                                   const struct gpu_draw_program_desc *desc,
                                   const VkPipelineShaderStageCreateInfo *stages,
                                   struct vulkan_draw_program *program)
{
    static const VkDynamicState dynamic[] = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR};
    VkFormat format = vulkan_format(desc->target->desc.format);
    VkPipelineColorBlendAttachmentState blend = blend_of(desc);
    VkPipelineRenderingCreateInfo rendering = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
        .colorAttachmentCount = 1,
        .pColorAttachmentFormats = &format,
        .depthAttachmentFormat =
            desc->target->desc.depth ? VULKAN_DEPTH_FORMAT : VK_FORMAT_UNDEFINED,
    };
    VkGraphicsPipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
        .pNext = &rendering,
        .stageCount = desc->fragment ? 2 : 1,
        .pStages = stages,
        .pVertexInputState =
            &(VkPipelineVertexInputStateCreateInfo){
                .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO},
        .pInputAssemblyState =
            &(VkPipelineInputAssemblyStateCreateInfo){
                .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
                .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST},
        .pViewportState =
            &(VkPipelineViewportStateCreateInfo){
                .sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
                .viewportCount = 1,
                .scissorCount = 1},
        .pRasterizationState =
            &(VkPipelineRasterizationStateCreateInfo){
                .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
                .cullMode = desc->cull ? VK_CULL_MODE_BACK_BIT : VK_CULL_MODE_NONE,
                .frontFace = VK_FRONT_FACE_CLOCKWISE,
                .lineWidth = 1.0f},
        .pMultisampleState =
            &(VkPipelineMultisampleStateCreateInfo){
                .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
                .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT},
        .pDepthStencilState =
            &(VkPipelineDepthStencilStateCreateInfo){
                .sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO,
                .depthTestEnable = desc->depth != GPU_DEPTH_OFF,
                .depthWriteEnable = desc->depth == GPU_DEPTH_WRITE,
                .depthCompareOp = VK_COMPARE_OP_LESS},
        .pColorBlendState =
            &(VkPipelineColorBlendStateCreateInfo){
                .sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
                .attachmentCount = 1,
                .pAttachments = &blend},
        .pDynamicState =
            &(VkPipelineDynamicStateCreateInfo){
                .sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO,
                .dynamicStateCount = sizeof dynamic / sizeof dynamic[0],
                .pDynamicStates = dynamic},
        .layout = program->layouts.pipeline,
    };
    return device->vk.vkCreateGraphicsPipelines(device->handle, VK_NULL_HANDLE, 1, &info, NULL,
                                                &program->pipeline);
}

static bool create_draw_pipeline(struct vulkan_device *device,
                                 const struct gpu_draw_program_desc *desc,
                                 struct vulkan_draw_program *program, struct error *err)
{
    const struct gpu_kernel *kernels[] = {desc->vertex, desc->fragment};
    VkShaderModule modules[2] = {VK_NULL_HANDLE, VK_NULL_HANDLE};
    VkPipelineShaderStageCreateInfo stages[2];
    unsigned count = desc->fragment ? 2 : 1;
    bool ok = true;
    for (unsigned i = 0; i < count && ok; i++) {
        ok = vulkan_module_create(device, kernels[i], &modules[i], err);
        stages[i] = (VkPipelineShaderStageCreateInfo){
            .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
            .stage = i == 0 ? VK_SHADER_STAGE_VERTEX_BIT : VK_SHADER_STAGE_FRAGMENT_BIT,
            .module = modules[i],
            .pName = "main",
        };
    }
    if (ok) {
        VkResult result = create_from_stages(device, desc, stages, program);
        ok = result == VK_SUCCESS ||
             vulkan_error(err, result, "kernel %s: vkCreateGraphicsPipelines", desc->vertex->name);
    }
    for (unsigned i = 0; i < count; i++)
        device->vk.vkDestroyShaderModule(device->handle, modules[i], NULL);
    return ok;
}

struct gpu_draw_program *vulkan_draw_program_create(struct gpu_scope *scope,
                                                    const struct gpu_draw_program_desc *desc,
                                                    const struct gpu_kernel *args,
                                                    struct error *err)
{
    struct vulkan_device *device = vulkan_scope_device(scope);
    struct vulkan_draw_program *program = ARENA_NEW(scope->arena, struct vulkan_draw_program);
    bool ok =
        vulkan_layouts_init(device, args, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT,
                            &program->layouts, err);
    if (ok && create_draw_pipeline(device, desc, program, err))
        return &program->base;
    vulkan_draw_program_destroy(device, program);
    return NULL;
}

void vulkan_draw_program_destroy(struct vulkan_device *device, struct vulkan_draw_program *program)
{
    device->vk.vkDestroyPipeline(device->handle, program->pipeline, NULL);
    layouts_fini(device, &program->layouts);
}
