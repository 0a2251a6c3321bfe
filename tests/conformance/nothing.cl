// SPDX-License-Identifier: MIT
#include "bench/prelude/prelude.clh"

// No arguments, no params.
KERNEL void KERNEL_NAME(void)
{
}
