// SPDX-License-Identifier: MIT
// Drivers that break while their devices are listed: doubles of libvulkan.so.1, libcuda.so.1 and
// libOpenCL.so.1, found through LD_LIBRARY_PATH. BROKEN_VULKAN, BROKEN_CUDA or BROKEN_OPENCL says
// which one this library is. The environment variable BROKEN is "FAULT" or "FAULT@PLACE":
//
//   fault   crash, hang, exit, abort, babble (on both streams), chdir; garbage, endless (on
//           the standard input); names (with escape sequences); devices, memory, align, units,
//           heaps, period, nan, negative, bits (reported values that cannot be true); queues (none
//           computes), features (none), absent (no device), grow (each list is longer the second
//           time)
//   place   constructor, create, enumerate, query, destructor
//
// Without BROKEN the library lists one device. No device can be opened (broken_stubs.c).
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool has_fault(const char *name)
{
    const char *fault = getenv("BROKEN");
    return fault && strcmp(fault, name) == 0;
}

static const char *device_name(void)
{
    return has_fault("names")
               ? "\x1b[2J\x1b]0;owned\x07 \xff\xfe Bad\nName \xe2\x80\xaeGPU\xe2\x80\xac"
               : "Broken GPU";
}

static void babble(void)
{
    static bool done;
    for (int line = 0; !done && line < 20000; line++) {
        printf("BABBLE \x1b[31m{\"devices\":[]} line %d\n", line);
        fprintf(stderr, "BABBLE %d\n", line);
    }
    fflush(stdout);
    done = true;
}

// Crashes at an address in this library, whose file the parent must name.
static void crash(void)
{
    int *volatile nowhere = (int *)8; // a value that the compiler does not know
    *nowhere = 1;
}

static void write_forever(void)
{
    static char text[1 << 16];
    memset(text, 'x', sizeof text);
    while (write(STDIN_FILENO, text, sizeof text) >= 0)
        continue;
    abort();
}

static void happen(const char *fault)
{
    if (strcmp(fault, "crash") == 0)
        crash();
    if (strcmp(fault, "hang") == 0)
        for (;;)
            pause();
    if (strcmp(fault, "exit") == 0)
        exit(0);
    if (strcmp(fault, "abort") == 0)
        abort();
    if (strcmp(fault, "babble") == 0)
        babble();
    if (strcmp(fault, "chdir") == 0 && chdir("/") != 0)
        abort();
    if (strcmp(fault, "endless") == 0)
        write_forever();
    if (strcmp(fault, "garbage") == 0 && write(STDIN_FILENO, "{\"devices\":7}\n", 14) != 14)
        abort();
}

static void arrive(const char *place)
{
    char fault[32];
    const char *set = getenv("BROKEN"), *at = set ? strchr(set, '@') : NULL;
    if (!at || strcmp(at + 1, place) != 0)
        return;
    snprintf(fault, sizeof fault, "%.*s", (int)(at - set), set);
    happen(fault);
}

__attribute__((constructor)) static void loaded(void)
{
    arrive("constructor");
}

__attribute__((destructor)) static void unloaded(void)
{
    arrive("destructor");
}

// ---------------------------------------------------------------- libvulkan.so.1

#if defined(BROKEN_VULKAN)
#include <vulkan/vulkan.h>

static VkResult make_instance(const VkInstanceCreateInfo *info, const VkAllocationCallbacks *memory,
                              VkInstance *instance)
{
    (void)info, (void)memory;
    static int object;
    arrive("create");
    *instance = (VkInstance)&object;
    return VK_SUCCESS;
}

static void end_instance(VkInstance instance, const VkAllocationCallbacks *memory)
{
    (void)instance, (void)memory;
}

static VkResult list(VkInstance instance, uint32_t *count, VkPhysicalDevice *devices)
{
    static int object;
    (void)instance;
    arrive("enumerate");
    if (devices)
        devices[0] = (VkPhysicalDevice)&object;
    bool endless = has_fault("devices") || (devices && has_fault("grow"));
    *count = endless ? UINT32_MAX : !has_fault("absent");
    return VK_SUCCESS;
}

static VkResult list_extensions(VkPhysicalDevice device, const char *layer, uint32_t *count,
                                VkExtensionProperties *found)
{
    (void)device, (void)layer;
    *count = found && has_fault("grow") ? UINT32_MAX : 0;
    return VK_SUCCESS;
}

static void tell(VkPhysicalDevice device, VkPhysicalDeviceProperties *told)
{
    (void)device;
    arrive("query");
    told->apiVersion = VK_API_VERSION_1_3;
    told->deviceType = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
    // The text is not terminated if the fault is "names".
    memset(told->deviceName, 'x', sizeof told->deviceName);
    if (has_fault("names"))
        memcpy(told->deviceName, device_name(), strlen(device_name()));
    else
        snprintf(told->deviceName, sizeof told->deviceName, "%s", device_name());
    told->limits.minStorageBufferOffsetAlignment = has_fault("align") ? 48 : 16;
    told->limits.timestampPeriod = has_fault("nan")        ? NAN
                                   : has_fault("period")   ? 0
                                   : has_fault("negative") ? -1
                                                           : 1;
}

static void tell_more(VkPhysicalDevice device, VkPhysicalDeviceProperties2 *told)
{
    tell(device, &told->properties);
}

static void tell_memory(VkPhysicalDevice device, VkPhysicalDeviceMemoryProperties2 *told)
{
    VkPhysicalDeviceMemoryProperties *memory = &told->memoryProperties;
    (void)device;
    memory->memoryHeapCount = has_fault("heaps") ? UINT32_MAX : 1;
    memory->memoryHeaps[0].flags = VK_MEMORY_HEAP_DEVICE_LOCAL_BIT;
    memory->memoryHeaps[0].size = has_fault("memory") ? UINT64_MAX : 1 << 30;
}

static void tell_families(VkPhysicalDevice device, uint32_t *count, VkQueueFamilyProperties *told)
{
    (void)device;
    VkQueueFlags all = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;
    *count = told && has_fault("grow") ? UINT32_MAX : 1;
    if (told)
        *told = (VkQueueFamilyProperties){.queueFlags =
                                              has_fault("queues") ? VK_QUEUE_TRANSFER_BIT : all,
                                          .queueCount = has_fault("units") ? UINT32_MAX : 1,
                                          .timestampValidBits = has_fault("bits") ? 1 : 64};
}

static void tell_features(VkPhysicalDevice device, VkPhysicalDeviceFeatures2 *told)
{
    (void)device;
    for (VkBaseOutStructure *at = told->pNext; at && !has_fault("features"); at = at->pNext) {
        if (at->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES) {
            VkPhysicalDeviceVulkan12Features *of_1_2 = (VkPhysicalDeviceVulkan12Features *)at;
            of_1_2->hostQueryReset = of_1_2->timelineSemaphore = VK_TRUE;
        }
        if (at->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES)
            ((VkPhysicalDeviceVulkan13Features *)at)->synchronization2 = VK_TRUE;
    }
}

static VkResult refuse(void)
{
    return VK_ERROR_INITIALIZATION_FAILED;
}

static VkResult tell_version(uint32_t *version)
{
    *version = VK_API_VERSION_1_3;
    return VK_SUCCESS;
}

PFN_vkVoidFunction vkGetInstanceProcAddr(VkInstance instance, const char *name);
PFN_vkVoidFunction vkGetInstanceProcAddr(VkInstance instance, const char *name)
{
    static const struct {
        const char *name;
        PFN_vkVoidFunction function;
    } table[] = {
        {"vkEnumerateInstanceVersion", (PFN_vkVoidFunction)tell_version},
        {"vkCreateInstance", (PFN_vkVoidFunction)make_instance},
        {"vkDestroyInstance", (PFN_vkVoidFunction)end_instance},
        {"vkEnumeratePhysicalDevices", (PFN_vkVoidFunction)list},
        {"vkEnumerateDeviceExtensionProperties", (PFN_vkVoidFunction)list_extensions},
        {"vkGetPhysicalDeviceProperties", (PFN_vkVoidFunction)tell},
        {"vkGetPhysicalDeviceProperties2", (PFN_vkVoidFunction)tell_more},
        {"vkGetPhysicalDeviceMemoryProperties2", (PFN_vkVoidFunction)tell_memory},
        {"vkGetPhysicalDeviceQueueFamilyProperties", (PFN_vkVoidFunction)tell_families},
        {"vkGetPhysicalDeviceFeatures2", (PFN_vkVoidFunction)tell_features},
    };
    (void)instance;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(table[i].name, name) == 0)
            return table[i].function;
    return (PFN_vkVoidFunction)refuse;
}

// ---------------------------------------------------------------- libcuda.so.1

#elif defined(BROKEN_CUDA)
#include "gpu/cuda/api.h"

int cuInit(unsigned flags);
int cuDriverGetVersion(int *version);
int cuDeviceGetCount(int *count);
int cuDeviceGet(int *device, int ordinal);
int cuDeviceGetName(char *name, int bytes, int device);
int cuDeviceTotalMem_v2(size_t *bytes, int device);
int cuDeviceGetAttribute(int *value, int attribute, int device);

int cuInit(unsigned flags)
{
    (void)flags;
    arrive("create");
    return CU_SUCCESS;
}

int cuDriverGetVersion(int *version)
{
    *version = 13000;
    return CU_SUCCESS;
}

int cuDeviceGetCount(int *count)
{
    arrive("enumerate");
    *count = has_fault("devices") ? INT32_MAX : !has_fault("absent");
    return CU_SUCCESS;
}

int cuDeviceGet(int *device, int ordinal)
{
    *device = ordinal;
    return CU_SUCCESS;
}

int cuDeviceGetName(char *name, int bytes, int device)
{
    (void)device;
    snprintf(name, (size_t)bytes, "%s", device_name());
    return CU_SUCCESS;
}

int cuDeviceTotalMem_v2(size_t *bytes, int device)
{
    (void)device;
    *bytes = has_fault("memory") ? SIZE_MAX : (size_t)1 << 30;
    return CU_SUCCESS;
}

int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    (void)device;
    arrive("query");
    *value = has_fault("negative") ? -1 : 32;
    if (attribute == CU_ATTR_COMPUTE_CAPABILITY_MAJOR)
        *value = 9;
    if (attribute == CU_ATTR_MULTIPROCESSOR_COUNT && has_fault("units"))
        *value = INT32_MAX;
    if (attribute == CU_ATTR_TEXTURE_ALIGNMENT && has_fault("align"))
        *value = 48;
    return CU_SUCCESS;
}

// ---------------------------------------------------------------- libOpenCL.so.1

#else
#include "gpu/opencl/api.h"

cl_int clGetPlatformIDs(cl_uint room, cl_platform_id *platforms, cl_uint *count)
{
    static int object;
    (void)room;
    arrive("create");
    if (platforms)
        platforms[0] = (cl_platform_id)&object;
    if (count)
        *count = 1;
    return CL_SUCCESS;
}

static cl_int give(const void *value, size_t bytes, size_t room, void *to, size_t *size)
{
    if (size)
        *size = bytes;
    if (to)
        memcpy(to, value, bytes < room ? bytes : room);
    return CL_SUCCESS;
}

cl_int clGetPlatformInfo(cl_platform_id platform, cl_platform_info which, size_t room, void *to,
                         size_t *size)
{
    (void)platform, (void)which;
    return give("Broken", sizeof "Broken", room, to, size);
}

cl_int clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint room,
                      cl_device_id *devices, cl_uint *count)
{
    static int object;
    (void)platform, (void)type, (void)room;
    arrive("enumerate");
    if (devices)
        devices[0] = (cl_device_id)&object;
    if (count)
        *count = has_fault("devices") ? UINT32_MAX : !has_fault("absent");
    return CL_SUCCESS;
}

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info which, size_t room, void *to,
                       size_t *size)
{
    (void)device;
    arrive("query");
    cl_ulong number = has_fault("negative") ? (cl_ulong)-1 : 1;
    if (which == CL_DEVICE_GLOBAL_MEM_SIZE && has_fault("memory"))
        number = UINT64_MAX;
    if (which == CL_DEVICE_MAX_COMPUTE_UNITS && has_fault("units"))
        number = UINT32_MAX;
    if (which == CL_DEVICE_MEM_BASE_ADDR_ALIGN)
        number = has_fault("align") ? 48 * 8 : 1024;
    if (which == CL_DEVICE_PROFILING_TIMER_RESOLUTION && has_fault("period"))
        number = 0;
    if (which == CL_DEVICE_TYPE)
        number = CL_DEVICE_TYPE_GPU;
    if (which == CL_DEVICE_VERSION)
        return give("OpenCL 1.2 x", sizeof "OpenCL 1.2 x", room, to, size);
    if (which == CL_DEVICE_NAME)
        return give(device_name(), strlen(device_name()) + 1, room, to, size);
    if (which == CL_DEVICE_EXTENSIONS || which == CL_DEVICE_VENDOR || which == CL_DRIVER_VERSION)
        return give("1", sizeof "1", room, to, size);
    return give(&number, sizeof number, room, to, size);
}
#endif
