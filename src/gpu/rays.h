// SPDX-License-Identifier: MIT
// Trees (acceleration structures), building them, and tracing rays through them. Needs RAYS.
//
//   tree        boxes within boxes around triangles, around boxes, or around instances of trees
//   build       a command of a batch, like a dispatch; so are updates and copies of a tree
//
// Kernels trace rays through a tree of instances. Their params contain the tree's address, for
// accelerationStructureEXT(address). The caller keeps the tree, its input and the trees of its
// instances alive while they are in use. Batches with commands of this header, and batches whose
// kernels trace rays, are created with `rays`.
//
//   RAY_QUERY      compute kernels trace rays (rayQueryEXT)
//   RAY_PIPELINE   kernels of stage RAYGEN do (traceRayEXT). gpu_program_create takes such a kernel
//                  with a `miss` and a `closest_hit` kernel, and, unless they are NULL, an
//                  `any_hit` kernel for what is not opaque and an `intersection` kernel for boxes,
//                  in place of triangles. These four kernels have no arguments, and get the same
//                  params as the RAYGEN kernel. A workgroup of a dispatch has GPU_RAYS_GROUP
//                  threads, side by side along x.
//
// As in gpu.h, recording returns nothing and the batch keeps the first error.
#ifndef GPU_RAYS_H
#define GPU_RAYS_H

#include "gpu/gpu.h"

enum {
    GPU_RAYS_GROUP = 64
};

enum gpu_tree_kind {
    GPU_TREE_TRIANGLES, // input: float[3][3] for each triangle, its corners
    GPU_TREE_BOXES,     // input: float[2][3] for each box, its least and its greatest corner
    GPU_TREE_INSTANCES  // input: struct gpu_tree_instance for each instance
};

// The layout is that of VkAccelerationStructureInstanceKHR.
struct gpu_tree_instance {
    float rows[3][4]; // from the tree's space to the world: rotation and scale, then translation
    uint32_t number : 24, mask : 8; // rays that have no bit in common with `mask` ignore it
    uint32_t reserved;              // 0
    uint64_t tree;                  // gpu_tree_address
};

struct gpu_tree_desc {
    enum gpu_tree_kind kind;
    struct gpu_buffer *input; // on the device; a build reads it
    uint32_t count;           // primitives: triangles, boxes or instances; > 0
    bool opaque;              // a hit counts without an any-hit kernel; not for INSTANCES
    bool fast_build;          // the build should be fast; false: the rays should be fast
    bool updates;             // the tree can be updated
    bool compacts;            // the tree can be compacted
};

// Creates a tree that is not built yet, with the memory that its build needs. Fails with
// ERROR_UNSUPPORTED if the device allows fewer primitives.
struct gpu_tree;
struct gpu_tree *gpu_tree_create(struct gpu_scope *scope, const struct gpu_tree_desc *desc,
                                 struct error *err);

// Creates a tree of `bytes` bytes that receives copies of `from`. It cannot be built or updated.
struct gpu_tree *gpu_tree_create_copy(struct gpu_scope *scope, const struct gpu_tree *from,
                                      uint64_t bytes, struct error *err);

uint64_t gpu_tree_bytes(const struct gpu_tree *tree); // without the memory that only builds use
uint64_t gpu_tree_address(const struct gpu_tree *tree);

// Reads the size that a compacted copy of the tree needs. The tree must have been created with
// `compacts`, and its build must be done. Like gpu_buffer_read, this waits for the device's first
// queue and is not for timing.
MUST_CHECK bool gpu_tree_compact_bytes(struct gpu_tree *tree, uint64_t *bytes, struct error *err);

// Records a build from the input.
void gpu_batch_tree_build(struct gpu_batch *batch, struct gpu_tree *tree);

// Records an update in place: the input has the same primitives at other places.
void gpu_batch_tree_update(struct gpu_batch *batch, struct gpu_tree *tree);

// Records a copy to `to`, a tree of gpu_tree_create_copy. If `compact` is true, the copy is
// compacted, and `from` must have been created with `compacts`; else `to` must have at least the
// bytes of `from`.
void gpu_batch_tree_copy(struct gpu_batch *batch, struct gpu_tree *to, struct gpu_tree *from,
                         bool compact);

#endif
