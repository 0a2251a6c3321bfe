// SPDX-License-Identifier: MIT
// Loads the CUDA driver and lists its devices, or reports why there are none.
#include "base/text.h"
#include "gpu/cuda/cuda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    CUDA_VERSION_LEAST = 11000, // oldest supported CUDA version, as 1000 × major + 10 × minor
    // lowest supported major number of the compute capability; the kernels' PTX needs 7.0
    COMPUTE_LEAST = 7,
};

static bool driver_files_there(void)
{
    return access("/dev/nvidiactl", F_OK) == 0;
}

static const char *remedy_of_library(void)
{
    if (!driver_files_there())
        return NULL;
    return "NVIDIA's kernel driver is loaded, but its libcuda.so.1 is missing or too old: install "
           "the driver's libraries (Debian: libcuda1; containers: --gpus all and "
           "NVIDIA_DRIVER_CAPABILITIES=compute)";
}

static const char *remedy_of_init(int result)
{
    switch (result) {
    case CU_NO_DEVICE:
        return driver_files_there() ? "check CUDA_VISIBLE_DEVICES, and that /dev/nvidia0 and "
                                      "/dev/nvidia-uvm may be opened"
                                    : NULL;
    case CU_SYSTEM_DRIVER_MISMATCH:
        return "libcuda.so.1 and the loaded kernel driver are of different versions: reboot, or "
               "reload the kernel module nvidia";
    case CU_COMPAT_NOT_SUPPORTED:
        return "the libcuda.so.1 found is of the package cuda-compat, which this card does not "
               "support: take its folder out of LD_LIBRARY_PATH";
    case CU_SYSTEM_NOT_READY:
        return "start the service nvidia-fabricmanager";
    case CU_STUB_LIBRARY:
        return "the libcuda.so.1 found is the toolkit's stub: take its folder out of "
               "LD_LIBRARY_PATH";
    case CU_UNKNOWN:
        return "load the kernel module nvidia_uvm (nvidia-modprobe -u -c=0)";
    default:
        return NULL;
    }
}

// Sets *value to an attribute of the device. Returns false if the driver does not tell it.
static bool read_attribute(const struct cuda_api *api, int device, int which, uint32_t *value)
{
    int told = 0;
    if (api->cuDeviceGetAttribute(&told, which, device) != CU_SUCCESS || told < 0)
        return false;
    *value = (uint32_t)told;
    return true;
}

// Returns an attribute of the device; 0 if the driver does not tell it.
static uint64_t attribute(const struct cuda_api *api, int device, int which)
{
    uint32_t value = 0;
    return read_attribute(api, device, which, &value) ? value : 0;
}

static uint64_t least_attribute(const struct cuda_api *api, int device, int first, int count)
{
    uint64_t least = attribute(api, device, first);
    for (int i = 1; i < count; i++) {
        uint64_t value = attribute(api, device, first + i);
        if (value < least)
            least = value;
    }
    return least;
}

static void fill_limits(const struct cuda_api *api, int device, struct gpu_limits *limits)
{
    size_t memory = 0;
    if (api->cuDeviceTotalMem_v2(&memory, device) != CU_SUCCESS)
        memory = 0;
    *limits = (struct gpu_limits){
        .memory_bytes = memory,
        // CUDA limits the size of a buffer only by the size of the memory
        .allocation_bytes = memory,
        .storage_range_bytes = memory,
        .constant_range_bytes = attribute(api, device, CU_ATTR_TOTAL_CONSTANT_MEMORY),
        .typed_elements = attribute(api, device, CU_ATTR_TEXTURE1D_LINEAR_WIDTH),
        // offsets of buffer ranges must be multiples of 16, because the widest load has 16 bytes
        .storage_align_bytes = 16,
        .typed_align_bytes = attribute(api, device, CU_ATTR_TEXTURE_ALIGNMENT),
        .image_1d = attribute(api, device, CU_ATTR_TEXTURE1D_WIDTH),
        .image_2d = least_attribute(api, device, CU_ATTR_TEXTURE2D_WIDTH, 2),
        .image_3d = least_attribute(api, device, CU_ATTR_TEXTURE3D_WIDTH, 3),
        .image_layers = attribute(api, device, CU_ATTR_TEXTURE2D_LAYERS),
        .params_bytes = GPU_PARAMS_MAX_BYTES,
        .workgroup_threads = attribute(api, device, CU_ATTR_MAX_THREADS_PER_BLOCK),
        .workgroup_threads_x = attribute(api, device, CU_ATTR_MAX_BLOCK_DIM_X),
        .workgroup_threads_y = attribute(api, device, CU_ATTR_MAX_BLOCK_DIM_X + 1),
        .workgroup_threads_z = attribute(api, device, CU_ATTR_MAX_BLOCK_DIM_X + 2),
        .workgroup_count_x = attribute(api, device, CU_ATTR_MAX_GRID_DIM_X),
        .workgroup_count_y = attribute(api, device, CU_ATTR_MAX_GRID_DIM_X + 1),
        .workgroup_count_z = attribute(api, device, CU_ATTR_MAX_GRID_DIM_X + 2),
        .shared_bytes = attribute(api, device, CU_ATTR_MAX_SHARED_MEMORY_PER_BLOCK),
        .shared_choice_bytes = attribute(api, device, CU_ATTR_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN),
        .subgroup_threads = attribute(api, device, CU_ATTR_WARP_SIZE),
        .subgroup_threads_min = attribute(api, device, CU_ATTR_WARP_SIZE),
        .subgroup_threads_max = attribute(api, device, CU_ATTR_WARP_SIZE),
        .cores = attribute(api, device, CU_ATTR_MULTIPROCESSOR_COUNT),
        .core_threads = attribute(api, device, CU_ATTR_MAX_THREADS_PER_MULTIPROCESSOR),
        .core_shared_bytes = attribute(api, device, CU_ATTR_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR),
        .core_registers = attribute(api, device, CU_ATTR_MAX_REGISTERS_PER_MULTIPROCESSOR),
        .last_cache_bytes = attribute(api, device, CU_ATTR_L2_CACHE_SIZE),
        .core_clock_hz = attribute(api, device, CU_ATTR_CLOCK_RATE_KHZ) * 1000,
        .memory_clock_hz = attribute(api, device, CU_ATTR_MEMORY_CLOCK_RATE_KHZ) * 1000,
        .memory_bus_bits = attribute(api, device, CU_ATTR_MEMORY_BUS_WIDTH),
        // resolution of cuEventElapsedTime: "around 0.5 microseconds" (NVIDIA's documentation)
        .stamp_step_ps = 500000,
        .stamp_bits = 64,
    };
}

// Returns true if CUDA_LAUNCH_BLOCKING is set and not 0. A launch then waits for its kernel, so the
// launch of a kernel that waits for the host never ends.
static bool launches_block(void)
{
    const char *value = getenv("CUDA_LAUNCH_BLOCKING");
    return value && strtol(value, NULL, 10) != 0;
}

static gpu_caps caps_of(const struct cuda_api *api, int device)
{
    gpu_caps caps =
        GPU_CAP(CORE_CLOCK) | GPU_CAP(DEVICE_CLOCK) | GPU_CAP(CORE_ID) | GPU_CAP(STAMPS_INSIDE) |
        GPU_CAP(ADDRESSES) | GPU_CAP(INT64) | GPU_CAP(FLOAT64) | GPU_CAP(FLOAT16) | GPU_CAP(INT8) |
        GPU_CAP(STORAGE16) | GPU_CAP(STORAGE8) | GPU_CAP(ATOMICS64) | GPU_CAP(SUBGROUPS) |
        GPU_CAP(CONSTANT) | GPU_CAP(TYPED) | GPU_CAP(IMAGES) | GPU_CAP(SAMPLERS) |
        GPU_CAP(UNORDERED) | GPU_CAP(KERNEL_STATS) | GPU_CAP(L1_CHOICE) | GPU_CAP(SHARED_CHOICE) |
        // all chips from compute capability 7.0 on, the oldest of this backend, have these two
        // capabilities
        GPU_CAP(PAGEABLE) | GPU_CAP(MATRIX);
    caps |= GPU_CAP(SHUFFLE) | GPU_CAP(DOT4) | GPU_CAP(HOST_MEMORY);
    if (api->cuStreamWaitValue32_v2 && !launches_block() &&
        (attribute(api, device, CU_ATTR_CAN_USE_STREAM_MEM_OPS_V1) ||
         attribute(api, device, CU_ATTR_CAN_USE_64_BIT_STREAM_MEM_OPS)))
        caps |= GPU_CAP(HOLDS);
    if (cuda_api_has_graphs(api))
        caps |= GPU_CAP(REPLAY);
    if (attribute(api, device, CU_ATTR_STREAM_PRIORITIES_SUPPORTED))
        caps |= GPU_CAP(PRIORITY);
    if (attribute(api, device, CU_ATTR_MANAGED_MEMORY))
        caps |= GPU_CAP(MANAGED);
    if (api->cuDeviceCanAccessPeer && api->cuCtxEnablePeerAccess && api->cuMemcpyPeerAsync)
        caps |= GPU_CAP(PEERS);
    return caps;
}

bool cuda_moves_pages(const struct cuda_api *api, int device)
{
    return attribute(api, device, CU_ATTR_CONCURRENT_MANAGED_ACCESS) != 0;
}

// Sets info->driver as Vulkan does ("NVIDIA 580.159.04"). Without a version in /proc, names the
// newest CUDA version that the driver supports.
static void fill_driver(int version, struct gpu_info *info)
{
    char line[256] = "", number[64] = "";
    if (!text_read_line(line, sizeof line, "/proc/driver/nvidia/version"))
        line[0] = '\0';
    // In /proc/driver/nvidia/version, the version follows two blanks: "… Module  580.159.04  …".
    const char *at = strstr(line, "  ");
    if (at && sscanf(at, "%63s", number) == 1 && strchr(number, '.'))
        snprintf(info->driver, sizeof info->driver, "NVIDIA %s", number);
    else
        snprintf(info->driver, sizeof info->driver, "NVIDIA, for CUDA %d.%d", version / 1000,
                 version % 1000 / 10);
}

static void fill_names(const struct cuda_api *api, int device, int version, struct gpu_info *info)
{
    struct cu_uuid uuid = {0};
    if (api->cuDeviceGetName(info->name, sizeof info->name, device) != CU_SUCCESS)
        snprintf(info->name, sizeof info->name, "CUDA device");
    snprintf(info->vendor, sizeof info->vendor, "NVIDIA");
    info->vendor_id = GPU_VENDOR_NVIDIA;
    fill_driver(version, info);
    snprintf(info->api_version, sizeof info->api_version, "%d.%d", version / 1000,
             version % 1000 / 10);
    if (api->cuDeviceGetUuid(&uuid, device) == CU_SUCCESS) {
        info->has_uuid = true;
        memcpy(info->uuid, uuid.bytes, sizeof info->uuid);
    }
    info->has_pci = read_attribute(api, device, CU_ATTR_PCI_DOMAIN_ID, &info->pci.domain) &&
                    read_attribute(api, device, CU_ATTR_PCI_BUS_ID, &info->pci.bus) &&
                    read_attribute(api, device, CU_ATTR_PCI_DEVICE_ID, &info->pci.device);
}

// Returns true if the chip can run the kernels' PTX. Otherwise reports the device as unavailable.
static bool has_capability(const struct cuda_api *api, int device, const char *name,
                           struct gpu_enumeration *to)
{
    uint32_t major, minor;
    bool known = read_attribute(api, device, CU_ATTR_COMPUTE_CAPABILITY_MAJOR, &major) &&
                 read_attribute(api, device, CU_ATTR_COMPUTE_CAPABILITY_MINOR, &minor);
    if (known && major >= COMPUTE_LEAST)
        return true;
    to->add_unavailable(
        to,
        known ? arena_printf(to->arena,
                             "%s has compute capability %u.%u; the kernels need %d.0 or newer",
                             name, major, minor, COMPUTE_LEAST)
              : arena_printf(to->arena, "%s: its driver does not report its compute capability",
                             name),
        NULL);
    return false;
}

static void list_device(struct cuda_state *state, int device, int version,
                        struct gpu_enumeration *to)
{
    const struct cuda_api *api = &state->api;
    struct gpu_info info = {.kind = attribute(api, device, CU_ATTR_INTEGRATED) ? GPU_KIND_INTEGRATED
                                                                               : GPU_KIND_DISCRETE};
    fill_names(api, device, version, &info);
    if (!has_capability(api, device, info.name, to))
        return;
    info.caps = caps_of(api, device);
    fill_limits(api, device, &info.limits);
    // Reports one queue family for each kind of queue, because a stream can do all kinds of work.
    for (unsigned kind = 0; kind < GPU_QUEUE_KIND_COUNT; kind++)
        info.families[kind] = (struct gpu_queue_family){
            .kind = (enum gpu_queue_kind)kind, .count = GPU_QUEUES_MAX, .stamp_bits = 64};
    info.family_count = GPU_QUEUE_KIND_COUNT;
    state->devices[state->device_count++] = device;
    to->add_device(to, &info);
}

static bool init_driver(const struct cuda_api *api, int *version, struct gpu_enumeration *to)
{
    struct error err;
    int result = api->cuInit(0);
    if (!cuda_check(api, result, "cuInit", &err)) {
        to->add_unavailable(to, err.message, remedy_of_init(result));
        return false;
    }
    if (!cuda_check(api, api->cuDriverGetVersion(version), "cuDriverGetVersion", &err)) {
        to->add_unavailable(to, err.message, NULL);
        return false;
    }
    if (*version < CUDA_VERSION_LEAST) {
        error_set(&err, ERROR_NO_DEVICE, "the driver is for CUDA %d.%d; %d.0 or newer is needed",
                  *version / 1000, *version % 1000 / 10, CUDA_VERSION_LEAST / 1000);
        to->add_unavailable(to, err.message, "install a newer NVIDIA driver");
        return false;
    }
    return true;
}

static bool list_devices(struct cuda_state *state, int version, struct gpu_enumeration *to)
{
    const struct cuda_api *api = &state->api;
    struct error err;
    int count = 0, device = 0;
    if (!cuda_check(api, api->cuDeviceGetCount(&count), "cuDeviceGetCount", &err)) {
        to->add_unavailable(to, err.message, NULL);
        return false;
    }
    if (count <= 0) {
        to->add_unavailable(to, "the driver lists no device", "check CUDA_VISIBLE_DEVICES");
        return false;
    }
    if (!gpu_count_check(to, (uint64_t)count))
        return false;
    state->devices = ARENA_ARRAY(to->arena, (size_t)count, int);
    for (int ordinal = 0; ordinal < count; ordinal++) {
        if (cuda_check(api, api->cuDeviceGet(&device, ordinal), "cuDeviceGet", &err))
            list_device(state, device, version, to);
        else
            to->add_unavailable(to, err.message, NULL);
    }
    return state->device_count > 0;
}

void *cuda_load(struct gpu_enumeration *to)
{
    struct cuda_state *state = ARENA_NEW(to->arena, struct cuda_state);
    struct error err;
    int version = 0;
    state->lib = cuda_api_load(&state->api, &err);
    if (!state->lib) {
        to->add_unavailable(to, err.message, remedy_of_library());
        return NULL;
    }
    if (init_driver(&state->api, &version, to) && list_devices(state, version, to))
        return state;
    dynlib_close(state->lib);
    return NULL;
}

void cuda_unload(void *state)
{
    dynlib_close(((struct cuda_state *)state)->lib);
}
