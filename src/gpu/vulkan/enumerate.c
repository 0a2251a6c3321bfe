// SPDX-License-Identifier: MIT
// Lists the devices: fills a gpu_info with what each physical device reports, without opening it.
#include "gpu/vulkan/api.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    // most loop iterations of a llvmpipe thread (LP_MAX_TGSI_LOOP_ITERATIONS; measured,
    // Mesa 22.3.6)
    LLVMPIPE_LOOP_ITERATIONS = 65534,
    QUEUE_FAMILIES_MAX = 64, // further queue families are ignored
};

struct properties {
    VkPhysicalDeviceProperties2 core;
    VkPhysicalDeviceVulkan11Properties v11;
    VkPhysicalDeviceVulkan12Properties v12;
    VkPhysicalDeviceVulkan13Properties v13;
    VkPhysicalDevicePCIBusInfoPropertiesEXT pci;
};

static void query_properties(const struct vulkan_physical *physical, struct properties *p)
{
    *p = (struct properties){
        .core = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &p->v11},
        .v11 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES, .pNext = &p->v12},
        .v12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES, .pNext = &p->v13},
        .v13 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES,
                .pNext = physical->extensions.EXT_pci_bus_info ? &p->pci : NULL},
        .pci = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PCI_BUS_INFO_PROPERTIES_EXT},
    };
    vkGetPhysicalDeviceProperties2(physical->handle, &p->core);
}

static enum gpu_kind kind_of(VkPhysicalDeviceType type)
{
    if (type == VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU)
        return GPU_KIND_DISCRETE;
    if (type == VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU)
        return GPU_KIND_INTEGRATED;
    if (type == VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU)
        return GPU_KIND_VIRTUAL;
    return type == VK_PHYSICAL_DEVICE_TYPE_CPU ? GPU_KIND_CPU : GPU_KIND_OTHER;
}

static void name_vendor(uint32_t id, char *vendor, size_t bytes)
{
    static const struct {
        uint32_t id;
        const char *name;
    } vendors[] = {// PCI vendor ids; ids above 0xffff are from Khronos (VkVendorId)
                   {GPU_VENDOR_AMD, "AMD"}, {0x1010, "Imagination"},
                   {0x106b, "Apple"},       {GPU_VENDOR_NVIDIA, "NVIDIA"},
                   {0x13b5, "Arm"},         {0x14e4, "Broadcom"},
                   {0x5143, "Qualcomm"},    {GPU_VENDOR_INTEL, "Intel"},
                   {0x10005, "Mesa"}};
    for (size_t i = 0; i < sizeof vendors / sizeof vendors[0]; i++) {
        if (vendors[i].id == id) {
            snprintf(vendor, bytes, "%s", vendors[i].name);
            return;
        }
    }
    snprintf(vendor, bytes, "0x%04" PRIx32, id);
}

static void fill_identity(const struct properties *p, struct gpu_info *info)
{
    const VkPhysicalDeviceProperties *core = &p->core.properties;
    info->kind = kind_of(core->deviceType);
    // A faulty driver may omit the NUL at the end of the name, so the format limits its length.
    snprintf(info->name, sizeof info->name, "%.*s", VK_MAX_PHYSICAL_DEVICE_NAME_SIZE,
             core->deviceName);
    name_vendor(core->vendorID, info->vendor, sizeof info->vendor);
    info->vendor_id = core->vendorID <= 0xffff ? core->vendorID : 0;
    info->device_id = info->vendor_id ? core->deviceID : 0;
    snprintf(info->driver, sizeof info->driver, "%.120s %.120s", p->v12.driverName,
             p->v12.driverInfo);
    snprintf(info->api_version, sizeof info->api_version, "%u.%u.%u",
             VK_API_VERSION_MAJOR(core->apiVersion), VK_API_VERSION_MINOR(core->apiVersion),
             VK_API_VERSION_PATCH(core->apiVersion));
    memcpy(info->uuid, p->v11.deviceUUID, GPU_UUID_BYTES);
    info->has_uuid = true;
}

static void fill_pci(const struct vulkan_physical *physical, const struct properties *p,
                     struct gpu_info *info)
{
    info->has_pci = physical->extensions.EXT_pci_bus_info;
    if (info->has_pci)
        info->pci = (struct gpu_pci){.domain = p->pci.pciDomain,
                                     .bus = p->pci.pciBus,
                                     .device = p->pci.pciDevice,
                                     .function = p->pci.pciFunction};
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

// Sets the memory size (the largest device-local heap), and its free part if the driver reports it.
static void fill_memory(struct vulkan_physical *physical, struct gpu_info *info)
{
    VkPhysicalDeviceMemoryBudgetPropertiesEXT budget = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT};
    VkPhysicalDeviceMemoryProperties2 told = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2,
        .pNext = physical->extensions.EXT_memory_budget ? &budget : NULL};
    const VkPhysicalDeviceMemoryProperties *memory = &told.memoryProperties;
    vkGetPhysicalDeviceMemoryProperties2(physical->handle, &told);
    if (memory->memoryHeapCount > VK_MAX_MEMORY_HEAPS ||
        memory->memoryTypeCount > VK_MAX_MEMORY_TYPES) {
        // Vulkan allows fewer heaps or types. gpu_info_check refuses this size, and so the device.
        info->limits.memory_bytes = UINT64_MAX;
        return;
    }
    physical->memory = *memory;
    for (uint32_t i = 0; i < memory->memoryHeapCount; i++) {
        const VkMemoryHeap *heap = &memory->memoryHeaps[i];
        if (!(heap->flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) ||
            heap->size <= info->limits.memory_bytes)
            continue;
        info->limits.memory_bytes = heap->size;
        // The budget is all memory that this process may use; the process uses none yet.
        info->memory_free_bytes = smaller(budget.heapBudget[i], heap->size);
    }
}

static void fill_memory_limits(const struct properties *p, struct gpu_limits *limits)
{
    const VkPhysicalDeviceLimits *vk = &p->core.properties.limits;
    limits->allocation_bytes = smaller(p->v11.maxMemoryAllocationSize, p->v13.maxBufferSize);
    limits->allocation_bytes = smaller(limits->allocation_bytes, limits->memory_bytes) / 4 * 4;
    limits->storage_range_bytes = vk->maxStorageBufferRange;
    limits->constant_range_bytes = vk->maxUniformBufferRange;
    limits->typed_elements = vk->maxTexelBufferElements;
    limits->storage_align_bytes = vk->minStorageBufferOffsetAlignment;
    limits->constant_align_bytes = vk->minUniformBufferOffsetAlignment;
    limits->typed_align_bytes = vk->minTexelBufferOffsetAlignment;
    limits->image_1d = vk->maxImageDimension1D;
    limits->image_2d = smaller(vk->maxImageDimension2D, vk->maxImageDimensionCube);
    limits->image_3d = vk->maxImageDimension3D;
    limits->image_layers = vk->maxImageArrayLayers;
}

static void fill_kernel_limits(const struct properties *p, struct gpu_limits *limits)
{
    const VkPhysicalDeviceLimits *vk = &p->core.properties.limits;
    limits->params_bytes = smaller(vk->maxPushConstantsSize, GPU_PARAMS_MAX_BYTES);
    limits->workgroup_threads = vk->maxComputeWorkGroupInvocations;
    limits->workgroup_threads_x = vk->maxComputeWorkGroupSize[0];
    limits->workgroup_threads_y = vk->maxComputeWorkGroupSize[1];
    limits->workgroup_threads_z = vk->maxComputeWorkGroupSize[2];
    limits->workgroup_count_x = vk->maxComputeWorkGroupCount[0];
    limits->workgroup_count_y = vk->maxComputeWorkGroupCount[1];
    limits->workgroup_count_z = vk->maxComputeWorkGroupCount[2];
    limits->shared_bytes = vk->maxComputeSharedMemorySize;
    limits->subgroup_threads = p->v11.subgroupSize;
    limits->subgroup_threads_min = p->v13.minSubgroupSize;
    limits->subgroup_threads_max = p->v13.maxSubgroupSize;
    if (p->v12.driverID == VK_DRIVER_ID_MESA_LLVMPIPE)
        limits->loop_iterations = LLVMPIPE_LOOP_ITERATIONS;
    // The step is 0 for a negative, NaN or infinite unit. If the unit is negative or NaN,
    // gpu_info_check refuses a device with time stamps. If the unit is infinite, fill_families
    // reports no time stamps.
    double step_ps = isinf(vk->timestampPeriod) ? 0 : (double)vk->timestampPeriod * 1000.0 + 0.5;
    limits->stamp_step_ps = !(step_ps >= 0) ? 0 : step_ps < 0x1p63 ? (uint64_t)step_ps : UINT64_MAX;
}

// ---------------------------------------------------------------- queue families

static bool is_general(VkQueueFlags flags)
{
    // Queues for video and optical flow can copy, too, but they do not count as transfer queues.
    const VkQueueFlags known = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT |
                               VK_QUEUE_TRANSFER_BIT | VK_QUEUE_SPARSE_BINDING_BIT |
                               VK_QUEUE_PROTECTED_BIT;
    return (flags & (VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT)) ||
           ((flags & VK_QUEUE_TRANSFER_BIT) && !(flags & ~known));
}

static enum gpu_queue_kind queue_kind_of(VkQueueFlags flags)
{
    if (!(flags & VK_QUEUE_COMPUTE_BIT))
        return GPU_QUEUE_TRANSFER;
    return flags & VK_QUEUE_GRAPHICS_BIT ? GPU_QUEUE_UNIVERSAL : GPU_QUEUE_COMPUTE;
}

// Fills the families of queues. Returns false if no family can compute. If the unit of time stamps
// is infinite, the families have no time stamps: RADV without hardware, as in tests, reports this
// unit.
static bool fill_families(struct vulkan_physical *physical, const struct properties *p,
                          struct gpu_info *info, struct arena *scratch)
{
    const bool has_stamps = !isinf(p->core.properties.limits.timestampPeriod);
    uint32_t count = 0;
    vkGetPhysicalDeviceQueueFamilyProperties(physical->handle, &count, NULL);
    count = count < QUEUE_FAMILIES_MAX ? count : QUEUE_FAMILIES_MAX;
    const uint32_t room = count;
    VkQueueFamilyProperties *found = ARENA_ARRAY(scratch, count, VkQueueFamilyProperties);
    vkGetPhysicalDeviceQueueFamilyProperties(physical->handle, &count, found);
    bool universal = false;
    for (uint32_t i = 0; i < count && i < room && info->family_count < GPU_FAMILIES_MAX; i++) {
        VkQueueFlags flags = found[i].queueFlags;
        // this backend cannot use families that have graphics but no compute
        if (!is_general(flags) ||
            (flags & VK_QUEUE_GRAPHICS_BIT && !(flags & VK_QUEUE_COMPUTE_BIT)))
            continue;
        physical->families[info->family_count] = i;
        info->families[info->family_count++] = (struct gpu_queue_family){
            .kind = queue_kind_of(flags),
            .graphics = flags & VK_QUEUE_GRAPHICS_BIT,
            .count = found[i].queueCount,
            .stamp_bits = has_stamps ? found[i].timestampValidBits : 0,
        };
        universal |= queue_kind_of(flags) == GPU_QUEUE_UNIVERSAL;
    }
    // If no family has both graphics and compute, the first compute family counts as universal.
    for (unsigned i = 0; i < info->family_count && !universal; i++) {
        if (info->families[i].kind != GPU_QUEUE_COMPUTE)
            continue;
        info->families[i].kind = GPU_QUEUE_UNIVERSAL;
        universal = true;
    }
    return universal;
}

// ---------------------------------------------------------------- cores

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

static void fill_cores(const struct vulkan_physical *physical, struct gpu_limits *limits)
{
    if (physical->extensions.NV_shader_sm_builtins)
        fill_nvidia(physical, limits);
    else if (physical->extensions.AMD_shader_core_properties)
        fill_amd(physical, limits);
}

static void fill_rays(struct vulkan_physical *physical)
{
    VkPhysicalDeviceAccelerationStructurePropertiesKHR trees = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ACCELERATION_STRUCTURE_PROPERTIES_KHR};
    if (!physical->extensions.KHR_acceleration_structure)
        return;
    query(physical, &trees);
    physical->tree_primitives = trees.maxPrimitiveCount;
    physical->tree_instances = trees.maxInstanceCount;
    physical->scratch_align_bytes = trees.minAccelerationStructureScratchOffsetAlignment
                                        ? trees.minAccelerationStructureScratchOffsetAlignment
                                        : 1;
    VkPhysicalDeviceRayTracingPipelinePropertiesKHR pipelines = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_PIPELINE_PROPERTIES_KHR};
    if (!physical->extensions.KHR_ray_tracing_pipeline)
        return;
    query(physical, &pipelines);
    physical->ray_handle_bytes = pipelines.shaderGroupHandleSize;
    physical->ray_align_bytes =
        pipelines.shaderGroupBaseAlignment ? pipelines.shaderGroupBaseAlignment : 1;
}

// ---------------------------------------------------------------- capabilities

static gpu_caps caps_of_features(const struct vulkan_features *f)
{
    const struct {
        VkBool32 there;
        gpu_caps cap;
    } table[] = {
        {f->clock.shaderSubgroupClock, GPU_CAP(CORE_CLOCK)},
        {f->clock.shaderDeviceClock, GPU_CAP(DEVICE_CLOCK)},
        {f->sm.shaderSMBuiltins, GPU_CAP(CORE_ID)},
        {f->v12.bufferDeviceAddress, GPU_CAP(ADDRESSES)},
        {f->core.features.shaderInt64, GPU_CAP(INT64)},
        {f->core.features.shaderFloat64, GPU_CAP(FLOAT64)},
        {f->v12.shaderFloat16, GPU_CAP(FLOAT16)},
        {f->v12.shaderInt8, GPU_CAP(INT8)},
        {f->v11.storageBuffer16BitAccess, GPU_CAP(STORAGE16)},
        {f->v12.storageBuffer8BitAccess, GPU_CAP(STORAGE8)},
        {f->v12.shaderBufferInt64Atomics, GPU_CAP(ATOMICS64)},
        {f->executable.pipelineExecutableInfo, GPU_CAP(KERNEL_STATS)},
        {f->v13.shaderIntegerDotProduct, GPU_CAP(DOT4)},
        {f->matrix_nv.cooperativeMatrix, GPU_CAP(MATRIX)},
        {f->trees.accelerationStructure, GPU_CAP(RAYS)},
        {f->ray_query.rayQuery, GPU_CAP(RAY_QUERY)},
        {f->ray_pipeline.rayTracingPipeline, GPU_CAP(RAY_PIPELINE)},
    };
    gpu_caps caps = 0;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (table[i].there)
            caps |= table[i].cap;
    return caps;
}

static void fill_caps(struct vulkan_physical *physical, const struct properties *p,
                      struct gpu_info *info)
{
    const VkSubgroupFeatureFlags operations = VK_SUBGROUP_FEATURE_BASIC_BIT |
                                              VK_SUBGROUP_FEATURE_BALLOT_BIT |
                                              VK_SUBGROUP_FEATURE_ARITHMETIC_BIT;
    bool compute = p->v11.subgroupSupportedStages & VK_SHADER_STAGE_COMPUTE_BIT;
    bool in_fragments = p->v11.subgroupSupportedStages & VK_SHADER_STAGE_FRAGMENT_BIT;
    physical->subgroup_choice = physical->features.v13.subgroupSizeControl &&
                                p->v13.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT;
    physical->stamp_ns = (double)p->core.properties.limits.timestampPeriod;
    physical->max_anisotropy = p->core.properties.limits.maxSamplerAnisotropy;
    physical->full_subgroups = physical->features.v13.computeFullSubgroups;
    info->caps = caps_of_features(&physical->features) | GPU_CAP(HOLDS) | GPU_CAP(UNORDERED) |
                 GPU_CAP(SPLITS) | GPU_CAP(CONSTANT) | GPU_CAP(TYPED) | GPU_CAP(IMAGES) |
                 GPU_CAP(SAMPLERS) | GPU_CAP(HOST_MEMORY) | GPU_CAP(CONTEXTS);
    if (compute && (p->v11.subgroupSupportedOperations & operations) == operations)
        info->caps |= GPU_CAP(SUBGROUPS);
    if (compute && p->v11.subgroupSupportedOperations & VK_SUBGROUP_FEATURE_SHUFFLE_BIT)
        info->caps |= GPU_CAP(SHUFFLE);
    if (physical->subgroup_choice)
        info->caps |= GPU_CAP(SUBGROUP_CHOICE);
    if (physical->extensions.KHR_global_priority || physical->extensions.EXT_global_priority)
        info->caps |= GPU_CAP(PRIORITY) | GPU_CAP(PRIORITY_GLOBAL);
    // only RADV sets the peak clocks while a program holds the profiling lock (radv_device.c)
    if (physical->features.counters.performanceCounterQueryPools &&
        p->v12.driverID == VK_DRIVER_ID_MESA_RADV)
        info->caps |= GPU_CAP(STABLE_CLOCK);
    for (unsigned i = 0; i < info->family_count; i++) {
        if (info->families[i].graphics &&
            physical->features.core.features.fragmentStoresAndAtomics &&
            physical->features.v13.dynamicRendering && in_fragments)
            info->caps |= GPU_CAP(GRAPHICS);
        // those of the first family, of which vulkan_device_open takes the first queue
        if (info->families[i].kind == GPU_QUEUE_UNIVERSAL && !info->limits.stamp_bits &&
            info->families[i].stamp_bits) {
            info->caps |= GPU_CAP(STAMPS_INSIDE);
            info->limits.stamp_bits = info->families[i].stamp_bits;
        }
    }
}

static bool has_version(const VkPhysicalDeviceProperties *properties, struct gpu_enumeration *to)
{
    if (properties->apiVersion >= VK_API_VERSION_1_3)
        return true;
    to->add_unavailable(to,
                        arena_printf(to->arena, "%.*s: its driver has Vulkan %u.%u, 1.3 is needed",
                                     VK_MAX_PHYSICAL_DEVICE_NAME_SIZE, properties->deviceName,
                                     VK_API_VERSION_MAJOR(properties->apiVersion),
                                     VK_API_VERSION_MINOR(properties->apiVersion)),
                        "update the driver");
    return false;
}

// Checks the features without which no batch can run. Vulkan 1.3 requires all of them.
static bool has_features(const struct vulkan_features *features, const char *name,
                         struct gpu_enumeration *to)
{
    const char *lacking = !features->v12.hostQueryReset      ? "hostQueryReset"
                          : !features->v12.timelineSemaphore ? "timelineSemaphore"
                          : !features->v13.synchronization2  ? "synchronization2"
                                                             : NULL;
    if (lacking)
        to->add_unavailable(to,
                            arena_printf(to->arena,
                                         "%s: its driver lacks the feature %s, which Vulkan 1.3 "
                                         "requires",
                                         name, lacking),
                            "update the driver");
    return !lacking;
}

static void add_device(struct vulkan_state *state, VkPhysicalDevice handle, struct arena *scratch,
                       struct gpu_enumeration *to)
{
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(handle, &properties);
    if (!has_version(&properties, to))
        return;
    struct vulkan_physical physical = {.handle = handle};
    struct properties p;
    struct gpu_info info = {0};
    vulkan_extensions_query(handle, scratch, &physical.extensions);
    vulkan_features_query(handle, &physical.extensions, &physical.features);
    query_properties(&physical, &p);
    fill_identity(&p, &info);
    if (!has_features(&physical.features, info.name, to))
        return;
    fill_pci(&physical, &p, &info);
    fill_memory(&physical, &info);
    fill_memory_limits(&p, &info.limits);
    fill_kernel_limits(&p, &info.limits);
    if (!fill_families(&physical, &p, &info, scratch)) {
        to->add_unavailable(
            to, arena_printf(to->arena, "%s: none of its queues can compute", info.name), NULL);
        return;
    }
    fill_cores(&physical, &info.limits);
    fill_rays(&physical);
    fill_caps(&physical, &p, &info);
    state->physical = arena_grow(to->arena, state->physical, state->physical_count,
                                 &state->physical_capacity, sizeof *state->physical);
    state->physical[state->physical_count++] = physical;
    to->add_device(to, &info);
}

void vulkan_enumerate(struct vulkan_state *state, struct gpu_enumeration *to)
{
    uint32_t count = 0;
    VkResult result = vkEnumeratePhysicalDevices(state->instance, &count, NULL);
    if (!gpu_count_check(to, count))
        return;
    const uint32_t room = count;
    struct arena *scratch = arena_create();
    VkPhysicalDevice *handles = ARENA_ARRAY(scratch, count, VkPhysicalDevice);
    if (result == VK_SUCCESS)
        result = vkEnumeratePhysicalDevices(state->instance, &count, handles);
    if (result != VK_SUCCESS && result != VK_INCOMPLETE) {
        struct error err;
        vulkan_error(&err, result, "vkEnumeratePhysicalDevices");
        to->add_unavailable(to, err.message, "run vulkaninfo: the same call should fail there");
    } else if (count == 0) {
        to->add_unavailable(to, "the installed Vulkan drivers find no device",
                            "check the access rights of /dev/dri and /dev/nvidia*");
    } else {
        for (uint32_t i = 0; i < count && i < room; i++)
            add_device(state, handles[i], scratch, to);
    }
    arena_destroy(scratch);
}
