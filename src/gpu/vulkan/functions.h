// SPDX-License-Identifier: MIT
// The functions of a Vulkan device that this backend calls. A call of a function that is not in
// these tables does not compile.
#ifndef GPU_VULKAN_FUNCTIONS_H
#define GPU_VULKAN_FUNCTIONS_H

#include <volk.h>

// Functions of Vulkan 1.3, which every driver must have.
#define VULKAN_CORE_FUNCTIONS(X)                                                                   \
    X(vkAllocateCommandBuffers)                                                                    \
    X(vkAllocateDescriptorSets)                                                                    \
    X(vkAllocateMemory)                                                                            \
    X(vkBeginCommandBuffer)                                                                        \
    X(vkBindBufferMemory)                                                                          \
    X(vkBindImageMemory)                                                                           \
    X(vkCmdBeginQuery)                                                                             \
    X(vkCmdBeginRendering)                                                                         \
    X(vkCmdBindDescriptorSets)                                                                     \
    X(vkCmdBindPipeline)                                                                           \
    X(vkCmdCopyBuffer)                                                                             \
    X(vkCmdCopyBufferToImage)                                                                      \
    X(vkCmdCopyImageToBuffer)                                                                      \
    X(vkCmdDispatch)                                                                               \
    X(vkCmdDraw)                                                                                   \
    X(vkCmdEndQuery)                                                                               \
    X(vkCmdEndRendering)                                                                           \
    X(vkCmdExecuteCommands)                                                                        \
    X(vkCmdFillBuffer)                                                                             \
    X(vkCmdPipelineBarrier2)                                                                       \
    X(vkCmdPushConstants)                                                                          \
    X(vkCmdResetQueryPool)                                                                         \
    X(vkCmdSetEvent2)                                                                              \
    X(vkCmdSetScissor)                                                                             \
    X(vkCmdSetViewport)                                                                            \
    X(vkCmdUpdateBuffer)                                                                           \
    X(vkCmdWaitEvents2)                                                                            \
    X(vkCmdWriteTimestamp2)                                                                        \
    X(vkCreateBuffer)                                                                              \
    X(vkCreateBufferView)                                                                          \
    X(vkCreateCommandPool)                                                                         \
    X(vkCreateComputePipelines)                                                                    \
    X(vkCreateDescriptorPool)                                                                      \
    X(vkCreateDescriptorSetLayout)                                                                 \
    X(vkCreateEvent)                                                                               \
    X(vkCreateFence)                                                                               \
    X(vkCreateGraphicsPipelines)                                                                   \
    X(vkCreateImage)                                                                               \
    X(vkCreateImageView)                                                                           \
    X(vkCreatePipelineLayout)                                                                      \
    X(vkCreateQueryPool)                                                                           \
    X(vkCreateSampler)                                                                             \
    X(vkCreateSemaphore)                                                                           \
    X(vkCreateShaderModule)                                                                        \
    X(vkDestroyBuffer)                                                                             \
    X(vkDestroyBufferView)                                                                         \
    X(vkDestroyCommandPool)                                                                        \
    X(vkDestroyDescriptorPool)                                                                     \
    X(vkDestroyDescriptorSetLayout)                                                                \
    X(vkDestroyDevice)                                                                             \
    X(vkDestroyEvent)                                                                              \
    X(vkDestroyFence)                                                                              \
    X(vkDestroyImage)                                                                              \
    X(vkDestroyImageView)                                                                          \
    X(vkDestroyPipeline)                                                                           \
    X(vkDestroyPipelineLayout)                                                                     \
    X(vkDestroyQueryPool)                                                                          \
    X(vkDestroySampler)                                                                            \
    X(vkDestroySemaphore)                                                                          \
    X(vkDestroyShaderModule)                                                                       \
    X(vkEndCommandBuffer)                                                                          \
    X(vkFreeCommandBuffers)                                                                        \
    X(vkFreeMemory)                                                                                \
    X(vkGetBufferDeviceAddress)                                                                    \
    X(vkGetBufferMemoryRequirements)                                                               \
    X(vkGetDeviceQueue)                                                                            \
    X(vkGetFenceStatus)                                                                            \
    X(vkGetImageMemoryRequirements)                                                                \
    X(vkGetQueryPoolResults)                                                                       \
    X(vkGetSemaphoreCounterValue)                                                                  \
    X(vkMapMemory)                                                                                 \
    X(vkQueueSubmit)                                                                               \
    X(vkQueueSubmit2)                                                                              \
    X(vkResetCommandPool)                                                                          \
    X(vkResetDescriptorPool)                                                                       \
    X(vkResetEvent)                                                                                \
    X(vkResetFences)                                                                               \
    X(vkResetQueryPool)                                                                            \
    X(vkSignalSemaphore)                                                                           \
    X(vkUpdateDescriptorSets)                                                                      \
    X(vkWaitForFences)                                                                             \
    X(vkWaitSemaphores)

// The table of extensions' functions: the extension's member in struct vulkan_extensions, and the
// function. A driver must have the function if the extension is enabled.
#define VULKAN_EXTENSION_FUNCTIONS(X)                                                              \
    X(KHR_pipeline_executable_properties, vkGetPipelineExecutableInternalRepresentationsKHR)       \
    X(KHR_pipeline_executable_properties, vkGetPipelineExecutablePropertiesKHR)                    \
    X(KHR_pipeline_executable_properties, vkGetPipelineExecutableStatisticsKHR)                    \
    X(KHR_performance_query, vkAcquireProfilingLockKHR)                                            \
    X(KHR_performance_query, vkReleaseProfilingLockKHR)                                            \
    X(EXT_calibrated_timestamps, vkGetCalibratedTimestampsEXT)                                     \
    X(KHR_acceleration_structure, vkCmdBuildAccelerationStructuresKHR)                             \
    X(KHR_acceleration_structure, vkCmdCopyAccelerationStructureKHR)                               \
    X(KHR_acceleration_structure, vkCmdWriteAccelerationStructuresPropertiesKHR)                   \
    X(KHR_acceleration_structure, vkCreateAccelerationStructureKHR)                                \
    X(KHR_acceleration_structure, vkDestroyAccelerationStructureKHR)                               \
    X(KHR_acceleration_structure, vkGetAccelerationStructureBuildSizesKHR)                         \
    X(KHR_acceleration_structure, vkGetAccelerationStructureDeviceAddressKHR)                      \
    X(KHR_ray_tracing_pipeline, vkCmdTraceRaysKHR)                                                 \
    X(KHR_ray_tracing_pipeline, vkCreateRayTracingPipelinesKHR)                                    \
    X(KHR_ray_tracing_pipeline, vkGetRayTracingShaderGroupHandlesKHR)                              \
    X(KHR_ray_tracing_pipeline, vkGetRayTracingShaderGroupStackSizeKHR)

struct vulkan_functions {
#define X(name) PFN_##name name;
    VULKAN_CORE_FUNCTIONS(X)
#undef X
#define X(extension, name) PFN_##name name;
    VULKAN_EXTENSION_FUNCTIONS(X)
#undef X
};

#endif
