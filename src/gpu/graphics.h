// SPDX-License-Identifier: MIT
// Drawing triangles into an image, without a window. Needs GRAPHICS.
//
//   target        a colour image to draw into, optionally with a depth buffer
//   draw program  a vertex and a fragment kernel, with blending and depth test
//   draw          a command of a batch, like a dispatch; its queue must have graphics
//
// There are no vertex buffers: the vertex kernel computes the triangles from gl_VertexIndex and
// gl_InstanceIndex. Pixel (0, 0) is at the upper left. A pixel has one sample, at its centre.
//
// As in gpu.h, functions that record return nothing; the batch keeps the first error.
#ifndef GPU_GRAPHICS_H
#define GPU_GRAPHICS_H

#include "gpu/gpu.h"

struct gpu_target_desc {
    enum gpu_format format;
    uint32_t width, height; // size of the target in pixels; > 0
    // True: the target has a depth buffer of 32-bit floats, in which 0 is near and 1 is far.
    bool depth;
};

// Creates a target with undefined contents. Fails with ERROR_UNSUPPORTED if the device cannot draw
// into the format, or only into smaller targets.
struct gpu_target;
struct gpu_target *gpu_target_create(struct gpu_scope *scope, const struct gpu_target_desc *desc,
                                     struct error *err);

// Returns the target's colours as an image for kernels (GPU_ARG_IMAGE, GPU_ARG_SAMPLED). Kernels
// may read the image between gpu_batch_barrier_target and the next draw into the target. The image
// lives as long as the target.
struct gpu_image *gpu_target_image(struct gpu_target *target);

// True if draws can blend into the target. No device can blend into UINT formats.
bool gpu_target_blends(const struct gpu_target *target);

enum gpu_blend {
    GPU_BLEND_NONE, // no blending: the pixel gets the new colour
    // The pixel gets new · a + old · (1 − a), where a is the new colour's alpha. The pixel's alpha
    // is computed in the same way.
    GPU_BLEND_ALPHA,
    GPU_BLEND_ADD // the pixel gets new + old colour
};

enum gpu_depth {
    GPU_DEPTH_OFF,
    GPU_DEPTH_TEST, // draw only pixels that are nearer than the stored depth
    GPU_DEPTH_WRITE // like GPU_DEPTH_TEST, and store the depth of the pixels drawn
};

struct gpu_draw_program_desc {
    const struct gpu_kernel *vertex;
    const struct gpu_kernel *fragment; // fragment kernel; NULL: draws write only depth, not colours
    // The program can draw into any target with this target's format and `depth`.
    const struct gpu_target *target;
    enum gpu_blend blend;
    enum gpu_depth depth;
    bool cull; // true: drop triangles whose corners run counter-clockwise on the screen
};

// Compiles the vertex and the fragment kernel of a draw program. They share one list of arguments:
// the shorter of their lists must be the beginning of the longer one. Bindings and push constants
// are as for a dispatch. A vertex kernel may read buffers but not write to them.
struct gpu_draw_program;
struct gpu_draw_program *gpu_draw_program_create(struct gpu_scope *scope,
                                                 const struct gpu_draw_program_desc *desc,
                                                 struct error *err);

enum gpu_load { // what the target contains when a draw begins
    GPU_LOAD_KEEP,
    GPU_LOAD_CLEAR,  // the target is cleared first: colour 0, depth 1
    GPU_LOAD_DISCARD // undefined contents; for draws that cover the whole target
};

struct gpu_draw {
    struct gpu_draw_program *program;
    struct gpu_target *target;
    // Number of vertices (three make a triangle) and of instances (0 counts as 1).
    uint32_t vertices, instances;
    enum gpu_load load;
    struct gpu_arg args[GPU_ARGS_MAX];
    const void *params; // values for the kernels, copied when the draw is recorded
    size_t params_bytes;
};

// Records a draw. The batch must have been created with `draws`. In an ordered batch there is a
// barrier before the draw, as before any command. In an unordered batch, consecutive draws into one
// target with GPU_LOAD_KEEP share a render pass, in which the API keeps their order for each pixel.
// Any other command ends the pass. Two passes into one target need a barrier between them.
void gpu_batch_draw(struct gpu_batch *batch, const struct gpu_draw *draw);

// Records a memory barrier for this storage image only: later commands see what kernels wrote to
// it. Allowed in all batches, also in those without `draws`. An API without such barriers uses
// GPU_BARRIER_MEMORY.
void gpu_batch_barrier_image(struct gpu_batch *batch, struct gpu_image *image);

// Records a barrier: kernels that read the target's image after it see what was drawn before it.
// The barrier changes the layout of the image. The next draw into the target, the next copy of it,
// or the end of the batch changes the layout back.
void gpu_batch_barrier_target(struct gpu_batch *batch, struct gpu_target *target);

// Copies the target's colours to a buffer, as tightly packed rows from top to bottom. The copy runs
// after the earlier draws of the batch and before its later draws.
void gpu_batch_copy_target(struct gpu_batch *batch, struct gpu_buffer *to, uint64_t to_offset,
                           struct gpu_target *target);

#endif
