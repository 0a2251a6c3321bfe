// SPDX-License-Identifier: MIT
// A Vulkan layer that makes one call fail, or hides one function of the device. It is between the
// program and the validation layer, so for both, the failed call did not happen.
#ifndef VULKAN_FAULTS_H
#define VULKAN_FAULTS_H

#include <vulkan/vulkan.h>

struct faults {
    unsigned fail_at;   // the call with this number fails; 0: none does
    VkResult result;    // what that call returns
    unsigned calls;     // calls counted so far
    const char *failed; // name of the call that failed
    const char *hidden; // name of a function that the device lacks; NULL: none
};

// Exported by the layer's library.
typedef struct faults *faults_control(void);
#define FAULTS_CONTROL "faults_control_of_layer"

#endif
