// SPDX-License-Identifier: MIT
// Shows when a kernel begins: first reads the device's clock, and then stores it. Also adds 1 to
// the count of kernels.
#include "bench/prelude/prelude.clh"

#include "bench/launch/launch.h"

KERNEL void KERNEL_NAME(__global uint *count, __global uint *stamp)
{
    const uint2 now = clock_device();
    if (local_x() != 0)
        return;
    stamp[0] = now.x;
    stamp[1] = now.y;
    atomic_add_global(count, 1);
}
