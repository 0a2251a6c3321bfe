// SPDX-License-Identifier: MIT
// The kernels that the build embeds (cmake/Kernels.cmake). The files kernels.txt list them. Test
// programs have tables of their own.
#ifndef GPU_KERNELS_H
#define GPU_KERNELS_H

#include "gpu/gpu.h"

extern const struct gpu_kernel *const kernels[]; // table of all kernels, which ends with NULL

// Returns the kernel with this name; NULL if there is no such kernel.
const struct gpu_kernel *kernel_find(const char *name);

#endif
