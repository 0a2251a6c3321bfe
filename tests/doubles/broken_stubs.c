// SPDX-License-Identifier: MIT
// The functions of a library that broken.c does not define; each one fails. Their declarations in
// the APIs' headers differ, so they are weak and have their names only for the assembler.
#if defined(BROKEN_CUDA)
#include "gpu/cuda/api.h"
#define X(name, args)                                                                              \
    int stub_##name(void) __asm__(#name);                                                          \
    __attribute__((weak)) int stub_##name(void)                                                    \
    {                                                                                              \
        return CU_UNKNOWN;                                                                         \
    }
CUDA_REQUIRED(X)
CUDA_OPTIONAL(X)
#undef X
#else
#include "gpu/opencl/api.h"
#define X(name)                                                                                    \
    int stub_##name(void) __asm__(#name);                                                          \
    __attribute__((weak)) int stub_##name(void)                                                    \
    {                                                                                              \
        return CL_OUT_OF_RESOURCES;                                                                \
    }
OPENCL_REQUIRED(X)
#undef X
#endif
