// SPDX-License-Identifier: MIT
// Trees (acceleration structures): building them, and tracing rays through them. Needs RAYS.
//
//   tree        nested boxes around triangles, around boxes, or around instances of trees
//   build       a command of a batch, like a dispatch; updates and copies are commands, too
//
// Kernels trace rays through a tree of instances. Their params contain the tree's address, for
// accelerationStructureEXT(address). While kernels use a tree, the caller must keep the tree, its
// input and the trees of its instances. A batch with commands of this header, or with kernels that
// trace rays, must be created with `rays`.
//
//   RAY_QUERY      compute kernels trace rays (rayQueryEXT)
//   RAY_PIPELINE   RAYGEN kernels trace rays (traceRayEXT). gpu_program_create gets such a kernel
//                  with a `miss` and a `closest_hit` kernel. It may also get an `any_hit` kernel
//                  for trees that are not opaque, and an `intersection` kernel for boxes in place
//                  of triangles. These four kernels have no arguments, and get the params of the
//                  RAYGEN kernel. A workgroup of a dispatch has GPU_RAYS_GROUP threads, side by
//                  side along x.
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

// A placed tree (instance). The struct is laid out as VkAccelerationStructureInstanceKHR.
struct gpu_tree_instance {
    // matrix that maps the space of the tree to the world; its last column is the translation
    float rows[3][4];
    // `number` is the index of the instance that kernels read (custom index). `mask`: a ray can hit
    // the instance only if this mask and the ray's mask have a common bit.
    uint32_t number : 24, mask : 8;
    uint32_t reserved; // unused; must be 0
    // address of the tree that this instance places (gpu_tree_address)
    uint64_t tree;
};

struct gpu_tree_desc {
    enum gpu_tree_kind kind;
    struct gpu_buffer *input; // device buffer from which builds read the primitives
    uint32_t count;           // number of primitives (triangles, boxes or instances), above 0
    bool opaque;     // true: every hit counts, and no any-hit kernel runs; not for INSTANCES
    bool fast_build; // true: the tree is optimised for fast builds; false: for fast rays
    bool updates;    // true: gpu_batch_tree_update is allowed
    bool compacts;   // true: compacted copies are allowed
};

// Creates a tree with the memory that its build needs, but does not build it. Fails with
// ERROR_UNSUPPORTED if the tree has more primitives than the device allows.
struct gpu_tree;
struct gpu_tree *gpu_tree_create(struct gpu_scope *scope, const struct gpu_tree_desc *desc,
                                 struct error *err);

// Creates a tree of `bytes` bytes into which `from` can be copied. The new tree can be neither
// built nor updated.
struct gpu_tree *gpu_tree_create_copy(struct gpu_scope *scope, const struct gpu_tree *from,
                                      uint64_t bytes, struct error *err);

// Returns the size of the tree in bytes. Memory that only builds use is not counted.
uint64_t gpu_tree_bytes(const struct gpu_tree *tree);
uint64_t gpu_tree_address(const struct gpu_tree *tree);

// Sets *bytes to the size that a compacted copy of the tree needs. The tree must have been created
// with `compacts`, and its build must be done. This function waits for the work of the device's
// first queue, as gpu_buffer_read does, and is not for timing.
MUST_CHECK bool gpu_tree_compact_bytes(struct gpu_tree *tree, uint64_t *bytes, struct error *err);

// Records a build of the tree from its input.
void gpu_batch_tree_build(struct gpu_batch *batch, struct gpu_tree *tree);

// Records an update of the tree in place. The tree's input must contain the same primitives as
// before; only their positions may differ.
void gpu_batch_tree_update(struct gpu_batch *batch, struct gpu_tree *tree);

// Records a copy of the tree `from` to `to`, a tree that gpu_tree_create_copy has made. If
// `compact` is true, the copy is compacted, and `from` must have been created with `compacts`.
// Otherwise `to` must be at least as large as `from`.
void gpu_batch_tree_copy(struct gpu_batch *batch, struct gpu_tree *to, struct gpu_tree *from,
                         bool compact);

#endif
