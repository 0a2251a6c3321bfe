// SPDX-License-Identifier: MIT
// What the driver reports about a compiled kernel (VK_KHR_pipeline_executable_properties). For
// this, the kernel is compiled a second time, with capture flags. Pipelines for measurements do not
// get these flags, because the flags may turn off the driver's cache and make every start of fathom
// slower.
#include "gpu/vulkan/rays.h"

#include <inttypes.h>
#include <string.h>

enum {
    // maximum size in bytes of a text about a kernel; longer texts are ignored
    TEXT_BYTES_MAX = 64 << 20
};

// Names of the statistics that fathom reads, in the drivers of NVIDIA, AMD (RADV) and Intel (ANV).
static const char *const register_names[] = {"Register Count", "VGPRs", NULL};
static const char *const spill_names[] = {"Local Memory Size", "Scratch size",
                                          "Scratch Memory Size", NULL};
static const char *const shared_names[] = {"Shared Memory Size", "LDS size",
                                           "Workgroup Memory Size", NULL};

static bool is_one_of(const char *name, const char *const *names)
{
    for (; *names; names++)
        if (strcmp(name, *names) == 0)
            return true;
    return false;
}

static double number_of(const VkPipelineExecutableStatisticKHR *statistic)
{
    switch (statistic->format) {
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_BOOL32_KHR:
        return statistic->value.b32;
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_INT64_KHR:
        return (double)statistic->value.i64;
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_UINT64_KHR:
        return (double)statistic->value.u64;
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_FLOAT64_KHR:
        return statistic->value.f64;
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_MAX_ENUM_KHR:
        break;
    }
    return 0;
}

static const char *text_of(struct arena *arena, const VkPipelineExecutableStatisticKHR *statistic)
{
    if (statistic->format == VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_UINT64_KHR)
        // A UINT64 is printed as an integer, because a double has too few bits for it.
        return arena_printf(arena, "%" PRIu64, statistic->value.u64);
    return arena_printf(arena, "%.15g", number_of(statistic));
}

static unsigned larger(unsigned a, unsigned b)
{
    return a > b ? a : b;
}

static void take_statistic(const VkPipelineExecutableStatisticKHR *statistic,
                           uint32_t subgroup_threads, struct gpu_program_stats *stats)
{
    double number = number_of(statistic);
    if (!(number >= 0 && number < 4294967296.0))
        return;
    if (is_one_of(statistic->name, register_names)) {
        stats->has_registers = true;
        stats->registers = larger(stats->registers, (unsigned)number);
    } else if (is_one_of(statistic->name, spill_names)) {
        // RADV reports the scratch size of a subgroup, not of a thread
        if (strstr(statistic->description, "per subgroup"))
            number /= subgroup_threads;
        stats->has_spills = true;
        stats->spill_bytes = larger(stats->spill_bytes, (unsigned)number);
    } else if (is_one_of(statistic->name, shared_names)) {
        stats->has_shared = true;
        stats->shared_bytes = larger(stats->shared_bytes, (unsigned)number);
    }
}

struct capture {
    const struct vulkan_device *device;
    VkPipelineExecutableInfoKHR which;
    // subgroup size of the executable whose statistics are read; 1 if the driver reports none
    uint32_t subgroup_threads;
    struct arena *arena;
    struct gpu_program_stats *stats;
};

// Limits `count`, the length of a list that the driver has written, to `room`, the length that the
// driver had announced.
static uint32_t written(uint32_t count, uint32_t room)
{
    return count < room ? count : room;
}

// Ends a text of the driver, which may lack its NUL.
static void end_text(char text[VK_MAX_DESCRIPTION_SIZE])
{
    text[VK_MAX_DESCRIPTION_SIZE - 1] = '\0';
}

static void add_text(struct capture *capture, const char *title, const char *text)
{
    const char *before = capture->stats->text ? capture->stats->text : "";
    capture->stats->text = arena_printf(capture->arena, "%s%s%s\n", before, title, text);
}

static VkResult read_statistics(struct capture *capture)
{
    const struct vulkan_device *device = capture->device;
    uint32_t count = 0;
    VkResult result = device->vk.vkGetPipelineExecutableStatisticsKHR(
        device->handle, &capture->which, &count, NULL);
    const uint32_t room = count;
    VkPipelineExecutableStatisticKHR *statistics =
        ARENA_ARRAY(capture->arena, room, VkPipelineExecutableStatisticKHR);
    for (uint32_t i = 0; i < room; i++)
        statistics[i].sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR;
    if (result == VK_SUCCESS)
        result = device->vk.vkGetPipelineExecutableStatisticsKHR(device->handle, &capture->which,
                                                                 &count, statistics);
    for (uint32_t i = 0; i < written(count, room) && result == VK_SUCCESS; i++) {
        end_text(statistics[i].name);
        end_text(statistics[i].description);
        take_statistic(&statistics[i], capture->subgroup_threads, capture->stats);
        add_text(capture, arena_printf(capture->arena, "%s: ", statistics[i].name),
                 text_of(capture->arena, &statistics[i]));
    }
    return result;
}

static VkResult read_representations(struct capture *capture)
{
    const struct vulkan_device *device = capture->device;
    uint32_t count = 0;
    VkResult result = device->vk.vkGetPipelineExecutableInternalRepresentationsKHR(
        device->handle, &capture->which, &count, NULL);
    const uint32_t room = count;
    VkPipelineExecutableInternalRepresentationKHR *texts =
        ARENA_ARRAY(capture->arena, room, VkPipelineExecutableInternalRepresentationKHR);
    for (uint32_t i = 0; i < room; i++)
        texts[i].sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INTERNAL_REPRESENTATION_KHR;
    // While pData is NULL, the Vulkan function only returns the sizes of the texts.
    if (result == VK_SUCCESS)
        result = device->vk.vkGetPipelineExecutableInternalRepresentationsKHR(
            device->handle, &capture->which, &count, texts);
    for (uint32_t i = 0; i < room; i++)
        if (texts[i].dataSize <= TEXT_BYTES_MAX)
            texts[i].pData = arena_alloc(capture->arena, texts[i].dataSize + 1);
    if (result == VK_SUCCESS)
        result = device->vk.vkGetPipelineExecutableInternalRepresentationsKHR(
            device->handle, &capture->which, &count, texts);
    for (uint32_t i = 0; i < written(count, room) && result == VK_SUCCESS; i++) {
        end_text(texts[i].name);
        if (texts[i].isText && texts[i].pData)
            add_text(capture, arena_printf(capture->arena, "---- %s\n", texts[i].name),
                     texts[i].pData);
    }
    return result;
}

// Reads each executable (compiled part) of the pipeline. A driver may join kernels, or add
// executables of its own.
static VkResult read_executables(struct capture *capture, bool named)
{
    const struct vulkan_device *device = capture->device;
    const VkPipelineInfoKHR info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_INFO_KHR,
                                    .pipeline = capture->which.pipeline};
    uint32_t count = 0;
    VkResult result =
        device->vk.vkGetPipelineExecutablePropertiesKHR(device->handle, &info, &count, NULL);
    const uint32_t room = count;
    VkPipelineExecutablePropertiesKHR *executables =
        ARENA_ARRAY(capture->arena, room, VkPipelineExecutablePropertiesKHR);
    for (uint32_t i = 0; i < room; i++)
        executables[i].sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_PROPERTIES_KHR;
    if (result == VK_SUCCESS)
        result = device->vk.vkGetPipelineExecutablePropertiesKHR(device->handle, &info, &count,
                                                                 executables);
    for (uint32_t i = 0; i < written(count, room) && result == VK_SUCCESS; i++) {
        end_text(executables[i].name);
        capture->which.executableIndex = i;
        capture->subgroup_threads = executables[i].subgroupSize ? executables[i].subgroupSize : 1;
        if (named)
            add_text(capture, "== ", executables[i].name);
        result = read_statistics(capture);
        if (result == VK_SUCCESS)
            result = read_representations(capture);
    }
    return result;
}

bool vulkan_program_stats(struct gpu_program *base, struct arena *arena,
                          struct gpu_program_stats *stats, struct error *err)
{
    const struct vulkan_program *program = (const struct vulkan_program *)base;
    struct vulkan_device *device = vulkan_device_of(&base->object);
    VkPipeline pipeline;
    const VkPipelineCreateFlags flags = VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR |
                                        VK_PIPELINE_CREATE_CAPTURE_INTERNAL_REPRESENTATIONS_BIT_KHR;
    if (program->table ? !vulkan_ray_pipeline_create(device, program, flags, &pipeline, err)
                       : !vulkan_pipeline_create(device, program, flags, &pipeline, err))
        return false;
    struct capture capture = {
        .device = device,
        .which = {.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR, .pipeline = pipeline},
        .arena = arena,
        .stats = stats,
    };
    VkResult result = read_executables(&capture, program->table);
    if (program->table) {
        stats->has_stack = true;
        stats->stack_bytes = vulkan_ray_stack_bytes(device, program);
    }
    device->vk.vkDestroyPipeline(device->handle, pipeline, NULL);
    return result == VK_SUCCESS || result == VK_INCOMPLETE ||
           vulkan_error(err, result, "kernel %s: statistics", program->desc.kernel->name);
}
