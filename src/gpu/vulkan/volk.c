// SPDX-License-Identifier: MIT
// Compiles the code of volk, a library that loads Vulkan's functions. volk's function pointers are
// the only mutable global variables that the project allows.
#define VOLK_IMPLEMENTATION
#include <volk.h>
