// SPDX-License-Identifier: MIT
// Acceleration structures (trees). A tree has a buffer for itself and a second buffer for temporary
// data of builds. A tree that can only be the destination of copies lacks the second buffer.
#include "gpu/vulkan/rays.h"

#include <inttypes.h>

static bool is_instances(const struct gpu_tree_desc *desc)
{
    return desc->kind == GPU_TREE_INSTANCES;
}

static VkAccelerationStructureTypeKHR type_of(const struct gpu_tree_desc *desc)
{
    return is_instances(desc) ? VK_ACCELERATION_STRUCTURE_TYPE_TOP_LEVEL_KHR
                              : VK_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL_KHR;
}

// ---------------------------------------------------------------- descriptions for Vulkan

static VkAccelerationStructureGeometryKHR geometry_of(const struct gpu_tree_desc *desc)
{
    const VkDeviceOrHostAddressConstKHR input = {.deviceAddress = desc->input->address};
    VkAccelerationStructureGeometryKHR geometry = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_KHR,
        // With NO_DUPLICATE, any-hit runs once per ray and triangle, so it can count hits.
        .flags = is_instances(desc) ? 0
                 : desc->opaque     ? VK_GEOMETRY_OPAQUE_BIT_KHR
                                    : VK_GEOMETRY_NO_DUPLICATE_ANY_HIT_INVOCATION_BIT_KHR,
    };
    switch (desc->kind) {
    case GPU_TREE_TRIANGLES:
        geometry.geometryType = VK_GEOMETRY_TYPE_TRIANGLES_KHR;
        geometry.geometry.triangles = (VkAccelerationStructureGeometryTrianglesDataKHR){
            .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_TRIANGLES_DATA_KHR,
            .vertexFormat = VK_FORMAT_R32G32B32_SFLOAT,
            .vertexData = input,
            .vertexStride = sizeof(float[3]),
            .maxVertex = 3 * desc->count - 1,
            .indexType = VK_INDEX_TYPE_NONE_KHR,
        };
        break;
    case GPU_TREE_BOXES:
        geometry.geometryType = VK_GEOMETRY_TYPE_AABBS_KHR;
        geometry.geometry.aabbs = (VkAccelerationStructureGeometryAabbsDataKHR){
            .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_AABBS_DATA_KHR,
            .data = input,
            .stride = sizeof(float[2][3]),
        };
        break;
    case GPU_TREE_INSTANCES:
        geometry.geometryType = VK_GEOMETRY_TYPE_INSTANCES_KHR;
        geometry.geometry.instances = (VkAccelerationStructureGeometryInstancesDataKHR){
            .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_INSTANCES_DATA_KHR,
            .data = input,
        };
        break;
    }
    return geometry;
}

static VkAccelerationStructureBuildGeometryInfoKHR
build_of(const struct gpu_tree_desc *desc, const VkAccelerationStructureGeometryKHR *geometry)
{
    VkBuildAccelerationStructureFlagsKHR flags =
        desc->fast_build ? VK_BUILD_ACCELERATION_STRUCTURE_PREFER_FAST_BUILD_BIT_KHR
                         : VK_BUILD_ACCELERATION_STRUCTURE_PREFER_FAST_TRACE_BIT_KHR;
    if (desc->updates)
        flags |= VK_BUILD_ACCELERATION_STRUCTURE_ALLOW_UPDATE_BIT_KHR;
    if (desc->compacts)
        flags |= VK_BUILD_ACCELERATION_STRUCTURE_ALLOW_COMPACTION_BIT_KHR;
    return (VkAccelerationStructureBuildGeometryInfoKHR){
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_GEOMETRY_INFO_KHR,
        .type = type_of(desc),
        .flags = flags,
        .mode = VK_BUILD_ACCELERATION_STRUCTURE_MODE_BUILD_KHR,
        .geometryCount = 1,
        .pGeometries = geometry,
    };
}

// ---------------------------------------------------------------- memory

bool vulkan_ray_buffer(const struct vulkan_device *device, uint64_t bytes, VkBufferUsageFlags usage,
                       struct vulkan_buffer *buffer, struct error *err)
{
    const struct gpu_buffer_desc desc = {.bytes = bytes, .memory = GPU_MEMORY_DEVICE};
    return vulkan_buffer_init(device, &desc, usage | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT,
                              "memory for rays", buffer, err);
}

static bool make_scratch(const struct vulkan_device *device, uint64_t bytes,
                         struct vulkan_tree *tree, struct error *err)
{
    const uint64_t align = device->physical->scratch_align_bytes;
    if (!vulkan_ray_buffer(device, bytes + align, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
                           &tree->scratch, err))
        return false;
    tree->scratch_address = (tree->scratch.base.address + align - 1) / align * align;
    return true;
}

static bool make_structure(const struct vulkan_device *device, uint64_t bytes,
                           struct vulkan_tree *tree, struct error *err)
{
    if (!vulkan_ray_buffer(device, bytes, VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_STORAGE_BIT_KHR,
                           &tree->storage, err))
        return false;
    VkAccelerationStructureCreateInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_CREATE_INFO_KHR,
        .buffer = tree->storage.handle,
        .size = bytes,
        .type = type_of(&tree->base.desc),
    };
    VkResult result =
        device->vk.vkCreateAccelerationStructureKHR(device->handle, &info, NULL, &tree->handle);
    if (result != VK_SUCCESS)
        return vulkan_error(err, result, "tree of %" PRIu64 " bytes", bytes);
    VkAccelerationStructureDeviceAddressInfoKHR of = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_DEVICE_ADDRESS_INFO_KHR,
        .accelerationStructure = tree->handle};
    tree->base.bytes = bytes;
    tree->base.address = device->vk.vkGetAccelerationStructureDeviceAddressKHR(device->handle, &of);
    return true;
}

static bool check_count(const struct vulkan_device *device, const struct gpu_tree_desc *desc,
                        struct error *err)
{
    uint64_t most =
        is_instances(desc) ? device->physical->tree_instances : device->physical->tree_primitives;
    return desc->count <= most ||
           error_set(err, ERROR_UNSUPPORTED, "tree of %" PRIu32 " primitives, %s allows %" PRIu64,
                     desc->count, device->info->id, most);
}

static bool make_tree(const struct vulkan_device *device, uint64_t copy_bytes,
                      struct vulkan_tree *tree, struct error *err)
{
    if (copy_bytes)
        return make_structure(device, copy_bytes, tree, err);
    VkAccelerationStructureGeometryKHR geometry = geometry_of(&tree->base.desc);
    VkAccelerationStructureBuildGeometryInfoKHR build = build_of(&tree->base.desc, &geometry);
    VkAccelerationStructureBuildSizesInfoKHR sizes = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_SIZES_INFO_KHR};
    device->vk.vkGetAccelerationStructureBuildSizesKHR(
        device->handle, VK_ACCELERATION_STRUCTURE_BUILD_TYPE_DEVICE_KHR, &build,
        &tree->base.desc.count, &sizes);
    uint64_t scratch = sizes.buildScratchSize > sizes.updateScratchSize ? sizes.buildScratchSize
                                                                        : sizes.updateScratchSize;
    return make_structure(device, sizes.accelerationStructureSize, tree, err) &&
           make_scratch(device, scratch, tree, err);
}

struct gpu_tree *vulkan_tree_create(struct gpu_scope *scope, const struct gpu_tree_desc *desc,
                                    uint64_t copy_bytes, struct error *err)
{
    struct vulkan_device *device = vulkan_scope_device(scope);
    struct vulkan_tree *tree = ARENA_NEW(scope->arena, struct vulkan_tree);
    tree->base.desc = *desc;
    if (check_count(device, desc, err) && make_tree(device, copy_bytes, tree, err))
        return &tree->base;
    vulkan_tree_destroy(device, tree);
    return NULL;
}

void vulkan_tree_destroy(struct vulkan_device *device, struct vulkan_tree *tree)
{
    if (tree->handle)
        device->vk.vkDestroyAccelerationStructureKHR(device->handle, tree->handle, NULL);
    vulkan_buffer_destroy(device, &tree->storage);
    vulkan_buffer_destroy(device, &tree->scratch);
}

// ---------------------------------------------------------------- the size of the compacted tree

static bool query_compact_bytes(struct vulkan_device *device, const struct vulkan_tree *tree,
                                VkQueryPool pool, uint64_t *bytes, struct error *err)
{
    if (!vulkan_transfer_begin(device, err))
        return false;
    VkCommandBuffer commands = device->transfer.commands;
    device->vk.vkCmdResetQueryPool(commands, pool, 0, 1);
    device->vk.vkCmdWriteAccelerationStructuresPropertiesKHR(
        commands, 1, &tree->handle, VK_QUERY_TYPE_ACCELERATION_STRUCTURE_COMPACTED_SIZE_KHR, pool,
        0);
    if (!vulkan_transfer_end(device, err))
        return false;
    VkResult result = device->vk.vkGetQueryPoolResults(
        device->handle, pool, 0, 1, sizeof *bytes, bytes, sizeof *bytes,
        VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
    return result == VK_SUCCESS || vulkan_error(err, result, "size of the compacted tree");
}

bool vulkan_tree_compact_bytes(struct gpu_tree *base, uint64_t *bytes, struct error *err)
{
    struct vulkan_device *device = vulkan_device_of(&base->object);
    VkQueryPoolCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
        .queryType = VK_QUERY_TYPE_ACCELERATION_STRUCTURE_COMPACTED_SIZE_KHR,
        .queryCount = 1,
    };
    VkQueryPool pool;
    VkResult result = device->vk.vkCreateQueryPool(device->handle, &info, NULL, &pool);
    if (result != VK_SUCCESS)
        return vulkan_error(err, result, "size of the compacted tree: vkCreateQueryPool");
    bool ok = query_compact_bytes(device, (struct vulkan_tree *)base, pool, bytes, err);
    if (!device->base.hung)
        device->vk.vkDestroyQueryPool(device->handle, pool, NULL);
    return ok;
}

// ---------------------------------------------------------------- recording

VkPipelineStageFlags2 vulkan_ray_stages(const struct vulkan_device *device)
{
    return VK_PIPELINE_STAGE_2_ACCELERATION_STRUCTURE_BUILD_BIT_KHR |
           (device->info->caps & GPU_CAP(RAY_PIPELINE)
                ? VK_PIPELINE_STAGE_2_RAY_TRACING_SHADER_BIT_KHR
                : 0);
}

bool vulkan_batch_tree_build(struct gpu_batch *base, struct gpu_tree *of, bool update,
                             struct error *err)
{
    (void)err;
    struct vulkan_batch *batch = (struct vulkan_batch *)base;
    const struct vulkan_tree *tree = (const struct vulkan_tree *)of;
    VkAccelerationStructureGeometryKHR geometry = geometry_of(&tree->base.desc);
    VkAccelerationStructureBuildGeometryInfoKHR build = build_of(&tree->base.desc, &geometry);
    build.dstAccelerationStructure = tree->handle;
    build.scratchData.deviceAddress = tree->scratch_address;
    if (update) {
        build.mode = VK_BUILD_ACCELERATION_STRUCTURE_MODE_UPDATE_KHR;
        build.srcAccelerationStructure = tree->handle;
    }
    const VkAccelerationStructureBuildRangeInfoKHR range = {.primitiveCount =
                                                                tree->base.desc.count};
    const VkAccelerationStructureBuildRangeInfoKHR *ranges = &range;
    vulkan_batch_order(batch);
    vulkan_device_of(&base->object)
        ->vk.vkCmdBuildAccelerationStructuresKHR(batch->commands, 1, &build, &ranges);
    return true;
}

bool vulkan_batch_tree_copy(struct gpu_batch *base, struct gpu_tree *to, struct gpu_tree *from,
                            bool compact, struct error *err)
{
    (void)err;
    struct vulkan_batch *batch = (struct vulkan_batch *)base;
    const VkCopyAccelerationStructureInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_COPY_ACCELERATION_STRUCTURE_INFO_KHR,
        .src = ((struct vulkan_tree *)from)->handle,
        .dst = ((struct vulkan_tree *)to)->handle,
        .mode = compact ? VK_COPY_ACCELERATION_STRUCTURE_MODE_COMPACT_KHR
                        : VK_COPY_ACCELERATION_STRUCTURE_MODE_CLONE_KHR,
    };
    vulkan_batch_order(batch);
    vulkan_device_of(&base->object)->vk.vkCmdCopyAccelerationStructureKHR(batch->commands, &info);
    return true;
}
