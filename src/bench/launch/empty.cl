// SPDX-License-Identifier: MIT
// An empty kernel. One thread adds 1 to a counter, which proves that the kernel ran.
#include "bench/prelude/prelude.clh"

KERNEL void KERNEL_NAME(__global uint *count)
{
    if (local_x() == 0)
        atomic_add_global(count, 1);
}
