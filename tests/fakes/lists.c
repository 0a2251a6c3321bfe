// SPDX-License-Identifier: MIT
// Empty versions of the lists in src/gpu/list.c and src/bench/list.c and of the kernel table, for
// unit tests of the code below them.
#include "bench/bench.h"
#include "gpu/backend.h"

const struct gpu_backend *const gpu_backends[] = {NULL};
const struct benchmark *const benchmarks[] = {NULL};
const struct gpu_kernel *const kernels[] = {NULL};
