// SPDX-License-Identifier: MIT
// Queue families and cores, for gpu_info.
#include "gpu/vulkan/api.h"

static bool is_general(VkQueueFlags flags)
{
    // Video and optical flow engines copy too, but are not what one means by a transfer queue.
    const VkQueueFlags known = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT |
                               VK_QUEUE_TRANSFER_BIT | VK_QUEUE_SPARSE_BINDING_BIT |
                               VK_QUEUE_PROTECTED_BIT;
    return (flags & (VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT)) ||
           ((flags & VK_QUEUE_TRANSFER_BIT) && !(flags & ~known));
}

static enum gpu_queue_kind kind_of(VkQueueFlags flags)
{
    if (!(flags & VK_QUEUE_COMPUTE_BIT))
        return GPU_QUEUE_TRANSFER;
    return flags & VK_QUEUE_GRAPHICS_BIT ? GPU_QUEUE_UNIVERSAL : GPU_QUEUE_COMPUTE;
}

void vulkan_families_fill(struct vulkan_physical *physical, struct gpu_info *info,
                          struct arena *scratch)
{
    uint32_t count = 0;
    vkGetPhysicalDeviceQueueFamilyProperties(physical->handle, &count, NULL);
    VkQueueFamilyProperties *found = ARENA_ARRAY(scratch, count, VkQueueFamilyProperties);
    vkGetPhysicalDeviceQueueFamilyProperties(physical->handle, &count, found);
    bool universal = false;
    for (uint32_t i = 0; i < count && info->family_count < GPU_FAMILIES_MAX; i++) {
        VkQueueFlags flags = found[i].queueFlags;
        // Graphics without compute is allowed by Vulkan, but of no use here.
        if (!is_general(flags) ||
            (flags & VK_QUEUE_GRAPHICS_BIT && !(flags & VK_QUEUE_COMPUTE_BIT)))
            continue;
        physical->families[info->family_count] = i;
        info->families[info->family_count++] = (struct gpu_queue_family){
            .kind = kind_of(flags),
            .graphics = flags & VK_QUEUE_GRAPHICS_BIT,
            .count = found[i].queueCount,
            .stamp_bits = found[i].timestampValidBits,
        };
        universal |= kind_of(flags) == GPU_QUEUE_UNIVERSAL;
    }
    // A device without graphics: its first compute family can do all that it can.
    for (unsigned i = 0; i < info->family_count && !universal; i++) {
        if (info->families[i].kind != GPU_QUEUE_COMPUTE)
            continue;
        info->families[i].kind = GPU_QUEUE_UNIVERSAL;
        universal = true;
    }
}

static void query(const struct vulkan_physical *physical, void *extension)
{
    VkPhysicalDeviceProperties2 properties = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = extension};
    vkGetPhysicalDeviceProperties2(physical->handle, &properties);
}

static void fill_nvidia(const struct vulkan_physical *physical, struct gpu_limits *limits)
{
    VkPhysicalDeviceShaderSMBuiltinsPropertiesNV sm = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_PROPERTIES_NV};
    query(physical, &sm);
    limits->cores = sm.shaderSMCount;
    limits->core_threads = (uint64_t)sm.shaderWarpsPerSM * limits->subgroup_threads;
}

static void fill_amd(const struct vulkan_physical *physical, struct gpu_limits *limits)
{
    VkPhysicalDeviceShaderCorePropertiesAMD core = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_PROPERTIES_AMD};
    query(physical, &core);
    limits->cores = (uint64_t)core.shaderEngineCount * core.shaderArraysPerEngineCount *
                    core.computeUnitsPerShaderArray;
    limits->core_threads =
        (uint64_t)core.simdPerComputeUnit * core.wavefrontsPerSimd * core.wavefrontSize;
    if (!physical->extensions.AMD_shader_core_properties2)
        return;
    VkPhysicalDeviceShaderCoreProperties2AMD active = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_PROPERTIES_2_AMD};
    query(physical, &active);
    if (active.activeComputeUnitCount)
        limits->cores = active.activeComputeUnitCount;
}

void vulkan_cores_fill(const struct vulkan_physical *physical, struct gpu_limits *limits)
{
    if (physical->extensions.NV_shader_sm_builtins)
        fill_nvidia(physical, limits);
    else if (physical->extensions.AMD_shader_core_properties)
        fill_amd(physical, limits);
}
