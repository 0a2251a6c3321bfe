// SPDX-License-Identifier: MIT
// Drawing of triangles into an image, without a window. Needs the capability GRAPHICS.
//
//   target        a colour image to draw into, optionally with a depth buffer
//   draw program  a vertex and a fragment kernel, with blending and depth test
//   draw          a command of a batch, like a dispatch; the batch's queue must have graphics
//
// There are no vertex buffers: the vertex kernel computes the triangles from gl_VertexIndex and
// gl_InstanceIndex. Pixel (0, 0) is at the upper left. A pixel has one sample, at its centre.
#ifndef GPU_GRAPHICS_H
#define GPU_GRAPHICS_H

#include "gpu/gpu.h"

struct gpu_target_desc {
    enum gpu_format format;
    uint32_t width, height; // size of the target in pixels, above 0
    // True if the target has a depth buffer. Its values are 32-bit floats; 0 is near and 1 is far.
    bool depth;
};

// Creates a target with undefined contents. Fails with ERROR_UNSUPPORTED if the device cannot draw
// into images of this format or this size.
struct gpu_target;
struct gpu_target *gpu_target_create(struct gpu_scope *scope, const struct gpu_target_desc *desc,
                                     struct error *err);

// Returns the target's colours as an image for kernels (GPU_ARG_IMAGE, GPU_ARG_SAMPLED). Kernels of
// the same batch may read the image after a gpu_batch_barrier_target, until the next draw into the
// target or copy of its colours. The image lives as long as the target.
struct gpu_image *gpu_target_image(struct gpu_target *target);

// Returns true if draws can blend into the target. No device can blend into UINT formats.
bool gpu_target_blends(const struct gpu_target *target);

enum gpu_blend {
    GPU_BLEND_NONE, // no blending: the pixel gets the new colour
    // The pixel gets new · a + old · (1 − a), where a is the alpha of the new colour. The alpha of
    // the pixel is computed in the same way.
    GPU_BLEND_ALPHA,
    GPU_BLEND_ADD // the pixel gets the sum of the new and the old colour
};

enum gpu_depth {
    GPU_DEPTH_OFF,
    GPU_DEPTH_TEST, // draws only pixels that are nearer than the stored depth
    GPU_DEPTH_WRITE // draws only pixels nearer than the stored depth, and stores their depth
};

struct gpu_draw_program_desc {
    const struct gpu_kernel *vertex;
    // fragment kernel; if it is NULL, draws write no colours
    const struct gpu_kernel *fragment;
    // The program can draw into every target with the same format and the same `depth` as this
    // target.
    const struct gpu_target *target;
    enum gpu_blend blend;
    enum gpu_depth depth;
    bool cull; // true: drops triangles whose corners run counter-clockwise on the screen
};

// Compiles the two kernels of a draw program. Both get the same arguments, so the shorter list must
// be the beginning of the longer one. Bindings and push constants are as for a dispatch. A vertex
// kernel may not write to buffers.
struct gpu_draw_program;
struct gpu_draw_program *gpu_draw_program_create(struct gpu_scope *scope,
                                                 const struct gpu_draw_program_desc *desc,
                                                 struct error *err);

enum gpu_load { // contents of the target when a draw begins
    GPU_LOAD_KEEP,
    GPU_LOAD_CLEAR,  // the contents are cleared: colour 0, depth 1
    GPU_LOAD_DISCARD // the contents are undefined; for draws that cover the whole target
};

struct gpu_draw {
    struct gpu_draw_program *program;
    struct gpu_target *target;
    // number of vertices, three for each triangle; number of instances, 0 means 1
    uint32_t vertices, instances;
    enum gpu_load load;
    struct gpu_arg args[GPU_ARGS_MAX];
    const void *params; // values for the kernels, which are copied when the draw is recorded
    size_t params_bytes;
};

// Records a draw. The batch must have been created with `draws`. In an ordered batch, the draw
// waits for the command before it. In an unordered batch, consecutive draws into one target with
// GPU_LOAD_KEEP share a render pass. Each pixel then gets these draws in their order. Any other
// command ends the render pass. Two render passes into one target need a barrier between them.
void gpu_batch_draw(struct gpu_batch *batch, const struct gpu_draw *draw);

// Records a memory barrier for one storage image: later commands see what earlier kernels wrote to
// the image. Any batch may have such a barrier, also one without `draws`. If the API has no
// barriers for images, GPU_BARRIER_MEMORY is recorded instead.
void gpu_batch_barrier_image(struct gpu_batch *batch, struct gpu_image *image);

// Records a barrier after draws into a target. Kernels after the barrier see in the target's image
// what was drawn. The barrier changes the layout of the image. The next draw into the target, the
// next copy of its colours, or the end of the batch restores the layout.
void gpu_batch_barrier_target(struct gpu_batch *batch, struct gpu_target *target);

// Copies the target's colours to a buffer, as rows from top to bottom without gaps. The copy runs
// after the earlier draws of the batch and before its later draws.
void gpu_batch_copy_target(struct gpu_batch *batch, struct gpu_buffer *to, uint64_t to_offset,
                           struct gpu_target *target);

#endif
