// SPDX-License-Identifier: MIT
// Nothing but a sign of life: one thread counts itself.
#include "bench/prelude/prelude.clh"

KERNEL void KERNEL_NAME(__global uint *count)
{
    if (local_x() == 0)
        atomic_add_global(count, 1);
}
