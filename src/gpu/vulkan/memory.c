// SPDX-License-Identifier: MIT
// Device memory and buffers. Each buffer has a VkDeviceMemory of its own.
#include "gpu/vulkan/api.h"

#include <inttypes.h>

struct preference {
    VkMemoryPropertyFlags needed, preferred, avoided;
};

static const struct preference preferences[] = {
    [GPU_MEMORY_DEVICE] = {.needed = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
                           .avoided = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT},
    [GPU_MEMORY_UPLOAD] = {.needed = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                     VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
                           .avoided = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT |
                                      VK_MEMORY_PROPERTY_HOST_CACHED_BIT},
    [GPU_MEMORY_READBACK] = {.needed = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                       VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
                             .preferred = VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
                             .avoided = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT},
    [GPU_MEMORY_VISIBLE] = {.needed = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT |
                                      VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                      VK_MEMORY_PROPERTY_HOST_COHERENT_BIT},
};

static int count_bits(VkMemoryPropertyFlags flags)
{
    int count = 0;
    for (; flags; flags &= flags - 1)
        count++;
    return count;
}

// Returns the index of the first usable memory type with the fewest faults (preferred flags that it
// lacks, and avoided flags that it has); −1 if no type is usable.
static int choose_type(const VkPhysicalDeviceMemoryProperties *memory, uint32_t allowed,
                       const struct preference *preference)
{
    const VkMemoryPropertyFlags special =
        VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT | VK_MEMORY_PROPERTY_PROTECTED_BIT |
        VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD | VK_MEMORY_PROPERTY_DEVICE_UNCACHED_BIT_AMD;
    int best = -1, best_departures = 0;
    for (uint32_t i = 0; i < memory->memoryTypeCount; i++) {
        VkMemoryPropertyFlags flags = memory->memoryTypes[i].propertyFlags;
        if (!(allowed >> i & 1) || (flags & preference->needed) != preference->needed ||
            flags & special)
            continue;
        int departures =
            count_bits(preference->preferred & ~flags) + count_bits(preference->avoided & flags);
        if (best < 0 || departures < best_departures) {
            best = (int)i;
            best_departures = departures;
        }
    }
    return best;
}

bool vulkan_memory_allocate(const struct vulkan_device *device,
                            const struct vulkan_allocation *allocation, VkDeviceMemory *memory,
                            struct error *err)
{
    int type = choose_type(&device->physical->memory, allocation->needs.memoryTypeBits,
                           &preferences[allocation->memory]);
    if (type < 0)
        return error_set(err, ERROR_UNSUPPORTED, "%s: %s has no memory that is %s",
                         allocation->what, device->info->id,
                         allocation->memory == GPU_MEMORY_VISIBLE
                             ? "both device-local and host-visible"
                             : "of this kind");
    VkMemoryAllocateFlagsInfo flags = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
        .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
    };
    VkMemoryAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
        .pNext = allocation->address ? &flags : NULL,
        .allocationSize = allocation->needs.size,
        .memoryTypeIndex = (uint32_t)type,
    };
    VkResult result = device->vk.vkAllocateMemory(device->handle, &info, NULL, memory);
    if (result == VK_SUCCESS)
        return true;
    return vulkan_error(err, result, "%s: %" PRIu64 " bytes of memory type %d on %s",
                        allocation->what, allocation->needs.size, type, device->info->id);
}

bool vulkan_buffer_make(const struct vulkan_device *device, uint64_t bytes,
                        VkBufferUsageFlags usage, VkBuffer *buffer, struct error *err)
{
    bool shared = device->family_count > 1;
    VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .size = bytes,
        .usage = usage,
        .sharingMode = shared ? VK_SHARING_MODE_CONCURRENT : VK_SHARING_MODE_EXCLUSIVE,
        .queueFamilyIndexCount = shared ? device->family_count : 0,
        .pQueueFamilyIndices = device->families,
    };
    VkResult result = device->vk.vkCreateBuffer(device->handle, &info, NULL, buffer);
    return result == VK_SUCCESS ||
           vulkan_error(err, result, "buffer of %" PRIu64 " bytes on %s", bytes, device->info->id);
}

bool vulkan_buffer_init(const struct vulkan_device *device, const struct gpu_buffer_desc *desc,
                        VkBufferUsageFlags usage, const char *what, struct vulkan_buffer *buffer,
                        struct error *err)
{
    bool address = usage & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    struct vulkan_allocation allocation = {
        .memory = desc->memory, .address = address, .what = what};
    if (!vulkan_buffer_make(device, desc->bytes, usage, &buffer->handle, err))
        return false;
    device->vk.vkGetBufferMemoryRequirements(device->handle, buffer->handle, &allocation.needs);
    if (!vulkan_memory_allocate(device, &allocation, &buffer->memory, err))
        return false;
    VkResult result =
        device->vk.vkBindBufferMemory(device->handle, buffer->handle, buffer->memory, 0);
    if (result == VK_SUCCESS && desc->memory != GPU_MEMORY_DEVICE)
        result = device->vk.vkMapMemory(device->handle, buffer->memory, 0, VK_WHOLE_SIZE, 0,
                                        &buffer->base.mapped);
    if (result == VK_SUCCESS && desc->memory != GPU_MEMORY_DEVICE && !buffer->base.mapped)
        result = VK_ERROR_MEMORY_MAP_FAILED;
    if (result != VK_SUCCESS)
        return vulkan_error(err, result, "%s of %" PRIu64 " bytes", what, desc->bytes);
    VkBufferDeviceAddressInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
                                      .buffer = buffer->handle};
    if (address)
        buffer->base.address = device->vk.vkGetBufferDeviceAddress(device->handle, &info);
    return true;
}

struct gpu_buffer *vulkan_buffer_create(struct gpu_scope *scope, const struct gpu_buffer_desc *desc,
                                        struct error *err)
{
    struct vulkan_device *device = vulkan_scope_device(scope);
    struct vulkan_buffer *buffer = ARENA_NEW(scope->arena, struct vulkan_buffer);
    // All texel usages, because a typed view puts a second VkBuffer over the same memory.
    VkBufferUsageFlags usage =
        VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
        VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT |
        VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    if (device->info->caps & GPU_CAP(ADDRESSES))
        usage |= VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    if (device->info->caps & GPU_CAP(RAYS))
        usage |= VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_BUILD_INPUT_READ_ONLY_BIT_KHR;
    if (vulkan_buffer_init(device, desc, usage, "buffer", buffer, err))
        return &buffer->base;
    vulkan_buffer_destroy(device, buffer);
    return NULL;
}

void vulkan_buffer_destroy(struct vulkan_device *device, struct vulkan_buffer *buffer)
{
    device->vk.vkDestroyBuffer(device->handle, buffer->handle, NULL);
    device->vk.vkFreeMemory(device->handle, buffer->memory, NULL);
}
