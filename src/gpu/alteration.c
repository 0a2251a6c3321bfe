// SPDX-License-Identifier: MIT
// Finds what alters the driver: a library that intercepts fathom's calls of the driver, or an
// environment variable.
#include "gpu/backend.h"

#include "base/dynlib.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

struct variable {
    const char *api, *name;
    // PCI vendor id of the devices that the variable affects; 0 means all devices
    uint32_t vendor_id;
    // value of the variable that alters nothing; NULL if every value but "" alters the driver
    const char *usual;
    const char *effect; // what the variable does, as the end of the sentence "NAME=VALUE is set: …"
    bool submissions_only;
};

// The environment variables that alter a driver. docs/evidence/altered.md shows their effects.
// Sources: CUDA C++ Programming Guide, "CUDA Environment Variables"; NVIDIA's documentation of MPS;
// README of Khronos's OpenCL-ICD-Loader.
static const struct variable variables[] = {
    {"cuda", "CUDA_LAUNCH_BLOCKING", 0, "0", "each launch waits until its kernel ends", true},
    {"opencl", "CUDA_LAUNCH_BLOCKING", GPU_VENDOR_NVIDIA, "0",
     "each launch waits until its kernel ends", true},
    {"cuda", "CUDA_DEVICE_MAX_CONNECTIONS", 0, "8",
     "so many streams can submit to the card side by side, usually 8", true},
    {"cuda", "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE", 0, "100",
     "a client of MPS gets only this share of the cores", false},
    {"cuda", "CUDA_INJECTION64_PATH", 0, NULL, "a tool may intercept the driver's functions",
     false},
    {"opencl", "OPENCL_LAYERS", 0, NULL, "layers may intercept the driver's functions", false},
};

// Parts of the names of libraries that intercept calls within the driver: Nsight Systems and
// Compute (libToolsInjection64.so, libcuda-injection.so), Compute Sanitizer.
static const char *const tools[] = {"njection", "libsanitizer-"};

static const char *loaded_tool(void)
{
    const char *path = NULL;
    for (size_t i = 0; i < sizeof tools / sizeof *tools && !path; i++)
        path = dynlib_loaded(tools[i]);
    return path;
}

static bool concerns(const struct variable *variable, const struct gpu_device *device)
{
    return strcmp(variable->api, device->backend->name) == 0 &&
           (!variable->vendor_id || variable->vendor_id == device->info->vendor_id);
}

// Returns the value of an environment variable if it alters the driver; else NULL.
static const char *value_of(const struct variable *variable)
{
    const char *value = getenv(variable->name);
    bool usual = value && variable->usual && strcmp(value, variable->usual) == 0;
    return value && *value && !usual ? value : NULL;
}

struct gpu_alteration gpu_device_alteration(const struct gpu_device *device, struct arena *arena)
{
    const char *path = device->backend->interceptor ? device->backend->interceptor(device) : NULL;
    if (!path)
        path = loaded_tool();
    if (path)
        return (struct gpu_alteration){
            .text = arena_printf(arena, "%s stands between fathom and the driver",
                                 text_file_name(path))};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const struct variable *variable = &variables[i];
        const char *value = concerns(variable, device) ? value_of(variable) : NULL;
        if (value)
            return (struct gpu_alteration){.text = arena_printf(arena, "%s=%s is set: %s",
                                                                variable->name, value,
                                                                variable->effect),
                                           .submissions_only = variable->submissions_only};
    }
    return (struct gpu_alteration){0};
}
