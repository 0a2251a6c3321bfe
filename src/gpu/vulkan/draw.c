// SPDX-License-Identifier: MIT
// Records draws. Keeps a render pass open as long as possible, and changes the layouts of the
// targets' images.
#include "gpu/vulkan/graphics.h"

#include <string.h>

struct vulkan_pass *vulkan_pass_create(struct arena *arena)
{
    struct vulkan_pass *pass = ARENA_NEW(arena, struct vulkan_pass);
    pass->arena = arena;
    return pass;
}

void vulkan_pass_forget(struct vulkan_pass *pass)
{
    pass->target = NULL;
    pass->program = NULL;
    pass->readable_count = 0;
}

// ---------------------------------------------------------------- layouts

static size_t find_readable(const struct vulkan_pass *pass, const struct vulkan_target *target)
{
    size_t i = 0;
    while (i < pass->readable_count && pass->readable[i] != target)
        i++;
    return i;
}

// Changes the image of pass->readable[readable] from the layout for kernels to the layout for
// draws.
static void take_back(struct vulkan_batch *batch, size_t readable)
{
    struct vulkan_pass *pass = batch->pass;
    vulkan_image_barrier(
        vulkan_batch_device(batch), batch->commands,
        &(struct vulkan_image_change){
            .image = pass->readable[readable]->color.handle,
            .from = pass->readable[readable]->color.layout,
            .to = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
            .after = vulkan_kernel_stages(batch),
            .before = VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT,
            .used = VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT | VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT,
        });
    pass->readable[readable] = pass->readable[--pass->readable_count];
}

void vulkan_pass_end_batch(struct vulkan_batch *batch)
{
    vulkan_pass_leave(batch);
    while (batch->pass && batch->pass->readable_count)
        take_back(batch, batch->pass->readable_count - 1);
}

bool vulkan_batch_barrier_target(struct gpu_batch *base, struct gpu_target *wanted,
                                 struct error *err)
{
    (void)err;
    struct vulkan_batch *batch = (struct vulkan_batch *)base;
    struct vulkan_pass *pass = batch->pass;
    const struct vulkan_target *target = (const struct vulkan_target *)wanted;
    vulkan_pass_leave(batch);
    if (find_readable(pass, target) < pass->readable_count)
        return true; // the image is already in the layout for kernels
    vulkan_image_barrier(vulkan_batch_device(batch), batch->commands,
                         &(struct vulkan_image_change){
                             .image = target->color.handle,
                             .from = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                             .to = target->color.layout,
                             .after = VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT,
                             .written = VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT,
                             .before = vulkan_kernel_stages(batch),
                             .used = VK_ACCESS_2_MEMORY_READ_BIT,
                         });
    pass->readable = arena_grow(pass->arena, pass->readable, pass->readable_count,
                                &pass->readable_capacity, sizeof *pass->readable);
    pass->readable[pass->readable_count++] = target;
    return true;
}

bool vulkan_batch_copy_target(struct gpu_batch *base, struct gpu_buffer *to, uint64_t to_offset,
                              struct gpu_target *from, struct error *err)
{
    (void)err;
    struct vulkan_batch *batch = (struct vulkan_batch *)base;
    const struct vulkan_device *device = vulkan_batch_device(batch);
    const struct vulkan_target *target = (const struct vulkan_target *)from;
    struct vulkan_image_change change = {
        .image = target->color.handle,
        .from = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
        .to = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
        .after = VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT,
        .written = VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT,
        .before = VK_PIPELINE_STAGE_2_COPY_BIT,
        .used = VK_ACCESS_2_TRANSFER_READ_BIT,
    };
    VkBufferImageCopy region = {
        .bufferOffset = to_offset,
        .imageSubresource = {.aspectMask = VK_IMAGE_ASPECT_COLOR_BIT, .layerCount = 1},
        .imageExtent = {from->desc.width, from->desc.height, 1},
    };
    vulkan_batch_order(batch);
    size_t readable = find_readable(batch->pass, target);
    if (readable < batch->pass->readable_count)
        take_back(batch, readable);
    vulkan_image_barrier(device, batch->commands, &change);
    device->vk.vkCmdCopyImageToBuffer(batch->commands, target->color.handle, change.to,
                                      ((struct vulkan_buffer *)to)->handle, 1, &region);
    vulkan_image_barrier(
        device, batch->commands,
        &(struct vulkan_image_change){
            .image = change.image,
            .from = change.to,
            .to = change.from,
            .after = change.before,
            .before = change.after,
            .used = VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT | VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT,
        });
    return true;
}

// ---------------------------------------------------------------- draws

static const VkAttachmentLoadOp load_ops[] = {
    [GPU_LOAD_KEEP] = VK_ATTACHMENT_LOAD_OP_LOAD,
    [GPU_LOAD_CLEAR] = VK_ATTACHMENT_LOAD_OP_CLEAR,
    [GPU_LOAD_DISCARD] = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
};

static void begin_rendering(struct vulkan_batch *batch, const struct vulkan_target *target,
                            enum gpu_load load)
{
    const struct vulkan_device *device = vulkan_batch_device(batch);
    const struct gpu_target_desc *desc = &target->base.desc;
    VkRect2D area = {.extent = {desc->width, desc->height}};
    VkViewport viewport = {
        .width = (float)desc->width, .height = (float)desc->height, .maxDepth = 1.0f};
    VkRenderingAttachmentInfo color = {
        .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
        .imageView = target->color.view,
        .imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
        .loadOp = load_ops[load],
        .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
    };
    VkRenderingAttachmentInfo depth = {
        .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
        .imageView = target->depth.view,
        .imageLayout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
        .loadOp = load_ops[load],
        .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
        .clearValue = {.depthStencil = {.depth = 1.0f}},
    };
    VkRenderingInfo info = {
        .sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
        .renderArea = area,
        .layerCount = 1,
        .colorAttachmentCount = 1,
        .pColorAttachments = &color,
        .pDepthAttachment = desc->depth ? &depth : NULL,
    };
    device->vk.vkCmdBeginRendering(batch->commands, &info);
    device->vk.vkCmdSetViewport(batch->commands, 0, 1, &viewport);
    device->vk.vkCmdSetScissor(batch->commands, 0, 1, &area);
    batch->pass->target = target;
    batch->pass->push_bytes = 0;
}

static void enter_pass(struct vulkan_batch *batch, const struct gpu_draw *draw)
{
    const struct vulkan_target *target = (const struct vulkan_target *)draw->target;
    bool stays = batch->pass->target == target && draw->load == GPU_LOAD_KEEP;
    if (stays && !batch->barrier_due)
        return;
    vulkan_batch_order(batch);
    size_t readable = find_readable(batch->pass, target);
    if (readable < batch->pass->readable_count)
        take_back(batch, readable);
    begin_rendering(batch, target, draw->load);
}

static bool bind(struct vulkan_batch *batch, const struct vulkan_draw_program *program,
                 const struct vulkan_bindings *bindings, struct error *err)
{
    const struct vulkan_device *device = vulkan_batch_device(batch);
    struct vulkan_pass *pass = batch->pass;
    bool same_program = pass->program == program;
    if (same_program &&
        (!program->layouts.set || gpu_args_equal(bindings->kernel, bindings->args, pass->args)))
        return true;
    pass->program = NULL;
    if (program->layouts.set) {
        if (!vulkan_descriptors_take(batch, program->layouts.set, bindings, &pass->set, err))
            return false;
        device->vk.vkCmdBindDescriptorSets(batch->commands, VK_PIPELINE_BIND_POINT_GRAPHICS,
                                           program->layouts.pipeline, 0, 1, &pass->set, 0, NULL);
    }
    if (!same_program)
        device->vk.vkCmdBindPipeline(batch->commands, VK_PIPELINE_BIND_POINT_GRAPHICS,
                                     program->pipeline);
    pass->program = program;
    memcpy(pass->args, bindings->args, sizeof pass->args);
    return true;
}

// Records push constants, unless they equal the last push constants of the render pass.
static void push_constants(struct vulkan_batch *batch, const struct vulkan_draw_program *program,
                           const unsigned char *bytes, uint32_t count)
{
    struct vulkan_pass *pass = batch->pass;
    if (count == 0 || (pass->push_bytes == count && memcmp(pass->push, bytes, count) == 0))
        return;
    vulkan_batch_device(batch)->vk.vkCmdPushConstants(
        batch->commands, program->layouts.pipeline,
        VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0, count, bytes);
    memcpy(pass->push, bytes, count);
    pass->push_bytes = count;
}

bool vulkan_batch_draw(struct gpu_batch *base, const struct gpu_draw *draw, struct error *err)
{
    struct vulkan_batch *batch = (struct vulkan_batch *)base;
    const struct vulkan_device *device = vulkan_batch_device(batch);
    const struct vulkan_draw_program *program = (const struct vulkan_draw_program *)draw->program;
    const struct vulkan_bindings bindings = {.kernel = program->base.args,
                                             .args = draw->args,
                                             .params = draw->params,
                                             .params_bytes = draw->params_bytes};
    unsigned char push[GPU_PARAMS_MAX_BYTES];
    uint32_t push_bytes = vulkan_push_constants(&bindings, push);
    if (!bind(batch, program, &bindings, err))
        return false;
    enter_pass(batch, draw);
    push_constants(batch, program, push, push_bytes);
    device->vk.vkCmdDraw(batch->commands, draw->vertices, draw->instances, 0, 0);
    batch->barrier_due = !batch->base.desc.unordered;
    return true;
}
