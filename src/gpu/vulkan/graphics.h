// SPDX-License-Identifier: MIT
// Drawing through Vulkan, with dynamic rendering.
//
//   target.c   colour images and their depth buffers
//   draw.c     render passes and the draws in them
//
// Between batches, the image of a target is in the layout for draws: a batch whose kernels read the
// image restores the layout at its end. So a batch can be submitted any number of times.
#ifndef GPU_VULKAN_GRAPHICS_H
#define GPU_VULKAN_GRAPHICS_H

#include "gpu/vulkan/api.h"

struct vulkan_target {
    struct gpu_target base;
    // the target's colour image; color.layout is the layout in which kernels read it
    struct vulkan_image color;
    // the target's depth buffer; its handles are VK_NULL_HANDLE if the target has none
    struct vulkan_image depth;
};

#define VULKAN_DEPTH_FORMAT VK_FORMAT_D32_SFLOAT

struct vulkan_draw_program {
    struct gpu_draw_program base;
    struct vulkan_layouts layouts;
    VkPipeline pipeline;
};

// The state of a batch with draws while it is recorded: the open render pass and the bound objects.
struct vulkan_pass {
    struct arena *arena;
    const struct vulkan_target *target; // target of the open render pass; NULL if none is open
    const struct vulkan_draw_program *program; // draw program that is bound; NULL if none is bound
    // arguments that are bound for `program`
    struct gpu_arg args[GPU_ARGS_MAX];
    VkDescriptorSet set;
    unsigned char push[GPU_PARAMS_MAX_BYTES]; // push constants that the pass recorded last
    // size of `push` in bytes; 0 if the open render pass has recorded no push constants
    uint32_t push_bytes;
    // targets whose image is in the layout for kernels at present
    const struct vulkan_target **readable;
    size_t readable_count, readable_capacity;
};

// ---------------------------------------------------------------- target.c

GPU_SLOT(gpu_graphics, target_create) vulkan_target_create;
void vulkan_target_destroy(struct vulkan_device *device, struct vulkan_target *target);

// ---------------------------------------------------------------- program.c

GPU_SLOT(gpu_graphics, program_create) vulkan_draw_program_create;
void vulkan_draw_program_destroy(struct vulkan_device *device, struct vulkan_draw_program *program);

// ---------------------------------------------------------------- draw.c

struct vulkan_pass *vulkan_pass_create(struct arena *arena);

// Resets `pass`: no render pass is open, nothing is bound, and no image is in the layout for
// kernels. Must be called when a new recording of the batch begins.
void vulkan_pass_forget(struct vulkan_pass *pass);

// Must be called at the end of a recording. Ends the render pass. Changes the image of each target
// that is in the layout for kernels back to the layout for draws.
void vulkan_pass_end_batch(struct vulkan_batch *batch);

GPU_SLOT(gpu_graphics, batch_draw) vulkan_batch_draw;
GPU_SLOT(gpu_graphics, batch_barrier_target) vulkan_batch_barrier_target;
GPU_SLOT(gpu_graphics, batch_copy_target) vulkan_batch_copy_target;

#endif
