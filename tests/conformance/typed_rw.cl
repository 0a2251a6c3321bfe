// SPDX-License-Identifier: MIT
// Writes texels of any format: channel c of texel i is (4 · i + c) mod 256, over 255 for floats.
#include "bench/prelude/prelude.clh"

struct params {
    uint count;
};

KERNEL void KERNEL_NAME(typed_buffer_rw texels, const struct params p)
{
    const uint i = global_x();
    if (i >= p.count)
        return;
    const uint4 value = ((uint4)(4 * i) + (uint4)(0, 1, 2, 3)) % 256;
#ifdef UINT
    typed_store_uint(texels, (int)i, value);
#else
    const float4 part = {(float)value.x, (float)value.y, (float)value.z, (float)value.w};
    typed_store(texels, (int)i, part / 255.0f);
#endif
}
