// SPDX-License-Identifier: MIT
// Rasterisation, for devices with GRAPHICS: triangles drawn into an image without a window.
//
//   target        a colour image to draw into, with a depth buffer beside it where wanted
//   draw program  a vertex and a fragment kernel, and how what they yield meets the target
//   draw          a command of a batch, as a dispatch is one; its queue must be UNIVERSAL
//
// Triangles come from the vertex kernel alone, which makes them of gl_VertexIndex and
// gl_InstanceIndex. Pixels count from the upper left corner; one sample a pixel, at its centre.
//
// The rules of gpu.h hold here: recording returns nothing and the first error sticks to the batch.
#ifndef GPU_GRAPHICS_H
#define GPU_GRAPHICS_H

#include "gpu/gpu.h"

struct gpu_target_desc {
    enum gpu_format format;
    uint32_t width, height; // > 0
    bool depth;             // with a depth buffer of 32-bit floats, 0 is near and 1 far
};

// A target with undefined contents. ERROR_UNSUPPORTED where the device cannot draw into the format
// or so many pixels.
struct gpu_target;
struct gpu_target *gpu_target_create(struct gpu_scope *scope, const struct gpu_target_desc *desc,
                                     struct error *err);

// Its colours as an image that kernels read (GPU_ARG_IMAGE, GPU_ARG_SAMPLED): between
// gpu_batch_barrier_target and the next draw into the target. Lives as long as the target.
struct gpu_image *gpu_target_image(struct gpu_target *target);

// True where the format can be blended into (UINT formats cannot anywhere).
bool gpu_target_blends(const struct gpu_target *target);

enum gpu_blend {
    GPU_BLEND_NONE,  // the new colour
    GPU_BLEND_ALPHA, // new · a + old · (1 − a), a of the new colour; alpha likewise
    GPU_BLEND_ADD    // new + old
};

enum gpu_depth {
    GPU_DEPTH_OFF,
    GPU_DEPTH_TEST, // what is nearer than the depth buffer is drawn
    GPU_DEPTH_WRITE // … and its depth is kept
};

struct gpu_draw_program_desc {
    const struct gpu_kernel *vertex;
    const struct gpu_kernel *fragment; // NULL: depth only, colours stay as they are
    const struct gpu_target *target;   // it draws into this one, and others of its format and depth
    enum gpu_blend blend;
    enum gpu_depth depth;
    bool cull; // triangles whose corners go counter-clockwise on the screen are dropped
};

// Compiles both kernels. They share one list of arguments: the shorter of their lists must be the
// beginning of the longer. Bindings and push constants as for a dispatch; a vertex kernel may only
// read buffers.
struct gpu_draw_program;
struct gpu_draw_program *gpu_draw_program_create(struct gpu_scope *scope,
                                                 const struct gpu_draw_program_desc *desc,
                                                 struct error *err);

enum gpu_load { // what the target holds when a draw begins
    GPU_LOAD_KEEP,
    GPU_LOAD_CLEAR,  // colour 0, depth 1
    GPU_LOAD_DISCARD // undefined: the draw covers it, or nobody cares
};

struct gpu_draw {
    struct gpu_draw_program *program;
    struct gpu_target *target;
    uint32_t vertices, instances; // three vertices a triangle; 0 instances count as 1
    enum gpu_load load;
    struct gpu_arg args[GPU_ARGS_MAX];
    const void *params; // copied while recording
    size_t params_bytes;
};

// Draws, in a batch made with `draws`. Ordered batches put a barrier before it as before any
// command. In unordered ones, draws into one target that follow one another with GPU_LOAD_KEEP and
// nothing between share a render pass, in which the API keeps their order pixel by pixel; anything
// else ends the pass, and passes into one target need a barrier between.
void gpu_batch_draw(struct gpu_batch *batch, const struct gpu_draw *draw);

// Orders as GPU_BARRIER_MEMORY, but shows only what kernels wrote to this storage image. In any
// batch.
void gpu_batch_barrier_image(struct gpu_batch *batch, struct gpu_image *image);

// What was drawn into the target before is seen by kernels that read its image after. The image
// leaves the layout that draws want, and the next draw, or the end of the batch, takes it back.
void gpu_batch_barrier_target(struct gpu_batch *batch, struct gpu_target *target);

// Copies the colours to a buffer, rows tightly packed from the top, after all draws into the target
// that stand before it; draws that follow come after it.
void gpu_batch_copy_target(struct gpu_batch *batch, struct gpu_buffer *to, uint64_t to_offset,
                           struct gpu_target *target);

#endif
