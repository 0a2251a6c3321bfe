// SPDX-License-Identifier: MIT
// Opens the Vulkan loader, creates the instance and its validation messenger, and defines the
// backend (struct gpu_backend).
#include "gpu/vulkan/graphics.h"
#include "gpu/vulkan/rays.h"

#include "base/dynlib.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define VALIDATION_LAYER "VK_LAYER_KHRONOS_validation"

struct loader_symbols {
    PFN_vkGetInstanceProcAddr vkGetInstanceProcAddr;
};

static struct dynlib *open_loader(struct loader_symbols *symbols, struct error *err)
{
    // the last file comes with `make kit`, for machines that have a Vulkan driver but no loader
    static const char *const files[] = {"libvulkan.so.1", "libvulkan.so",
                                        "$ORIGIN/lib/libvulkan.so.1", NULL};
    static const struct dynlib_symbol table[] = {
        DYNLIB_SYMBOL(struct loader_symbols, vkGetInstanceProcAddr)};
    return dynlib_open(&(struct dynlib_desc){.files = files,
                                             .symbols = table,
                                             .symbol_count = sizeof table / sizeof table[0],
                                             .table = symbols},
                       err);
}

// ---------------------------------------------------------------- validation

static bool has_validation_layer(struct arena *scratch)
{
    uint32_t count = 0;
    vkEnumerateInstanceLayerProperties(&count, NULL);
    VkLayerProperties *layers = ARENA_ARRAY(scratch, count, VkLayerProperties);
    vkEnumerateInstanceLayerProperties(&count, layers);
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(layers[i].layerName, VALIDATION_LAYER) == 0)
            return true;
    return false;
}

static VKAPI_ATTR VkBool32 VKAPI_CALL count_message(
    VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT types,
    const VkDebugUtilsMessengerCallbackDataEXT *data, void *user)
{
    (void)severity, (void)types;
    struct vulkan_state *state = user;
    if (state->messages++ == 0)
        snprintf(state->first_message, sizeof state->first_message, "%s",
                 data->pMessage ? data->pMessage : "");
    return VK_FALSE;
}

static VkDebugUtilsMessengerCreateInfoEXT messenger_info(struct vulkan_state *state)
{
    return (VkDebugUtilsMessengerCreateInfoEXT){
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
        .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                           VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
        // without messages of the type GENERAL, which are about drivers that fathom does not use
        .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
        .pfnUserCallback = count_message,
        .pUserData = state,
    };
}

static size_t validation_messages(const struct gpu_device *device, const char **first)
{
    const struct vulkan_state *state = ((const struct vulkan_device *)device)->state;
    if (first && state->messages)
        *first = state->first_message;
    return state->messages;
}

// Returns true if the file belongs to a Vulkan driver. A driver exports vk_icdGetInstanceProcAddr.
// Only NVIDIA's driver has its functions in other files, named libnvidia-….
static bool is_driver(const char *path)
{
    return text_begins(text_file_name(path), "libnvidia-") ||
           dynlib_exports(path, "vk_icdGetInstanceProcAddr");
}

// Returns the path of a layer that intercepts vkQueueSubmit2 or vkCmdDispatch; NULL if there is
// none. Without layers, vkGetDeviceProcAddr returns functions of the driver.
static const char *interceptor(const struct gpu_device *base)
{
    const struct vulkan_device *device = (const struct vulkan_device *)base;
    static const char *const functions[] = {"vkQueueSubmit2", "vkCmdDispatch"};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        PFN_vkVoidFunction function = vkGetDeviceProcAddr(device->handle, functions[i]);
        const char *path = function ? dynlib_path_of(function) : NULL;
        if (path && !is_driver(path))
            return path;
    }
    return NULL;
}

// ---------------------------------------------------------------- clocks

static bool can_relate(const struct vulkan_device *device)
{
    VkTimeDomainEXT domains[8];
    uint32_t count = sizeof domains / sizeof *domains;
    bool own = false, host = false;
    if (!device->physical->extensions.EXT_calibrated_timestamps ||
        vkGetPhysicalDeviceCalibrateableTimeDomainsEXT(device->physical->handle, &count, domains) <
            VK_SUCCESS)
        return false;
    for (uint32_t i = 0; i < count && i < COUNT(domains); i++) {
        own |= domains[i] == VK_TIME_DOMAIN_DEVICE_EXT;
        host |= domains[i] == VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT;
    }
    return own && host;
}

static bool device_calibrated_timestamp(struct gpu_device *base,
                                        struct gpu_calibrated_timestamp *timestamp)
{
    struct vulkan_device *device = (struct vulkan_device *)base;
    const VkCalibratedTimestampInfoEXT infos[] = {
        {.sType = VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT,
         .timeDomain = VK_TIME_DOMAIN_DEVICE_EXT},
        {.sType = VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT,
         .timeDomain = VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT},
    };
    uint64_t clocks[2] = {0}, deviation_ns = 0; // the front end refuses a time of 0
    if (!can_relate(device) || device->vk.vkGetCalibratedTimestampsEXT(
                                   device->handle, 2, infos, clocks, &deviation_ns) != VK_SUCCESS)
        return false;
    *timestamp = (struct gpu_calibrated_timestamp){
        .device = clocks[0], .host_ns = clocks[1], .deviation_ns = deviation_ns};
    return true;
}

// ---------------------------------------------------------------- instance

static VkResult create_instance(struct vulkan_state *state, bool validation)
{
    static const char *const layer = VALIDATION_LAYER;
    static const char *const extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
    VkDebugUtilsMessengerCreateInfoEXT messenger = messenger_info(state);
    VkApplicationInfo application = {
        .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
        .pApplicationName = "fathom",
        .apiVersion = VK_API_VERSION_1_3,
    };
    VkInstanceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
        .pNext = validation ? &messenger : NULL,
        .pApplicationInfo = &application,
        .enabledLayerCount = validation,
        .ppEnabledLayerNames = &layer,
        .enabledExtensionCount = validation,
        .ppEnabledExtensionNames = &extension,
    };
    VkResult result = vkCreateInstance(&info, NULL, &state->instance);
    if (result != VK_SUCCESS)
        return result;
    volkLoadInstanceOnly(state->instance);
    if (validation)
        result =
            vkCreateDebugUtilsMessengerEXT(state->instance, &messenger, NULL, &state->messenger);
    return result;
}

static void report_instance(struct gpu_enumeration *to, VkResult result)
{
    if (result == VK_ERROR_INCOMPATIBLE_DRIVER) {
        to->add_unavailable(to, "no Vulkan driver is installed (VK_ERROR_INCOMPATIBLE_DRIVER)",
                            "install the Vulkan driver of your GPU (Debian: mesa-vulkan-drivers or "
                            "nvidia-vulkan-icd)");
        return;
    }
    struct error err;
    vulkan_error(&err, result, "vkCreateInstance");
    to->add_unavailable(to, err.message, "run vulkaninfo: the same call should fail there");
}

// Adds a note if there is an NVIDIA GPU, but no Vulkan driver for it, as often in containers.
// Without the note, fathom would measure the CPU, and the user would not know why.
static void note_unreached_nvidia(struct gpu_enumeration *to, bool reached)
{
    if (!reached && access("/dev/nvidia0", F_OK) == 0)
        to->add_unavailable(to,
                            "there is an NVIDIA GPU (/dev/nvidia0), but no Vulkan driver for it is "
                            "installed",
                            "install NVIDIA's Vulkan ICD (nvidia_icd.json and libGLX_nvidia.so.0, "
                            "Debian: nvidia-vulkan-icd); in a container set "
                            "NVIDIA_DRIVER_CAPABILITIES=all");
}

// Loads Vulkan and creates the instance, or lists Vulkan as unavailable and returns false.
static bool start(struct vulkan_state *state, struct gpu_enumeration *to)
{
    struct loader_symbols symbols = {0};
    struct error err;
    state->loader = open_loader(&symbols, &err);
    if (!state->loader) {
        to->add_unavailable(to, err.message, "install the Vulkan loader (Debian: libvulkan1)");
        return false;
    }
    volkInitializeCustom(symbols.vkGetInstanceProcAddr);
    if (volkGetInstanceVersion() < VK_API_VERSION_1_1) {
        to->add_unavailable(to, "the Vulkan loader is older than 1.1", "update it (libvulkan1)");
        return false;
    }
    struct arena *scratch = arena_create();
    bool layer_missing = to->desc->validation && !has_validation_layer(scratch);
    arena_destroy(scratch);
    if (layer_missing) {
        to->add_unavailable(to,
                            "validation was asked for, but " VALIDATION_LAYER " is not installed",
                            "install it (Debian: vulkan-validationlayers)");
        return false;
    }
    VkResult result = create_instance(state, to->desc->validation);
    if (result != VK_SUCCESS)
        report_instance(to, result);
    return result == VK_SUCCESS;
}

void vulkan_unload(void *loaded)
{
    struct vulkan_state *state = loaded;
    if (state->abandoned)
        return;
    if (state->messenger)
        vkDestroyDebugUtilsMessengerEXT(state->instance, state->messenger, NULL);
    if (state->instance)
        vkDestroyInstance(state->instance, NULL);
    dynlib_close(state->loader);
}

static bool has_vendor(const struct vulkan_state *state, uint32_t vendor_id)
{
    for (size_t i = 0; i < state->physical_count; i++) {
        VkPhysicalDeviceProperties properties;
        vkGetPhysicalDeviceProperties(state->physical[i].handle, &properties);
        if (properties.vendorID == vendor_id)
            return true;
    }
    return false;
}

void *vulkan_load(struct gpu_enumeration *to)
{
    struct vulkan_state *state = ARENA_NEW(to->arena, struct vulkan_state);
    bool started = start(state, to);
    if (started)
        vulkan_enumerate(state, to);
    note_unreached_nvidia(to, started && has_vendor(state, GPU_VENDOR_NVIDIA));
    if (started && state->physical_count)
        return state;
    vulkan_unload(state);
    return NULL;
}

// ---------------------------------------------------------------- slots

void vulkan_object_destroy(struct gpu_object *object)
{
    struct vulkan_device *device = vulkan_device_of(object);
    switch (object->kind) {
    case GPU_OBJECT_BUFFER:
        vulkan_buffer_destroy(device, (struct vulkan_buffer *)object);
        break;
    case GPU_OBJECT_PROGRAM:
        vulkan_program_destroy(device, (struct vulkan_program *)object);
        break;
    case GPU_OBJECT_BATCH:
        vulkan_batch_destroy(device, (struct vulkan_batch *)object);
        break;
    case GPU_OBJECT_HOLD:
        vulkan_hold_destroy(device, (struct vulkan_hold *)object);
        break;
    case GPU_OBJECT_TYPED:
        vulkan_typed_destroy(device, (struct vulkan_typed *)object);
        break;
    case GPU_OBJECT_IMAGE:
        vulkan_image_destroy(device, (struct vulkan_image *)object);
        break;
    case GPU_OBJECT_SAMPLER:
        vulkan_sampler_destroy(device, (struct vulkan_sampler *)object);
        break;
    case GPU_OBJECT_TARGET:
        vulkan_target_destroy(device, (struct vulkan_target *)object);
        break;
    case GPU_OBJECT_DRAW_PROGRAM:
        vulkan_draw_program_destroy(device, (struct vulkan_draw_program *)object);
        break;
    case GPU_OBJECT_TREE:
        vulkan_tree_destroy(device, (struct vulkan_tree *)object);
        break;
    }
}

static const struct gpu_graphics graphics = {
    .target_create = vulkan_target_create,
    .program_create = vulkan_draw_program_create,
    .batch_draw = vulkan_batch_draw,
    .batch_barrier_target = vulkan_batch_barrier_target,
    .batch_copy_target = vulkan_batch_copy_target,
};

struct gpu_program *vulkan_program_create(struct gpu_scope *scope,
                                          const struct gpu_program_desc *desc, struct error *err)
{
    return desc->kernel->stage == GPU_STAGE_RAYGEN
               ? vulkan_ray_program_create(scope, desc, err)
               : vulkan_compute_program_create(scope, desc, err);
}

static const struct gpu_rays rays = {
    .tree_create = vulkan_tree_create,
    .tree_compact_bytes = vulkan_tree_compact_bytes,
    .batch_tree_build = vulkan_batch_tree_build,
    .batch_tree_copy = vulkan_batch_tree_copy,
};

const struct gpu_backend vulkan_backend = {
    .name = "vulkan",
#define X(slot) .slot = vulkan_##slot,
    GPU_SLOTS(X)
#undef X
        .validation_messages = validation_messages,
    .interceptor = interceptor,
    .device_calibrated_timestamp = device_calibrated_timestamp,
    .device_hold_clock = vulkan_device_hold_clock,
    .device_free_clock = vulkan_device_free_clock,
    .program_stats = vulkan_program_stats,
    .batch_barrier_buffer = vulkan_batch_barrier_buffer,
    .batch_barrier_image = vulkan_batch_barrier_image,
    .batch_split = vulkan_batch_split,
    .graphics = &graphics,
    .rays = &rays,
    .counting = &vulkan_counting,
};
