// SPDX-License-Identifier: MIT
#include "gpu/rays.h"

#include "gpu/front.h"

#include <inttypes.h>

_Static_assert(sizeof(struct gpu_tree_instance) == 64, "the API gives the layout of instances");

// ---------------------------------------------------------------- trees

static uint64_t primitive_bytes(enum gpu_tree_kind kind)
{
    static const uint64_t bytes[] = {
        [GPU_TREE_TRIANGLES] = sizeof(float[3][3]),
        [GPU_TREE_BOXES] = sizeof(float[2][3]),
        [GPU_TREE_INSTANCES] = sizeof(struct gpu_tree_instance),
    };
    return bytes[kind];
}

static bool check_tree(const struct gpu_device *device, const struct gpu_tree_desc *desc,
                       struct error *err)
{
    if (!gpu_require(device->info, GPU_CAP(RAYS), err) ||
        !gpu_require(device->info, GPU_CAP(ADDRESSES), err))
        return error_prefix(err, "tree");
    if ((unsigned)desc->kind > GPU_TREE_INSTANCES || desc->count == 0)
        return error_set(err, ERROR_INTERNAL, "tree of %" PRIu32 " primitives of kind %d",
                         desc->count, (int)desc->kind);
    return gpu_object_check(device, desc->input, "tree: buffer", err) &&
           gpu_range_check(desc->input, 0, desc->count * primitive_bytes(desc->kind), "tree", err);
}

static struct gpu_tree *create(struct gpu_scope *scope, const struct gpu_tree_desc *desc,
                               uint64_t copy_bytes, struct error *err)
{
    struct gpu_device *device = scope->device;
    struct gpu_tree *tree = device->backend->rays->tree_create(scope, desc, copy_bytes, err);
    if (!gpu_device_note(device, tree, err))
        return NULL;
    tree->desc = *desc;
    tree->is_copy = copy_bytes > 0;
    gpu_object_adopt(scope, &tree->object, GPU_OBJECT_TREE);
    return tree;
}

struct gpu_tree *gpu_tree_create(struct gpu_scope *scope, const struct gpu_tree_desc *desc,
                                 struct error *err)
{
    if (!gpu_device_check(scope->device, err) || !check_tree(scope->device, desc, err))
        return NULL;
    return create(scope, desc, 0, err);
}

struct gpu_tree *gpu_tree_create_copy(struct gpu_scope *scope, const struct gpu_tree *from,
                                      uint64_t bytes, struct error *err)
{
    if (!gpu_device_check(scope->device, err))
        return NULL;
    if (bytes == 0 || from->object.scope->device != scope->device) {
        error_set(err, ERROR_INTERNAL, "copy of a tree: %" PRIu64 " bytes on %s", bytes,
                  scope->device->info->id);
        return NULL;
    }
    return create(scope, &from->desc, bytes, err);
}

uint64_t gpu_tree_bytes(const struct gpu_tree *tree)
{
    return tree->bytes;
}

uint64_t gpu_tree_address(const struct gpu_tree *tree)
{
    return tree->address;
}

bool gpu_tree_compact_bytes(struct gpu_tree *tree, uint64_t *bytes, struct error *err)
{
    struct gpu_device *device = tree->object.scope->device;
    *bytes = 0;
    if (!tree->desc.compacts || tree->is_copy)
        return error_set(err, ERROR_INTERNAL, "the tree was made without `compacts`");
    return gpu_host_copy_check(device, err) &&
           gpu_device_note(device, device->backend->rays->tree_compact_bytes(tree, bytes, err),
                           err);
}

// ---------------------------------------------------------------- recording

static bool check_command(const struct gpu_batch *batch, const struct gpu_tree *tree,
                          struct error *err)
{
    if (!gpu_record_check(batch, err))
        return false;
    if (!batch->desc.rays)
        return error_set(err, ERROR_INTERNAL, "the batch was not made for rays");
    return gpu_object_check(gpu_batch_device(batch), tree, "tree", err);
}

static void record_build(struct gpu_batch *batch, struct gpu_tree *tree, bool update)
{
    struct error err;
    bool ok = check_command(batch, tree, &err);
    if (ok && tree->is_copy)
        ok = error_set(&err, ERROR_INTERNAL, "build of a tree that is a copy");
    if (ok && update && !tree->desc.updates)
        ok = error_set(&err, ERROR_INTERNAL, "the tree was made without `updates`");
    ok = ok && gpu_batch_device(batch)->backend->rays->batch_tree_build(batch, tree, update, &err);
    gpu_record_count(batch, ok, &err);
}

void gpu_batch_tree_build(struct gpu_batch *batch, struct gpu_tree *tree)
{
    record_build(batch, tree, false);
}

void gpu_batch_tree_update(struct gpu_batch *batch, struct gpu_tree *tree)
{
    record_build(batch, tree, true);
}

void gpu_batch_tree_copy(struct gpu_batch *batch, struct gpu_tree *to, struct gpu_tree *from,
                         bool compact)
{
    struct error err;
    bool ok = check_command(batch, to, &err) && check_command(batch, from, &err);
    if (ok && (!to->is_copy || to->desc.kind != from->desc.kind || to == from))
        ok = error_set(&err, ERROR_INTERNAL, "copy of a tree: it was not made for the copy");
    if (ok && compact && !from->desc.compacts)
        ok = error_set(&err, ERROR_INTERNAL, "the tree was made without `compacts`");
    if (ok && !compact && to->bytes < from->bytes)
        ok = error_set(&err, ERROR_INTERNAL,
                       "copy of a tree of %" PRIu64 " bytes to %" PRIu64 " bytes", from->bytes,
                       to->bytes);
    ok = ok &&
         gpu_batch_device(batch)->backend->rays->batch_tree_copy(batch, to, from, compact, &err);
    gpu_record_count(batch, ok, &err);
}
