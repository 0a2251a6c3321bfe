// SPDX-License-Identifier: MIT
// A Vulkan layer that makes one call fail. It sits between the program and the validation layer, so
// that both sides' view of a failed call is the driver's: it did not happen.
#ifndef VULKAN_FAULTS_H
#define VULKAN_FAULTS_H

#include <vulkan/vulkan.h>

struct faults {
    unsigned fail_at;   // the call with this number fails; 0: none does
    VkResult result;    // … with this
    unsigned calls;     // counted so far
    const char *failed; // its name
};

// Exported by the layer's library.
typedef struct faults *faults_control(void);
#define FAULTS_CONTROL "faults_control_of_layer"

#endif
