// SPDX-License-Identifier: MIT
// The API through which a device test runs: the first argument of its program, otherwise Vulkan.
// cmocka passes its tests no arguments, so the choice is kept in the environment.
#ifndef DEVICE_API_H
#define DEVICE_API_H

#include <stdbool.h>
#include <stdlib.h>

#define DEVICE_API_VARIABLE "FATHOM_TEST_API"

// main() must call this first. False if the environment has no room.
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
