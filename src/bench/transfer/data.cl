// SPDX-License-Identifier: MIT
// -DCHECK=0: fills a range with the data that transfer.h defines, from word `first` on. -DCHECK=1:
// counts the elements of 16 bytes that hold these data.
#include "bench/prelude/prelude.clh"

#include "bench/transfer/transfer.h"

struct params {
    uint first;
    uint count; // number of elements of 16 bytes
};

#if CHECK
#define RIGHT , __global uint *right
#else
#define RIGHT
#endif

INLINE uint4 element(uint first, uint i)
{
    const uint4 mixed = (first + 4 * i + (uint4)(0, 1, 2, 3)) * TRANSFER_MIX;
    return mixed ^ (mixed >> TRANSFER_SHIFT);
}

KERNEL void KERNEL_NAME(__global uint4 *range RIGHT, const struct params p)
{
    const uint stride = groups_x() * WORKGROUP_X;
#if CHECK
    uint seen = 0;
#endif
    for (uint i = global_x(); i < p.count; i += stride) {
        const uint4 data = element(p.first, i);
#if CHECK
        const uint4 other = range[i] ^ data;
        seen += (other.x | other.y | other.z | other.w) == 0;
#else
        range[i] = data;
#endif
    }
#if CHECK
    if (seen != 0)
        atomic_add_global(right, seen);
#endif
}
