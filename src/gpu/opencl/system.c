// SPDX-License-Identifier: MIT
// Opens the OpenCL loader and lists the devices of its drivers, or reports why there are none.
#include "gpu/opencl/opencl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Constants of the extension cl_nv_device_attribute_query, which the Khronos headers lack.
enum {
    DEVICE_PCI_BUS_ID_NV = 0x4008,
    DEVICE_PCI_SLOT_ID_NV = 0x4009,
    DEVICE_PCI_DOMAIN_ID_NV = 0x400A,
};

enum {
    // maximum size in bytes of a text from a driver; longer texts are ignored
    TEXT_BYTES_MAX = 1 << 20
};

// ---------------------------------------------------------------- properties of a device

struct asked {
    const struct opencl_api *api;
    struct arena *arena;
    cl_device_id device;
    const char *extensions;
    unsigned version; // OpenCL version of the device: 10 × major + minor
};

// Sets *value to an integer property of 4 or 8 bytes. Returns false, and sets 0, if the driver
// lacks it.
static bool read_number(const struct asked *asked, cl_device_info which, uint64_t *value)
{
    uint64_t told = 0;
    bool known =
        asked->api->clGetDeviceInfo(asked->device, which, sizeof told, &told, NULL) == CL_SUCCESS;
    *value = known ? told : 0;
    return known;
}

// Returns an integer property of 4 or 8 bytes; 0 if the driver lacks it.
static uint64_t number(const struct asked *asked, cl_device_info which)
{
    uint64_t value;
    read_number(asked, which, &value);
    return value;
}

static const char *text(const struct asked *asked, cl_device_info which)
{
    size_t bytes = 0;
    if (asked->api->clGetDeviceInfo(asked->device, which, 0, NULL, &bytes) != CL_SUCCESS ||
        bytes > TEXT_BYTES_MAX)
        return "";
    char *value = arena_alloc(asked->arena, bytes + 1);
    if (asked->api->clGetDeviceInfo(asked->device, which, bytes, value, NULL) != CL_SUCCESS)
        return "";
    return value;
}

static const char *platform_name(const struct opencl_api *api, struct arena *arena,
                                 cl_platform_id platform)
{
    size_t bytes = 0;
    if (api->clGetPlatformInfo(platform, CL_PLATFORM_NAME, 0, NULL, &bytes) != CL_SUCCESS ||
        bytes > TEXT_BYTES_MAX)
        return "OpenCL";
    char *value = arena_alloc(arena, bytes + 1);
    if (api->clGetPlatformInfo(platform, CL_PLATFORM_NAME, bytes, value, NULL) != CL_SUCCESS)
        return "OpenCL";
    return value;
}

static bool has_extension(const struct asked *asked, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = asked->extensions; (at = strstr(at, name)); at += length)
        if ((at == asked->extensions || at[-1] == ' ') && (at[length] == '\0' || at[length] == ' '))
            return true;
    return false;
}

// ---------------------------------------------------------------- filling gpu_info

static enum gpu_kind kind_of(const struct asked *asked)
{
    uint64_t type = number(asked, CL_DEVICE_TYPE);
    if (type & CL_DEVICE_TYPE_CPU)
        return GPU_KIND_CPU;
    if (!(type & CL_DEVICE_TYPE_GPU))
        return GPU_KIND_OTHER;
    return number(asked, CL_DEVICE_HOST_UNIFIED_MEMORY) ? GPU_KIND_INTEGRATED : GPU_KIND_DISCRETE;
}

static gpu_caps caps_of(const struct asked *asked)
{
    gpu_caps caps = GPU_CAP(INT64) | GPU_CAP(INT8) | GPU_CAP(STORAGE16) | GPU_CAP(STORAGE8) |
                    GPU_CAP(CONSTANT) | GPU_CAP(HOLDS) | GPU_CAP(STAMPS_INSIDE) |
                    GPU_CAP(PAGEABLE) | GPU_CAP(CONTEXTS);
    if (has_extension(asked, "cl_khr_fp64"))
        caps |= GPU_CAP(FLOAT64);
    if (has_extension(asked, "cl_khr_fp16"))
        caps |= GPU_CAP(FLOAT16);
    if (has_extension(asked, "cl_khr_int64_base_atomics"))
        caps |= GPU_CAP(ATOMICS64);
    if (has_extension(asked, "cl_khr_integer_dot_product"))
        caps |= GPU_CAP(DOT4);
    if (has_extension(asked, "cl_khr_subgroups"))
        caps |= GPU_CAP(SUBGROUPS);
    if (number(asked, CL_DEVICE_HOST_UNIFIED_MEMORY))
        caps |= GPU_CAP(HOST_MEMORY);
    if (number(asked, CL_DEVICE_IMAGE_SUPPORT))
        caps |= GPU_CAP(TYPED) | GPU_CAP(IMAGES) | GPU_CAP(SAMPLERS);
    if (number(asked, CL_DEVICE_QUEUE_PROPERTIES) & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
        caps |= GPU_CAP(UNORDERED);
    return caps;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

// Returns a × b, or UINT64_MAX if the product needs more than 64 bits.
static uint64_t times(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

static uint64_t subgroup_threads(const struct asked *asked)
{
    uint64_t threads = number(asked, CL_DEVICE_WARP_SIZE_NV);
    return threads ? threads : number(asked, CL_DEVICE_WAVEFRONT_WIDTH_AMD);
}

static void fill_limits(const struct asked *asked, const struct gpu_info *info,
                        struct gpu_limits *limits)
{
    size_t sizes[3] = {0};
    uint64_t align_bytes = number(asked, CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8, sub = 0;
    if (asked->api->clGetDeviceInfo(asked->device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof sizes,
                                    sizes, NULL) != CL_SUCCESS)
        sizes[0] = sizes[1] = sizes[2] = 0;
    sub = subgroup_threads(asked);
    *limits = (struct gpu_limits){
        .memory_bytes = number(asked, CL_DEVICE_GLOBAL_MEM_SIZE),
        .allocation_bytes = number(asked, CL_DEVICE_MAX_MEM_ALLOC_SIZE),
        .storage_range_bytes = number(asked, CL_DEVICE_MAX_MEM_ALLOC_SIZE),
        .constant_range_bytes = number(asked, CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE),
        .typed_elements = number(asked, CL_DEVICE_IMAGE_MAX_BUFFER_SIZE),
        // ranges are bound as sub-buffers, whose offsets need this alignment
        .storage_align_bytes = align_bytes,
        .constant_align_bytes = align_bytes,
        .typed_align_bytes = align_bytes,
        .image_1d = number(asked, CL_DEVICE_IMAGE2D_MAX_WIDTH),
        .image_2d = least(number(asked, CL_DEVICE_IMAGE2D_MAX_WIDTH),
                          number(asked, CL_DEVICE_IMAGE2D_MAX_HEIGHT)),
        .image_3d = least(least(number(asked, CL_DEVICE_IMAGE3D_MAX_WIDTH),
                                number(asked, CL_DEVICE_IMAGE3D_MAX_HEIGHT)),
                          number(asked, CL_DEVICE_IMAGE3D_MAX_DEPTH)),
        .image_layers = number(asked, CL_DEVICE_IMAGE_MAX_ARRAY_SIZE),
        .params_bytes = GPU_PARAMS_MAX_BYTES,
        .workgroup_count_x = UINT32_MAX, // OpenCL does not limit the number of workgroups
        .workgroup_count_y = UINT32_MAX,
        .workgroup_count_z = UINT32_MAX,
        .workgroup_threads = number(asked, CL_DEVICE_MAX_WORK_GROUP_SIZE),
        .workgroup_threads_x = sizes[0],
        .workgroup_threads_y = sizes[1],
        .workgroup_threads_z = sizes[2],
        .shared_bytes = number(asked, CL_DEVICE_LOCAL_MEM_SIZE),
        .subgroup_threads = sub,
        .subgroup_threads_min = sub,
        .subgroup_threads_max = sub,
        .cores = number(asked, CL_DEVICE_MAX_COMPUTE_UNITS),
        .core_clock_hz = times(number(asked, CL_DEVICE_MAX_CLOCK_FREQUENCY), 1000000),
        .stamp_step_ps = times(number(asked, CL_DEVICE_PROFILING_TIMER_RESOLUTION), 1000),
        .stamp_bits = 64,
    };
    // NVIDIA's driver reports the sum of all L1 caches as the size of the last cache.
    if (info->vendor_id != GPU_VENDOR_NVIDIA)
        limits->last_cache_bytes = number(asked, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE);
}

static bool read_pci(const struct asked *asked, struct gpu_pci *pci)
{
    cl_device_pci_bus_info_khr told = {0};
    uint64_t domain, bus, slot;
    if (has_extension(asked, "cl_khr_pci_bus_info") &&
        asked->api->clGetDeviceInfo(asked->device, CL_DEVICE_PCI_BUS_INFO_KHR, sizeof told, &told,
                                    NULL) == CL_SUCCESS) {
        *pci = (struct gpu_pci){.domain = told.pci_domain,
                                .bus = told.pci_bus,
                                .device = told.pci_device,
                                .function = told.pci_function};
        return true;
    }
    if (!has_extension(asked, "cl_nv_device_attribute_query") ||
        !read_number(asked, DEVICE_PCI_DOMAIN_ID_NV, &domain) ||
        !read_number(asked, DEVICE_PCI_BUS_ID_NV, &bus) ||
        !read_number(asked, DEVICE_PCI_SLOT_ID_NV, &slot))
        return false;
    *pci = (struct gpu_pci){.domain = (uint32_t)domain,
                            .bus = (uint32_t)bus,
                            .device = (uint32_t)slot >> 3,
                            .function = (uint32_t)slot & 7};
    return true;
}

static void fill_identity(const struct asked *asked, struct gpu_info *info)
{
    info->has_uuid = has_extension(asked, "cl_khr_device_uuid") &&
                     asked->api->clGetDeviceInfo(asked->device, CL_DEVICE_UUID_KHR,
                                                 sizeof info->uuid, info->uuid, NULL) == CL_SUCCESS;
    info->has_pci = read_pci(asked, &info->pci);
}

static const char *vendor_of(const struct asked *asked)
{
    switch (number(asked, CL_DEVICE_VENDOR_ID)) {
    case GPU_VENDOR_NVIDIA:
        return "NVIDIA";
    case GPU_VENDOR_AMD:
        return "AMD";
    case GPU_VENDOR_INTEL:
        return "Intel";
    default:
        return text(asked, CL_DEVICE_VENDOR);
    }
}

static void fill_info(const struct asked *asked, const char *platform, struct gpu_info *info)
{
    info->kind = kind_of(asked);
    snprintf(info->name, sizeof info->name, "%s", text(asked, CL_DEVICE_NAME));
    snprintf(info->vendor, sizeof info->vendor, "%s", vendor_of(asked));
    info->vendor_id = (uint32_t)number(asked, CL_DEVICE_VENDOR_ID);
    snprintf(info->driver, sizeof info->driver, "%s %s", platform, text(asked, CL_DRIVER_VERSION));
    snprintf(info->api_version, sizeof info->api_version, "%u.%u", asked->version / 10,
             asked->version % 10);
    fill_identity(asked, info);
    info->caps = caps_of(asked);
    fill_limits(asked, info, &info->limits);
    // An OpenCL queue can do all kinds of work.
    for (unsigned kind = 0; kind < GPU_QUEUE_KIND_COUNT; kind++)
        info->families[kind] = (struct gpu_queue_family){
            .kind = (enum gpu_queue_kind)kind, .count = GPU_QUEUES_MAX, .stamp_bits = 64};
    info->family_count = GPU_QUEUE_KIND_COUNT;
}

// ---------------------------------------------------------------- enumeration

// Returns the reason why the device cannot be used; NULL if it can be used.
static const char *refuse(const struct asked *asked)
{
    if (asked->version < 12)
        return "has no OpenCL 1.2";
    if (!number(asked, CL_DEVICE_AVAILABLE))
        return "is not available, according to its driver";
    if (!number(asked, CL_DEVICE_COMPILER_AVAILABLE))
        return "has no compiler";
    if (!number(asked, CL_DEVICE_ENDIAN_LITTLE))
        return "is big-endian";
    return NULL;
}

static void list_device(struct opencl_state *state, const char *platform, cl_device_id device,
                        struct gpu_enumeration *to)
{
    struct asked asked = {.api = &state->api, .arena = to->arena, .device = device};
    struct gpu_info info = {0};
    unsigned major = 0, minor = 0;
    // NOLINTNEXTLINE(cert-err34-c): the format is OpenCL's; for any other text the version stays 0
    if (sscanf(text(&asked, CL_DEVICE_VERSION), "OpenCL %u.%u", &major, &minor) == 2)
        asked.version = 10 * major + minor;
    asked.extensions = text(&asked, CL_DEVICE_EXTENSIONS);
    const char *refused = refuse(&asked);
    if (refused) {
        to->add_unavailable(
            to, arena_printf(to->arena, "%s %s", text(&asked, CL_DEVICE_NAME), refused), NULL);
        return;
    }
    fill_info(&asked, platform, &info);
    state->devices = arena_grow(to->arena, state->devices, state->device_count,
                                &state->device_capacity, sizeof(cl_device_id));
    state->devices[state->device_count++] = device;
    to->add_device(to, &info);
}

static void list_platform(struct opencl_state *state, cl_platform_id platform,
                          struct gpu_enumeration *to)
{
    const struct opencl_api *api = &state->api;
    const char *name = platform_name(api, to->arena, platform);
    cl_uint count = 0;
    cl_int result = api->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &count);
    if (!gpu_count_check(to, count))
        return;
    cl_device_id *devices = ARENA_ARRAY(to->arena, count, cl_device_id);
    if (result == CL_SUCCESS)
        result = count ? api->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, devices, NULL)
                       : CL_DEVICE_NOT_FOUND;
    struct error err;
    if (!opencl_check(result, name, &err)) {
        to->add_unavailable(to, err.message, NULL);
        return;
    }
    for (cl_uint i = 0; i < count; i++)
        list_device(state, name, devices[i], to);
}

static bool nvidia_is_there(void)
{
    return access("/dev/nvidiactl", F_OK) == 0;
}

// Returns true if the OpenCL loader may hide NVIDIA's devices. If the loader loads PoCL first,
// PoCL's LLVM uses up the space for thread-local variables of late libraries. NVIDIA's driver then
// lists no device (driver 580, PoCL 5.0, glibc 2.39). The devices appear if other libraries of
// NVIDIA were loaded before, or with GLIBC_TUNABLES=glibc.rtld.optional_static_tls=16384.
bool opencl_after_others(void)
{
    const char *tunables = getenv("GLIBC_TUNABLES");
    return nvidia_is_there() && !(tunables && strstr(tunables, GPU_TUNABLE_STATIC_TLS));
}

static const char *remedy_of_platforms(void)
{
    if (nvidia_is_there())
        return "NVIDIA's driver has OpenCL: name it in /etc/OpenCL/vendors/nvidia.icd (one line: "
               "libnvidia-opencl.so.1)";
    return "install the GPU's OpenCL driver, or pocl-opencl-icd for the CPU";
}

static bool list_platforms(struct opencl_state *state, struct gpu_enumeration *to)
{
    cl_uint count = 0;
    cl_int result = state->api.clGetPlatformIDs(0, NULL, &count);
    if (!gpu_count_check(to, count))
        return false;
    cl_platform_id *platforms = ARENA_ARRAY(to->arena, count, cl_platform_id);
    if (result == CL_SUCCESS && count)
        result = state->api.clGetPlatformIDs(count, platforms, NULL);
    struct error err;
    if (result == CL_PLATFORM_NOT_FOUND_KHR || (result == CL_SUCCESS && count == 0)) {
        to->add_unavailable(to, "no OpenCL driver is installed", remedy_of_platforms());
        return false;
    }
    if (!opencl_check(result, "clGetPlatformIDs", &err)) {
        to->add_unavailable(to, err.message, NULL);
        return false;
    }
    for (cl_uint i = 0; i < count; i++)
        list_platform(state, platforms[i], to);
    return state->device_count > 0;
}

void *opencl_load(struct gpu_enumeration *to)
{
    struct opencl_state *state = ARENA_NEW(to->arena, struct opencl_state);
    struct error err;
    state->lib = opencl_api_load(&state->api, &err);
    if (!state->lib) {
        to->add_unavailable(to, err.message, "install ocl-icd-libopencl1 and an OpenCL driver");
        return NULL;
    }
    if (list_platforms(state, to))
        return state;
    dynlib_close(state->lib);
    return NULL;
}

void opencl_unload(void *state)
{
    dynlib_close(((struct opencl_state *)state)->lib);
}
