// SPDX-License-Identifier: MIT
// The lists that the program fills in src/gpu/list.c, src/bench/list.c and the kernel table, empty:
// for unit tests of what lies below them.
#include "bench/bench.h"
#include "gpu/backend.h"

const struct gpu_backend *const gpu_backends[] = {NULL};
const struct benchmark *const benchmarks[] = {NULL};
const struct gpu_kernel *const kernels[] = {NULL};
