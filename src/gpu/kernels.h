// SPDX-License-Identifier: MIT
// The kernels that the build embedded, from all kernels.txt files (see cmake/Kernels.cmake). Tests
// have their own tables.
#ifndef GPU_KERNELS_H
#define GPU_KERNELS_H

#include "gpu/gpu.h"

extern const struct gpu_kernel *const kernels[]; // ends with NULL

const struct gpu_kernel *kernel_find(const char *name); // NULL if this build has no such kernel

#endif
