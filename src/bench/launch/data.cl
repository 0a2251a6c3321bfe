// SPDX-License-Identifier: MIT
// -DCHECK=0: fills a buffer with the data of launch.h, multiplied by `factor`. -DCHECK=1: counts
// the elements that differ from these products.
#include "bench/prelude/prelude.clh"

#include "bench/launch/launch.h"

struct params {
    uint count;
    float factor;
};

#if CHECK
#define WRONG , __global uint *wrong
#else
#define WRONG
#endif

KERNEL void KERNEL_NAME(__global float2 *range WRONG, const struct params p)
{
    const uint i = (group_y() * groups_x() + group_x()) * WORKGROUP_X + local_x();
    if (i >= p.count)
        return;
    const uint mixed = i * LAUNCH_MIX;
    const uint2 bits = ((uint2)(mixed, mixed >> 9) & LAUNCH_MANTISSA) | LAUNCH_EXPONENT;
    const float2 element = p.factor * as_float2(bits);
#if CHECK
    if (range[i].x != element.x || range[i].y != element.y)
        atomic_add_global(wrong, 1);
#else
    range[i] = element;
#endif
}
