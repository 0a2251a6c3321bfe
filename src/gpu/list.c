// SPDX-License-Identifier: MIT
#include "gpu/backend.h"

// One line here and one in the table make a backend known.
extern const struct gpu_backend vulkan_backend;

const struct gpu_backend *const gpu_backends[] = {
    &vulkan_backend,
    NULL,
};
