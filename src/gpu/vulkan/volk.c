// SPDX-License-Identifier: MIT
// Compiles the code of volk, which loads Vulkan's functions. Its function pointers are the only
// mutable global variables that the project allows.
#define VOLK_IMPLEMENTATION
#include <volk.h>
