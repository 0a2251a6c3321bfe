// SPDX-License-Identifier: MIT
#include "gpu/backend.h"

const struct gpu_backend *const gpu_backends[] = {
    NULL,
};
