// SPDX-License-Identifier: MIT
#include "gpu/vulkan/api.h"

#include <string.h>

static const struct {
    const char *name;
    size_t offset; // offset of the extension's member in struct vulkan_extensions
} extension_table[] = {
#define X(name) {"VK_" #name, offsetof(struct vulkan_extensions, name)},
    VULKAN_EXTENSIONS(X)
#undef X
};

enum {
    EXTENSION_COUNT = sizeof extension_table / sizeof extension_table[0]
};

void vulkan_extensions_query(VkPhysicalDevice device, struct arena *scratch,
                             struct vulkan_extensions *extensions)
{
    uint32_t count = 0;
    vkEnumerateDeviceExtensionProperties(device, NULL, &count, NULL);
    const uint32_t room = count; // a driver may report more in the second call
    VkExtensionProperties *found = ARENA_ARRAY(scratch, count, VkExtensionProperties);
    vkEnumerateDeviceExtensionProperties(device, NULL, &count, found);
    for (uint32_t i = 0; i < count && i < room; i++)
        for (size_t e = 0; e < EXTENSION_COUNT; e++)
            if (strcmp(found[i].extensionName, extension_table[e].name) == 0)
                *(bool *)((char *)extensions + extension_table[e].offset) = true;
    // Two names of one extension, of which only one may be enabled.
    if (extensions->KHR_global_priority)
        extensions->EXT_global_priority = false;
}

uint32_t vulkan_extensions_list(const struct vulkan_extensions *extensions, const char **names)
{
    uint32_t count = 0;
    for (size_t e = 0; e < EXTENSION_COUNT; e++)
        if (*(const bool *)((const char *)extensions + extension_table[e].offset))
            names[count++] = extension_table[e].name;
    return count;
}

// Appends a feature struct, which begins with sType and pNext, to a pNext chain.
static void append(VkBaseOutStructure **tail, void *feature, VkStructureType type)
{
    VkBaseOutStructure *base = feature;
    base->sType = type;
    base->pNext = NULL;
    (*tail)->pNext = base;
    *tail = base;
}

static void chain(struct vulkan_features *f, const struct vulkan_extensions *extensions)
{
    f->core.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    f->core.pNext = NULL;
    VkBaseOutStructure *tail = (VkBaseOutStructure *)&f->core;
    append(&tail, &f->v11, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES);
    append(&tail, &f->v12, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
    append(&tail, &f->v13, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES);
    if (extensions->KHR_shader_clock)
        append(&tail, &f->clock, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CLOCK_FEATURES_KHR);
    if (extensions->KHR_pipeline_executable_properties)
        append(&tail, &f->executable,
               VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR);
    if (extensions->KHR_performance_query)
        append(&tail, &f->counters,
               VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PERFORMANCE_QUERY_FEATURES_KHR);
    if (extensions->NV_shader_sm_builtins)
        append(&tail, &f->sm, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_FEATURES_NV);
    if (extensions->NV_cooperative_matrix)
        append(&tail, &f->matrix_nv,
               VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_NV);
    if (extensions->EXT_robustness2)
        append(&tail, &f->robustness2, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT);
    if (extensions->EXT_shader_atomic_float)
        append(&tail, &f->atomic_float,
               VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT);
    if (extensions->KHR_acceleration_structure)
        append(&tail, &f->trees,
               VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ACCELERATION_STRUCTURE_FEATURES_KHR);
    if (extensions->KHR_ray_query)
        append(&tail, &f->ray_query, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_QUERY_FEATURES_KHR);
    if (extensions->KHR_ray_tracing_pipeline)
        append(&tail, &f->ray_pipeline,
               VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_PIPELINE_FEATURES_KHR);
}

void vulkan_features_query(VkPhysicalDevice device, const struct vulkan_extensions *extensions,
                           struct vulkan_features *features)
{
    *features = (struct vulkan_features){0};
    chain(features, extensions);
    vkGetPhysicalDeviceFeatures2(device, &features->core);
}

// The features that are enabled if the device has them. Features for windows are left out, and
// features that can cost speed (robust access, capture and replay).
#define FEATURE(member) offsetof(struct vulkan_features, member)
static const size_t wanted[] = {
    FEATURE(core.features.shaderInt64),
    FEATURE(core.features.shaderInt16),
    FEATURE(core.features.shaderFloat64),
    FEATURE(core.features.samplerAnisotropy),
    FEATURE(core.features.imageCubeArray),
    FEATURE(core.features.textureCompressionBC),
    FEATURE(core.features.shaderStorageImageExtendedFormats),
    FEATURE(core.features.shaderStorageImageReadWithoutFormat),
    FEATURE(core.features.shaderStorageImageWriteWithoutFormat),
    FEATURE(core.features.vertexPipelineStoresAndAtomics),
    FEATURE(core.features.fragmentStoresAndAtomics),
    FEATURE(v11.storageBuffer16BitAccess),
    FEATURE(v11.uniformAndStorageBuffer16BitAccess),
    FEATURE(v11.variablePointersStorageBuffer),
    FEATURE(v11.variablePointers),
    FEATURE(v12.storageBuffer8BitAccess),
    FEATURE(v12.uniformAndStorageBuffer8BitAccess),
    FEATURE(v12.shaderBufferInt64Atomics),
    FEATURE(v12.shaderSharedInt64Atomics),
    FEATURE(v12.shaderFloat16),
    FEATURE(v12.shaderInt8),
    FEATURE(v12.scalarBlockLayout),
    FEATURE(v12.uniformBufferStandardLayout),
    FEATURE(v12.shaderSubgroupExtendedTypes),
    FEATURE(v12.hostQueryReset),
    FEATURE(v12.timelineSemaphore),
    FEATURE(v12.bufferDeviceAddress),
    FEATURE(v12.vulkanMemoryModel),
    FEATURE(v12.vulkanMemoryModelDeviceScope),
    FEATURE(v13.subgroupSizeControl),
    FEATURE(v13.computeFullSubgroups),
    FEATURE(v13.synchronization2),
    FEATURE(v13.dynamicRendering),
    FEATURE(v13.shaderIntegerDotProduct),
    FEATURE(v13.maintenance4),
    FEATURE(clock.shaderSubgroupClock),
    FEATURE(clock.shaderDeviceClock),
    FEATURE(executable.pipelineExecutableInfo),
    // in Mesa's drivers this feature costs nothing until a performance query is used
    FEATURE(counters.performanceCounterQueryPools),
    FEATURE(sm.shaderSMBuiltins),
    FEATURE(matrix_nv.cooperativeMatrix),
    FEATURE(atomic_float.shaderBufferFloat32Atomics),
    FEATURE(atomic_float.shaderBufferFloat32AtomicAdd),
    FEATURE(atomic_float.shaderSharedFloat32AtomicAdd),
    FEATURE(trees.accelerationStructure),
    FEATURE(ray_query.rayQuery),
    FEATURE(ray_pipeline.rayTracingPipeline),
};
static const size_t wanted_robust[] = {
    FEATURE(core.features.robustBufferAccess),
    FEATURE(v13.robustImageAccess),
    FEATURE(robustness2.robustBufferAccess2),
};
#undef FEATURE

static void take(const struct vulkan_features *have, struct vulkan_features *want,
                 const size_t *offsets, size_t count)
{
    for (size_t i = 0; i < count; i++)
        memcpy((char *)want + offsets[i], (const char *)have + offsets[i], sizeof(VkBool32));
}

void vulkan_features_want(const struct vulkan_physical *physical, bool robust,
                          struct vulkan_features *want)
{
    *want = (struct vulkan_features){0};
    take(&physical->features, want, wanted, sizeof wanted / sizeof wanted[0]);
    if (robust)
        take(&physical->features, want, wanted_robust,
             sizeof wanted_robust / sizeof wanted_robust[0]);
    chain(want, &physical->extensions);
}
