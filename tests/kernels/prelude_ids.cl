// SPDX-License-Identifier: MIT
// Every id of every thread: 8 words each, at the thread's place in the grid.
#include "bench/prelude/prelude.clh"

KERNEL void KERNEL_NAME(__global uint *words)
{
    const uint group = (group_z() * groups_y() + group_y()) * groups_x() + group_x();
    const uint threads = WORKGROUP_X * WORKGROUP_Y * WORKGROUP_Z;
    __global uint *mine = words + 8 * (group * threads + local_index());
    mine[0] = local_x() | local_y() << 8 | local_z() << 16;
    mine[1] = group_x() | group_y() << 8 | group_z() << 16;
    mine[2] = groups_x() | groups_y() << 8 | groups_z() << 16;
    mine[3] = global_x();
    mine[4] = local_index();
    mine[5] = core_id();
    mine[6] = clock_core().x;
    mine[7] = clock_device().x;
}
