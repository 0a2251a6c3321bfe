// SPDX-License-Identifier: MIT
// VK_LAYER_FATHOM_counters: gives any device VK_KHR_performance_query, with counters that are known
// multiples of what a command buffer dispatches. For one device at a time. The file
// counters_layer.c speaks with the loader, counters_queries.c counts.
//
//   FATHOM_LAYER_LOG=FILE    each use that the specification forbids is written there, as one line
//   FATHOM_LAYER_DRIVER=radv the device says that its driver is RADV
//   FATHOM_LAYER_LOCK=no     refuses the profiling lock
//   FATHOM_LAYER_FAIL=NAME   the call of this name fails, for want of memory
//   FATHOM_LAYER_COUNTERS=N  offers only the first N counters
//   FATHOM_LAYER_PASSES=N    reads any set in N passes
#ifndef VULKAN_COUNTERS_LAYER_H
#define VULKAN_COUNTERS_LAYER_H

#include <vulkan/vulkan.h>

// Both return the layer's function of this name; NULL if it has none.
PFN_vkVoidFunction counters_instance_call(const char *name);
PFN_vkVoidFunction counters_device_call(const char *name);

// Sets the device, and the source of the functions that the ones above call next.
void counters_use_device(VkDevice device, PFN_vkGetDeviceProcAddr next);

#endif
