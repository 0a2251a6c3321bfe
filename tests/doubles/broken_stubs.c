// SPDX-License-Identifier: MIT
// The functions of a library that broken.c does not have: each fails. They are weak, and named for
// the assembler only, because their declarations in the APIs' headers differ.
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
