// SPDX-License-Identifier: MIT
// The kernels that the build embedded, from all kernels.txt files (cmake/Kernels.cmake). Tests
// supply their own table.
#ifndef GPU_KERNELS_H
#define GPU_KERNELS_H

#include "gpu/gpu.h"

extern const struct gpu_kernel *const kernels[]; // NULL-terminated

const struct gpu_kernel *kernel_find(const char *name); // NULL = not in this build

#endif
