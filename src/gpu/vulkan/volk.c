// SPDX-License-Identifier: MIT
// The one place where volk's own code is compiled: its pointers to instance functions are the one
// global that the project allows itself.
#define VOLK_IMPLEMENTATION
#include <volk.h>
