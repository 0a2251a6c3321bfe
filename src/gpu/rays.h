// SPDX-License-Identifier: MIT
// Trees (acceleration structures), building them, and tracing rays through them. Needs RAYS.
//
//   tree        nested boxes around triangles, around boxes, or around instances of trees
//   build       a command of a batch, like a dispatch; so are updates and copies of a tree
//
// Kernels trace rays through a tree of instances. Their params contain the tree's address, for
// accelerationStructureEXT(address). The caller keeps the tree, its input and the trees of its
// instances alive while they are in use. Batches with commands of this header, and batches whose
// kernels trace rays, are created with `rays`.
//
//   RAY_QUERY      compute kernels trace rays (rayQueryEXT)
//   RAY_PIPELINE   RAYGEN kernels trace rays (traceRayEXT). gpu_program_create takes such a kernel
//                  with a `miss` and a `closest_hit` kernel, and, unless they are NULL, an
//                  `any_hit` kernel for what is not opaque and an `intersection` kernel for boxes,
//                  in place of triangles. These four kernels have no arguments, and get the same
//                  params as the RAYGEN kernel. A workgroup of a dispatch has GPU_RAYS_GROUP
//                  threads, side by side along x.
//
// As in gpu.h, functions that record return nothing; the batch keeps the first error.
#ifndef GPU_RAYS_H
#define GPU_RAYS_H

#include "gpu/gpu.h"

enum {
    GPU_RAYS_GROUP = 64
};

enum gpu_tree_kind {
    GPU_TREE_TRIANGLES, // input: the three corners of each triangle, float[3][3]
    GPU_TREE_BOXES,     // input: the minimum and the maximum corner of each box, float[2][3]
    GPU_TREE_INSTANCES  // input: a struct gpu_tree_instance for each instance
};

// A tree placed in the world. Has the layout of VkAccelerationStructureInstanceKHR.
struct gpu_tree_instance {
    // Matrix that maps the tree's space to the world. Its last column is the translation.
    float rows[3][4];
    // `number`: the custom index by which kernels know the instance. `mask`: a ray hits the
    // instance only if the ray's own mask shares a bit with this mask.
    uint32_t number : 24, mask : 8;
    uint32_t reserved; // not used; must be 0
    uint64_t tree;     // address of this instance's tree (gpu_tree_address)
};

struct gpu_tree_desc {
    enum gpu_tree_kind kind;
    struct gpu_buffer *input; // device buffer from which builds read the primitives
    uint32_t count;           // number of primitives (triangles, boxes or instances); > 0
    bool opaque;              // true: a hit counts without an any-hit kernel; not for INSTANCES
    bool fast_build;          // true: optimise for fast builds; false: for fast rays
    bool updates;             // true: the tree can be updated
    bool compacts;            // true: the tree can be compacted
};

// Creates a tree (acceleration structure) that is not built yet, with the memory that its build
// needs. Fails with ERROR_UNSUPPORTED if the device allows only fewer primitives.
struct gpu_tree;
struct gpu_tree *gpu_tree_create(struct gpu_scope *scope, const struct gpu_tree_desc *desc,
                                 struct error *err);

// Creates a tree of `bytes` bytes, into which `from` can be copied. It cannot be built or updated.
struct gpu_tree *gpu_tree_create_copy(struct gpu_scope *scope, const struct gpu_tree *from,
                                      uint64_t bytes, struct error *err);

// Returns the size of the tree in bytes, without memory that only builds use.
uint64_t gpu_tree_bytes(const struct gpu_tree *tree);
uint64_t gpu_tree_address(const struct gpu_tree *tree);

// Reads the size that a compacted copy of the tree needs. The tree must have been created with
// `compacts`, and its build must be done. Like gpu_buffer_read, this waits for the work of the
// device's first queue and is not for timing.
MUST_CHECK bool gpu_tree_compact_bytes(struct gpu_tree *tree, uint64_t *bytes, struct error *err);

// Records a build of the tree from its input.
void gpu_batch_tree_build(struct gpu_batch *batch, struct gpu_tree *tree);

// Records an update of the tree in place. Its input must contain the same primitives as before, but
// their positions may differ.
void gpu_batch_tree_update(struct gpu_batch *batch, struct gpu_tree *tree);

// Records a copy of the tree `from` to `to`, which gpu_tree_create_copy has made. If `compact` is
// true, the copy is compacted, and `from` must have been created with `compacts`; else `to` must be
// at least as large as `from`.
void gpu_batch_tree_copy(struct gpu_batch *batch, struct gpu_tree *to, struct gpu_tree *from,
                         bool compact);

#endif
