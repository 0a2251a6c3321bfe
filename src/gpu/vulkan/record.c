// SPDX-License-Identifier: MIT
// Records commands into command buffers. A Vulkan queue starts commands in order, but lets them
// overlap. So an ordered batch gets a barrier before each command, also before its first one.
#include "gpu/vulkan/graphics.h"
#include "gpu/vulkan/rays.h"

#include <string.h>

void vulkan_pass_leave(struct vulkan_batch *batch)
{
    if (!batch->pass || !batch->pass->target)
        return;
    vulkan_batch_device(batch)->vk.vkCmdEndRendering(batch->commands);
    batch->pass->target = NULL;
}

static void record_barrier(const struct vulkan_batch *batch, enum gpu_barrier kind)
{
    bool memory = kind != GPU_BARRIER_EXECUTION;
    VkPipelineStageFlags2 stages =
        kind == GPU_BARRIER_FULL ? VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT : batch->stages;
    VkMemoryBarrier2 barrier = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
        .srcStageMask = stages,
        .srcAccessMask = memory ? VK_ACCESS_2_MEMORY_WRITE_BIT : VK_ACCESS_2_NONE,
        .dstStageMask = stages,
        .dstAccessMask =
            memory ? VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT : VK_ACCESS_2_NONE,
    };
    VkDependencyInfo dependency = {.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
                                   .memoryBarrierCount = 1,
                                   .pMemoryBarriers = &barrier};
    vulkan_batch_device(batch)->vk.vkCmdPipelineBarrier2(batch->commands, &dependency);
}

void vulkan_batch_order(struct vulkan_batch *batch)
{
    vulkan_pass_leave(batch);
    if (batch->barrier_due)
        record_barrier(batch, GPU_BARRIER_MEMORY);
    batch->barrier_due = !batch->base.desc.unordered;
}

uint32_t vulkan_push_constants(const struct vulkan_bindings *bindings,
                               unsigned char bytes[GPU_PARAMS_MAX_BYTES])
{
    const struct gpu_kernel *kernel = bindings->kernel;
    size_t used = 0;
    for (unsigned i = 0; i < kernel->arg_count; i++) {
        if (kernel->args[i] != GPU_ARG_ADDRESS)
            continue;
        uint64_t address = bindings->args[i].buffer->address + bindings->args[i].offset;
        memcpy(bytes + used, &address, sizeof address);
        used += sizeof address;
    }
    if (bindings->params_bytes)
        memcpy(bytes + used, bindings->params, bindings->params_bytes);
    return (uint32_t)(used + bindings->params_bytes);
}

// Binds the pipeline and the arguments. Uses the previous dispatch's descriptor set again if its
// program and arguments are the same.
static bool bind(struct vulkan_batch *batch, const struct vulkan_program *program,
                 const struct gpu_dispatch *dispatch, const struct vulkan_bindings *bindings,
                 struct error *err)
{
    const struct vulkan_device *device = vulkan_batch_device(batch);
    const VkPipelineBindPoint point =
        program->table ? VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR : VK_PIPELINE_BIND_POINT_COMPUTE;
    bool same_program = batch->last_program == program;
    if (!same_program)
        device->vk.vkCmdBindPipeline(batch->commands, point, program->pipeline);
    if (!program->layouts.set ||
        (same_program && gpu_args_equal(bindings->kernel, bindings->args, batch->last.args))) {
        batch->last_program = program;
        return true;
    }
    batch->last_program = NULL;
    if (!vulkan_descriptors_take(batch, program->layouts.set, bindings, &batch->last_set, err))
        return false;
    device->vk.vkCmdBindDescriptorSets(batch->commands, point, program->layouts.pipeline, 0, 1,
                                       &batch->last_set, 0, NULL);
    batch->last_program = program;
    batch->last = *dispatch;
    return true;
}

static void trace(const struct vulkan_batch *batch, const struct vulkan_ray_table *table,
                  const uint32_t groups[3])
{
    const VkStridedDeviceAddressRegionKHR none = {0};
    vulkan_batch_device(batch)->vk.vkCmdTraceRaysKHR(
        batch->commands, &table->groups[0], &table->groups[1], &table->groups[2], &none,
        groups[0] * GPU_RAYS_GROUP, groups[1], groups[2]);
}

bool vulkan_batch_dispatch(struct gpu_batch *base, const struct gpu_dispatch *dispatch,
                           struct error *err)
{
    struct vulkan_batch *batch = (struct vulkan_batch *)base;
    const struct vulkan_device *device = vulkan_batch_device(batch);
    const struct vulkan_program *program = (const struct vulkan_program *)dispatch->program;
    const struct vulkan_bindings bindings = {.kernel = program->desc.kernel,
                                             .args = dispatch->args,
                                             .params = dispatch->params,
                                             .params_bytes = dispatch->params_bytes};
    unsigned char push[GPU_PARAMS_MAX_BYTES];
    uint32_t push_bytes = vulkan_push_constants(&bindings, push);
    if (program->table && dispatch->groups[0] > UINT32_MAX / GPU_RAYS_GROUP)
        return error_set(err, ERROR_UNSUPPORTED, "kernel %s: 2^32 rays or more along x",
                         program->desc.kernel->name);
    if (!bind(batch, program, dispatch, &bindings, err))
        return false;
    vulkan_batch_order(batch);
    if (push_bytes)
        device->vk.vkCmdPushConstants(
            batch->commands, program->layouts.pipeline,
            program->table ? VULKAN_RAY_STAGES : VK_SHADER_STAGE_COMPUTE_BIT, 0, push_bytes, push);
    if (program->table)
        trace(batch, program->table, dispatch->groups);
    else
        device->vk.vkCmdDispatch(batch->commands, dispatch->groups[0], dispatch->groups[1],
                                 dispatch->groups[2]);
    return true;
}

bool vulkan_batch_copy(struct gpu_batch *base, struct gpu_buffer *to, uint64_t to_offset,
                       struct gpu_buffer *from, uint64_t from_offset, uint64_t bytes,
                       struct error *err)
{
    (void)err;
    struct vulkan_batch *batch = (struct vulkan_batch *)base;
    VkBufferCopy region = {.srcOffset = from_offset, .dstOffset = to_offset, .size = bytes};
    vulkan_batch_order(batch);
    vulkan_batch_device(batch)->vk.vkCmdCopyBuffer(
        batch->commands, ((struct vulkan_buffer *)from)->handle,
        ((struct vulkan_buffer *)to)->handle, 1, &region);
    return true;
}

bool vulkan_batch_fill(struct gpu_batch *base, struct gpu_buffer *buffer, uint64_t offset,
                       uint64_t bytes, uint32_t word, struct error *err)
{
    (void)err;
    struct vulkan_batch *batch = (struct vulkan_batch *)base;
    vulkan_batch_order(batch);
    vulkan_batch_device(batch)->vk.vkCmdFillBuffer(
        batch->commands, ((struct vulkan_buffer *)buffer)->handle, offset, bytes, word);
    return true;
}

bool vulkan_batch_barrier(struct gpu_batch *base, enum gpu_barrier barrier, struct error *err)
{
    (void)err;
    struct vulkan_batch *batch = (struct vulkan_batch *)base;
    vulkan_pass_leave(batch);
    record_barrier(batch, barrier);
    if (barrier != GPU_BARRIER_EXECUTION)
        batch->barrier_due = false;
    return true;
}

VkPipelineStageFlags2 vulkan_kernel_stages(const struct vulkan_batch *batch)
{
    return (batch->stages & ~VK_PIPELINE_STAGE_2_ALL_GRAPHICS_BIT) |
           (batch->pass
                ? VK_PIPELINE_STAGE_2_VERTEX_SHADER_BIT | VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT
                : 0);
}

bool vulkan_batch_barrier_buffer(struct gpu_batch *base, struct gpu_buffer *buffer,
                                 struct error *err)
{
    (void)err;
    struct vulkan_batch *batch = (struct vulkan_batch *)base;
    VkBufferMemoryBarrier2 barrier = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER_2,
        .srcStageMask = vulkan_kernel_stages(batch),
        .srcAccessMask = VK_ACCESS_2_MEMORY_WRITE_BIT,
        .dstStageMask = vulkan_kernel_stages(batch),
        .dstAccessMask = VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT,
        .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .buffer = ((struct vulkan_buffer *)buffer)->handle,
        .size = VK_WHOLE_SIZE,
    };
    VkDependencyInfo dependency = {.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
                                   .bufferMemoryBarrierCount = 1,
                                   .pBufferMemoryBarriers = &barrier};
    vulkan_pass_leave(batch);
    vulkan_batch_device(batch)->vk.vkCmdPipelineBarrier2(batch->commands, &dependency);
    return true;
}

bool vulkan_batch_barrier_image(struct gpu_batch *base, struct gpu_image *image, struct error *err)
{
    (void)err;
    struct vulkan_batch *batch = (struct vulkan_batch *)base;
    const struct vulkan_image *of = (const struct vulkan_image *)image;
    vulkan_pass_leave(batch);
    vulkan_image_barrier(vulkan_batch_device(batch), batch->commands,
                         &(struct vulkan_image_change){
                             .image = of->handle,
                             .from = of->layout,
                             .to = of->layout,
                             .after = vulkan_kernel_stages(batch),
                             .written = VK_ACCESS_2_MEMORY_WRITE_BIT,
                             .before = vulkan_kernel_stages(batch),
                             .used = VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT,
                         });
    return true;
}

// Vulkan requires the same VkDependencyInfo for the set and the wait of a split barrier.
bool vulkan_batch_split(struct gpu_batch *base, unsigned split, bool wait, struct error *err)
{
    (void)err;
    struct vulkan_batch *batch = (struct vulkan_batch *)base;
    const struct vulkan_device *device = vulkan_batch_device(batch);
    VkMemoryBarrier2 barrier = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
        .srcStageMask = batch->stages,
        .srcAccessMask = VK_ACCESS_2_MEMORY_WRITE_BIT,
        .dstStageMask = batch->stages,
        .dstAccessMask = VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT,
    };
    VkDependencyInfo dependency = {.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
                                   .memoryBarrierCount = 1,
                                   .pMemoryBarriers = &barrier};
    vulkan_pass_leave(batch);
    if (wait)
        device->vk.vkCmdWaitEvents2(batch->commands, 1, &batch->splits[split], &dependency);
    else
        device->vk.vkCmdSetEvent2(batch->commands, batch->splits[split], &dependency);
    return true;
}

// Records a time stamp of a span. At the start of the span, a barrier makes the time stamp and
// later commands wait for earlier commands; an ordered batch may already have this barrier. The
// time stamp at the end waits for all earlier commands (ALL_COMMANDS). An unordered batch has a
// barrier after this time stamp, outside the span.
bool vulkan_batch_span(struct gpu_batch *base, unsigned span, bool end, struct error *err)
{
    (void)err;
    struct vulkan_batch *batch = (struct vulkan_batch *)base;
    vulkan_pass_leave(batch);
    if (!end) {
        if (batch->barrier_due)
            record_barrier(batch, GPU_BARRIER_MEMORY);
        else if (batch->base.desc.unordered)
            record_barrier(batch, GPU_BARRIER_EXECUTION);
        batch->barrier_due = false;
    }
    vulkan_batch_device(batch)->vk.vkCmdWriteTimestamp2(batch->commands,
                                                        VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
                                                        batch->stamps, 2 * span + (end ? 1 : 0));
    if (end &&
        batch->base.desc.unordered) // an ordered batch records a barrier before each command anyway
        record_barrier(batch, GPU_BARRIER_EXECUTION);
    return true;
}
