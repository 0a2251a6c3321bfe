// SPDX-License-Identifier: MIT
// VK_LAYER_FATHOM_faults: see faults.h. For one instance and one device at a time. If the
// environment variable FATHOM_LAYER_HELD names a file, vkSignalSemaphore makes this file and does
// nothing else.
#include "faults.h"

#include <vulkan/vk_layer.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

static struct faults faults;
static PFN_vkGetInstanceProcAddr next_instance_proc;
static PFN_vkGetDeviceProcAddr next_device_proc;
static PFN_vkDeviceWaitIdle next_wait_idle;
static PFN_vkEnumeratePhysicalDevices next_enumerate;
static VkInstance current_instance;

EXPORT faults_control faults_control_of_layer;
struct faults *faults_control_of_layer(void)
{
    return &faults;
}

static bool is_held(const char *name)
{
    const char *path = getenv("FATHOM_LAYER_HELD");
    FILE *file = path && strcmp(name, "vkSignalSemaphore") == 0 ? fopen(path, "w") : NULL;
    return file && fclose(file) == 0;
}

static bool is_due(const char *name)
{
    if (is_held(name))
        return true;
    if (++faults.calls != faults.fail_at)
        return false;
    faults.failed = name;
    return true;
}

// Calls that fail without any effect: name, parameters, arguments.
#define DEVICE_CALLS(X)                                                                            \
    X(AcquireProfilingLockKHR, (VkDevice d, const VkAcquireProfilingLockInfoKHR *i), (d, i))       \
    X(AllocateMemory,                                                                              \
      (VkDevice d, const VkMemoryAllocateInfo *i, const VkAllocationCallbacks *a,                  \
       VkDeviceMemory *o),                                                                         \
      (d, i, a, o))                                                                                \
    X(MapMemory,                                                                                   \
      (VkDevice d, VkDeviceMemory m, VkDeviceSize f, VkDeviceSize s, VkMemoryMapFlags g,           \
       void **o),                                                                                  \
      (d, m, f, s, g, o))                                                                          \
    X(BindBufferMemory, (VkDevice d, VkBuffer b, VkDeviceMemory m, VkDeviceSize f), (d, b, m, f))  \
    X(BindImageMemory, (VkDevice d, VkImage b, VkDeviceMemory m, VkDeviceSize f), (d, b, m, f))    \
    X(CreateBuffer,                                                                                \
      (VkDevice d, const VkBufferCreateInfo *i, const VkAllocationCallbacks *a, VkBuffer *o),      \
      (d, i, a, o))                                                                                \
    X(CreateBufferView,                                                                            \
      (VkDevice d, const VkBufferViewCreateInfo *i, const VkAllocationCallbacks *a,                \
       VkBufferView *o),                                                                           \
      (d, i, a, o))                                                                                \
    X(CreateImage,                                                                                 \
      (VkDevice d, const VkImageCreateInfo *i, const VkAllocationCallbacks *a, VkImage *o),        \
      (d, i, a, o))                                                                                \
    X(CreateImageView,                                                                             \
      (VkDevice d, const VkImageViewCreateInfo *i, const VkAllocationCallbacks *a,                 \
       VkImageView *o),                                                                            \
      (d, i, a, o))                                                                                \
    X(CreateSampler,                                                                               \
      (VkDevice d, const VkSamplerCreateInfo *i, const VkAllocationCallbacks *a, VkSampler *o),    \
      (d, i, a, o))                                                                                \
    X(CreateShaderModule,                                                                          \
      (VkDevice d, const VkShaderModuleCreateInfo *i, const VkAllocationCallbacks *a,              \
       VkShaderModule *o),                                                                         \
      (d, i, a, o))                                                                                \
    X(CreateDescriptorSetLayout,                                                                   \
      (VkDevice d, const VkDescriptorSetLayoutCreateInfo *i, const VkAllocationCallbacks *a,       \
       VkDescriptorSetLayout *o),                                                                  \
      (d, i, a, o))                                                                                \
    X(CreatePipelineLayout,                                                                        \
      (VkDevice d, const VkPipelineLayoutCreateInfo *i, const VkAllocationCallbacks *a,            \
       VkPipelineLayout *o),                                                                       \
      (d, i, a, o))                                                                                \
    X(CreateComputePipelines,                                                                      \
      (VkDevice d, VkPipelineCache c, uint32_t n, const VkComputePipelineCreateInfo *i,            \
       const VkAllocationCallbacks *a, VkPipeline *o),                                             \
      (d, c, n, i, a, o))                                                                          \
    X(CreateDescriptorPool,                                                                        \
      (VkDevice d, const VkDescriptorPoolCreateInfo *i, const VkAllocationCallbacks *a,            \
       VkDescriptorPool *o),                                                                       \
      (d, i, a, o))                                                                                \
    X(AllocateDescriptorSets,                                                                      \
      (VkDevice d, const VkDescriptorSetAllocateInfo *i, VkDescriptorSet *o), (d, i, o))           \
    X(CreateCommandPool,                                                                           \
      (VkDevice d, const VkCommandPoolCreateInfo *i, const VkAllocationCallbacks *a,               \
       VkCommandPool *o),                                                                          \
      (d, i, a, o))                                                                                \
    X(AllocateCommandBuffers,                                                                      \
      (VkDevice d, const VkCommandBufferAllocateInfo *i, VkCommandBuffer *o), (d, i, o))           \
    X(ResetCommandPool, (VkDevice d, VkCommandPool p, VkCommandPoolResetFlags f), (d, p, f))       \
    X(BeginCommandBuffer, (VkCommandBuffer c, const VkCommandBufferBeginInfo *i), (c, i))          \
    X(EndCommandBuffer, (VkCommandBuffer c), (c))                                                  \
    X(CreateQueryPool,                                                                             \
      (VkDevice d, const VkQueryPoolCreateInfo *i, const VkAllocationCallbacks *a,                 \
       VkQueryPool *o),                                                                            \
      (d, i, a, o))                                                                                \
    X(CreateSemaphore,                                                                             \
      (VkDevice d, const VkSemaphoreCreateInfo *i, const VkAllocationCallbacks *a,                 \
       VkSemaphore *o),                                                                            \
      (d, i, a, o))                                                                                \
    X(CreateFence,                                                                                 \
      (VkDevice d, const VkFenceCreateInfo *i, const VkAllocationCallbacks *a, VkFence *o),        \
      (d, i, a, o))                                                                                \
    X(ResetFences, (VkDevice d, uint32_t n, const VkFence *f), (d, n, f))                          \
    X(QueueSubmit, (VkQueue q, uint32_t n, const VkSubmitInfo *i, VkFence f), (q, n, i, f))        \
    X(QueueSubmit2, (VkQueue q, uint32_t n, const VkSubmitInfo2 *i, VkFence f), (q, n, i, f))

// Calls that take effect although they report a lost device, and then wait for it. The device below
// is not lost, and would go on using what the program frees.
#define WAITING_CALLS(X)                                                                           \
    X(WaitForFences, (VkDevice d, uint32_t n, const VkFence *f, VkBool32 w, uint64_t t),           \
      (d, n, f, w, t))                                                                             \
    X(WaitSemaphores, (VkDevice d, const VkSemaphoreWaitInfo *i, uint64_t t), (d, i, t))           \
    X(SignalSemaphore, (VkDevice d, const VkSemaphoreSignalInfo *i), (d, i))                       \
    X(GetQueryPoolResults,                                                                         \
      (VkDevice d, VkQueryPool p, uint32_t f, uint32_t n, size_t s, void *o, VkDeviceSize e,       \
       VkQueryResultFlags g),                                                                      \
      (d, p, f, n, s, o, e, g))

static struct {
#define X(name, params, args) PFN_vk##name name;
    DEVICE_CALLS(X) WAITING_CALLS(X)
#undef X
} next;

#define X(name, params, args)                                                                      \
    static VKAPI_ATTR VkResult VKAPI_CALL fault_##name params                                      \
    {                                                                                              \
        return is_due("vk" #name) ? faults.result : next.name args;                                \
    }
DEVICE_CALLS(X)
#undef X

#define X(name, params, args)                                                                      \
    static VKAPI_ATTR VkResult VKAPI_CALL fault_##name params                                      \
    {                                                                                              \
        bool due = is_due("vk" #name);                                                             \
        if (due && faults.result != VK_ERROR_DEVICE_LOST)                                          \
            return faults.result;                                                                  \
        VkResult result = next.name args;                                                          \
        if (!due)                                                                                  \
            return result;                                                                         \
        next_wait_idle(d);                                                                         \
        return faults.result;                                                                      \
    }
WAITING_CALLS(X)
#undef X

static VKAPI_ATTR VkResult VKAPI_CALL fault_EnumeratePhysicalDevices(VkInstance instance,
                                                                     uint32_t *count,
                                                                     VkPhysicalDevice *devices)
{
    return is_due("vkEnumeratePhysicalDevices") ? faults.result
                                                : next_enumerate(instance, count, devices);
}

static VKAPI_ATTR VkResult VKAPI_CALL fault_CreateInstance(const VkInstanceCreateInfo *info,
                                                           const VkAllocationCallbacks *allocator,
                                                           VkInstance *instance)
{
    VkLayerInstanceCreateInfo *link = (VkLayerInstanceCreateInfo *)info->pNext;
    while (link->sType != VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO ||
           link->function != VK_LAYER_LINK_INFO)
        link = (VkLayerInstanceCreateInfo *)link->pNext;
    next_instance_proc = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    if (is_due("vkCreateInstance"))
        return faults.result;
    PFN_vkCreateInstance call = (PFN_vkCreateInstance)next_instance_proc(NULL, "vkCreateInstance");
    VkResult result = call(info, allocator, instance);
    if (result != VK_SUCCESS)
        return result;
    current_instance = *instance;
    // If no layer is behind this one, the loader answers here with its own function. Later it would
    // answer with the first layer's function, which leads back to this one.
    next_enumerate =
        (PFN_vkEnumeratePhysicalDevices)next_instance_proc(*instance, "vkEnumeratePhysicalDevices");
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL fault_CreateDevice(VkPhysicalDevice physical,
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
    if (is_due("vkCreateDevice"))
        return faults.result;
    PFN_vkCreateDevice call = (PFN_vkCreateDevice)instance_proc(current_instance, "vkCreateDevice");
    VkResult result = call(physical, info, allocator, device);
    if (result != VK_SUCCESS)
        return result;
    next_wait_idle = (PFN_vkDeviceWaitIdle)next_device_proc(*device, "vkDeviceWaitIdle");
#define X(name, params, args) next.name = (PFN_vk##name)next_device_proc(*device, "vk" #name);
    DEVICE_CALLS(X)
    WAITING_CALLS(X)
#undef X
    return VK_SUCCESS;
}

static PFN_vkVoidFunction own_device_call(const char *name)
{
#define X(call, params, args)                                                                      \
    if (strcmp(name, "vk" #call) == 0)                                                             \
        return (PFN_vkVoidFunction)fault_##call;
    DEVICE_CALLS(X)
    WAITING_CALLS(X)
#undef X
    return NULL;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL device_proc(VkDevice device, const char *name)
{
    if (strcmp(name, "vkGetDeviceProcAddr") == 0)
        return (PFN_vkVoidFunction)device_proc;
    if (faults.hidden && strcmp(name, faults.hidden) == 0)
        return NULL;
    PFN_vkVoidFunction own = own_device_call(name);
    return own ? own : next_device_proc(device, name);
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL instance_proc(VkInstance instance, const char *name)
{
    if (strcmp(name, "vkGetInstanceProcAddr") == 0)
        return (PFN_vkVoidFunction)instance_proc;
    if (strcmp(name, "vkGetDeviceProcAddr") == 0)
        return (PFN_vkVoidFunction)device_proc;
    if (strcmp(name, "vkCreateInstance") == 0)
        return (PFN_vkVoidFunction)fault_CreateInstance;
    if (strcmp(name, "vkCreateDevice") == 0)
        return (PFN_vkVoidFunction)fault_CreateDevice;
    if (strcmp(name, "vkEnumeratePhysicalDevices") == 0)
        return (PFN_vkVoidFunction)fault_EnumeratePhysicalDevices;
    PFN_vkVoidFunction own = own_device_call(name);
    if (own)
        return own;
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
