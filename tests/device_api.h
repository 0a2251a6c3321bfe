// SPDX-License-Identifier: MIT
// Which API a test on a device goes through: the first argument of its program, else Vulkan. cmocka
// hands its tests no arguments, so the choice stands in the environment.
#ifndef DEVICE_API_H
#define DEVICE_API_H

#include <stdbool.h>
#include <stdlib.h>

#define DEVICE_API_VARIABLE "FATHOM_TEST_API"

// To be called by main() first; false where the environment has no room.
static inline bool device_api_choose(int argc, char **argv)
{
    return argc < 2 || setenv(DEVICE_API_VARIABLE, argv[1], 1) == 0;
}

static inline const char *device_api(void)
{
    const char *api = getenv(DEVICE_API_VARIABLE);
    return api ? api : "vulkan";
}

#endif
