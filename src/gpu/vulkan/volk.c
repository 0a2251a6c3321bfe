// SPDX-License-Identifier: MIT
// Compiles volk's own code. Its pointers to instance functions are the only global variables that
// the project allows.
#define VOLK_IMPLEMENTATION
#include <volk.h>
