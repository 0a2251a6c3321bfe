// SPDX-License-Identifier: MIT
// Graphics pipelines: the state that no benchmark varies stands here as constants.
#include "gpu/vulkan/graphics.h"

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
    if (!desc->fragment) // nothing that could be written
        state.colorWriteMask = 0;
    return state;
}

static VkResult create_pipeline(const struct vulkan_device *device,
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

static bool compile(struct vulkan_device *device, const struct gpu_draw_program_desc *desc,
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
        VkResult result = create_pipeline(device, desc, stages, program);
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
    program->args = args;
    VkResult result = vulkan_layouts_init(
        device, args, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, &program->layouts);
    bool ok =
        result == VK_SUCCESS || vulkan_error(err, result, "kernel %s: pipeline layout", args->name);
    if (ok && compile(device, desc, program, err))
        return &program->base;
    vulkan_draw_program_destroy(device, program);
    return NULL;
}

void vulkan_draw_program_destroy(struct vulkan_device *device, struct vulkan_draw_program *program)
{
    device->vk.vkDestroyPipeline(device->handle, program->pipeline, NULL);
    vulkan_layouts_fini(device, &program->layouts);
}
