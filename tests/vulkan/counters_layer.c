// SPDX-License-Identifier: MIT
#include "counters_layer.h"

#include <vulkan/vk_layer.h>

#include <stdlib.h>
#include <string.h>

#define EXPORT    __attribute__((visibility("default")))
#define EXTENSION VK_KHR_PERFORMANCE_QUERY_EXTENSION_NAME

static PFN_vkGetInstanceProcAddr next_instance_proc;
static PFN_vkGetDeviceProcAddr next_device_proc;
static VkInstance current_instance;

static struct {
    PFN_vkGetPhysicalDeviceFeatures2 GetPhysicalDeviceFeatures2;
    PFN_vkGetPhysicalDeviceProperties2 GetPhysicalDeviceProperties2;
    PFN_vkEnumerateDeviceExtensionProperties EnumerateDeviceExtensionProperties;
} next;

// ---------------------------------------------------------------- instance and device

static VKAPI_ATTR void VKAPI_CALL
layer_GetPhysicalDeviceFeatures2(VkPhysicalDevice device, VkPhysicalDeviceFeatures2 *features)
{
    next.GetPhysicalDeviceFeatures2(device, features);
    for (VkBaseOutStructure *at = features->pNext; at; at = at->pNext)
        if (at->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PERFORMANCE_QUERY_FEATURES_KHR)
            ((VkPhysicalDevicePerformanceQueryFeaturesKHR *)at)->performanceCounterQueryPools =
                VK_TRUE;
}

static VKAPI_ATTR void VKAPI_CALL
layer_GetPhysicalDeviceProperties2(VkPhysicalDevice device, VkPhysicalDeviceProperties2 *properties)
{
    const char *driver = getenv("FATHOM_LAYER_DRIVER");
    next.GetPhysicalDeviceProperties2(device, properties);
    for (VkBaseOutStructure *at = properties->pNext; driver && at; at = at->pNext)
        if (at->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES)
            ((VkPhysicalDeviceVulkan12Properties *)at)->driverID =
                strcmp(driver, "radv") == 0 ? VK_DRIVER_ID_MESA_RADV : VK_DRIVER_ID_MAX_ENUM;
}

static VKAPI_ATTR VkResult VKAPI_CALL layer_EnumerateDeviceExtensionProperties(
    VkPhysicalDevice device, const char *layer, uint32_t *count, VkExtensionProperties *properties)
{
    uint32_t below = 0;
    VkResult result = next.EnumerateDeviceExtensionProperties(device, layer, &below, NULL);
    if (layer || !properties || *count <= below || result != VK_SUCCESS) {
        result = next.EnumerateDeviceExtensionProperties(device, layer, count, properties);
        *count += !layer && !properties;
        return result;
    }
    result = next.EnumerateDeviceExtensionProperties(device, layer, &below, properties);
    properties[below] = (VkExtensionProperties){EXTENSION, 1};
    *count = below + 1;
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL layer_CreateInstance(const VkInstanceCreateInfo *info,
                                                           const VkAllocationCallbacks *allocator,
                                                           VkInstance *instance)
{
    VkLayerInstanceCreateInfo *link = (VkLayerInstanceCreateInfo *)info->pNext;
    while (link->sType != VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO ||
           link->function != VK_LAYER_LINK_INFO)
        link = (VkLayerInstanceCreateInfo *)link->pNext;
    next_instance_proc = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    PFN_vkCreateInstance call = (PFN_vkCreateInstance)next_instance_proc(NULL, "vkCreateInstance");
    VkResult result = call(info, allocator, instance);
    current_instance = *instance;
    // Look them up now: later, the loader would answer with the first layer's functions.
#define X(name) next.name = (PFN_vk##name)next_instance_proc(*instance, "vk" #name);
    X(GetPhysicalDeviceFeatures2)
    X(GetPhysicalDeviceProperties2)
    X(EnumerateDeviceExtensionProperties)
#undef X
    return result;
}

// Creates the device below without the extension and its features, which it does not know.
static VkResult create_below(PFN_vkCreateDevice call, VkPhysicalDevice physical,
                             const VkDeviceCreateInfo *info, const VkAllocationCallbacks *allocator,
                             VkDevice *device)
{
    const char *names[256];
    VkDeviceCreateInfo less = *info;
    less.enabledExtensionCount = 0;
    for (uint32_t i = 0; i < info->enabledExtensionCount && i < 256; i++)
        if (strcmp(info->ppEnabledExtensionNames[i], EXTENSION) != 0)
            names[less.enabledExtensionCount++] = info->ppEnabledExtensionNames[i];
    less.ppEnabledExtensionNames = names;
    VkBaseOutStructure *before = (VkBaseOutStructure *)&less;
    while (before->pNext &&
           before->pNext->sType != VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PERFORMANCE_QUERY_FEATURES_KHR)
        before = before->pNext;
    VkBaseOutStructure *features = before->pNext;
    if (features)
        before->pNext = features->pNext;
    VkResult result = call(physical, &less, allocator, device);
    before->pNext = features;
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL layer_CreateDevice(VkPhysicalDevice physical,
                                                         const VkDeviceCreateInfo *info,
                                                         const VkAllocationCallbacks *allocator,
                                                         VkDevice *device)
{
    VkLayerDeviceCreateInfo *link = (VkLayerDeviceCreateInfo *)info->pNext;
    while (link->sType != VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO ||
           link->function != VK_LAYER_LINK_INFO)
        link = (VkLayerDeviceCreateInfo *)link->pNext;
    PFN_vkGetInstanceProcAddr instance_proc = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    next_device_proc = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    PFN_vkCreateDevice call = (PFN_vkCreateDevice)instance_proc(current_instance, "vkCreateDevice");
    VkResult result = create_below(call, physical, info, allocator, device);
    if (result != VK_SUCCESS)
        return result;
    counters_use_device(*device, next_device_proc);
    return VK_SUCCESS;
}

// ---------------------------------------------------------------- the loader's side

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL device_proc(VkDevice device, const char *name)
{
    if (strcmp(name, "vkGetDeviceProcAddr") == 0)
        return (PFN_vkVoidFunction)device_proc;
    PFN_vkVoidFunction own = counters_device_call(name);
    return own ? own : next_device_proc(device, name);
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL instance_proc(VkInstance instance, const char *name)
{
    static const struct {
        const char *name;
        PFN_vkVoidFunction call;
    } own[] = {
        {"vkGetInstanceProcAddr", (PFN_vkVoidFunction)instance_proc},
        {"vkGetDeviceProcAddr", (PFN_vkVoidFunction)device_proc},
        {"vkCreateInstance", (PFN_vkVoidFunction)layer_CreateInstance},
        {"vkCreateDevice", (PFN_vkVoidFunction)layer_CreateDevice},
        {"vkGetPhysicalDeviceFeatures2", (PFN_vkVoidFunction)layer_GetPhysicalDeviceFeatures2},
        {"vkGetPhysicalDeviceProperties2", (PFN_vkVoidFunction)layer_GetPhysicalDeviceProperties2},
        {"vkEnumerateDeviceExtensionProperties",
         (PFN_vkVoidFunction)layer_EnumerateDeviceExtensionProperties},
    };
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strcmp(name, own[i].name) == 0)
            return own[i].call;
    PFN_vkVoidFunction call = counters_instance_call(name);
    if (call || (call = counters_device_call(name)))
        return call;
    return next_instance_proc ? next_instance_proc(instance, name) : NULL;
}

EXPORT VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *pVersionStruct)
{
    pVersionStruct->loaderLayerInterfaceVersion = 2;
    pVersionStruct->pfnGetInstanceProcAddr = instance_proc;
    pVersionStruct->pfnGetDeviceProcAddr = device_proc;
    pVersionStruct->pfnGetPhysicalDeviceProcAddr = NULL;
    return VK_SUCCESS;
}
