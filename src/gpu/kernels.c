// SPDX-License-Identifier: MIT
#include "gpu/kernels.h"

#include <string.h>

const struct gpu_kernel *kernel_find(const char *name)
{
    for (size_t i = 0; kernels[i]; i++)
        if (strcmp(kernels[i]->name, name) == 0)
            return kernels[i];
    return NULL;
}
