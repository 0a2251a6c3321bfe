// SPDX-License-Identifier: MIT
#include "bench/prelude/prelude.clh"

// Each thread of the grid writes z · 10000 + y · 100 + x at its place.
KERNEL void KERNEL_NAME(__global uint *words)
{
    const uint x = group_x() * WORKGROUP_X + local_x();
    const uint y = group_y() * WORKGROUP_Y + local_y();
    const uint z = group_z() * WORKGROUP_Z + local_z();
    const uint width = groups_x() * WORKGROUP_X, height = groups_y() * WORKGROUP_Y;
    words[(z * height + y) * width + x] = z * 10000 + y * 100 + x;
}
