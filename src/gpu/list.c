// SPDX-License-Identifier: MIT
#include "gpu/backend.h"

// The table of all backends. To add a backend, declare it here and add it to gpu_backends.
extern const struct gpu_backend vulkan_backend;
extern const struct gpu_backend cuda_backend;
extern const struct gpu_backend opencl_backend;
extern const struct gpu_backend model_backend;

const struct gpu_backend *const gpu_backends[] = {
    &vulkan_backend, &cuda_backend, &opencl_backend, &model_backend, NULL,
};
