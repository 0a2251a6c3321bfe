// SPDX-License-Identifier: MIT
// Writes texels of any format: channel c of texel i (row by row) is (4 · i + c) mod 256, over 255
// for floats.
#include "bench/prelude/prelude.clh"

struct params {
    uint width, height;
};

KERNEL void KERNEL_NAME(image_2d_rw texels, const struct params p)
{
    const uint x = group_x() * WORKGROUP_X + local_x(), y = group_y() * WORKGROUP_Y + local_y();
    if (x >= p.width || y >= p.height)
        return;
    const uint first = 4 * (y * p.width + x);
    const uint4 value = (uint4)(first, first + 1, first + 2, first + 3) & 255u;
#ifdef UINT
    image_store_uint(texels, (int)x, (int)y, value);
#else
    const float4 part = (float4)((float)value.x, (float)value.y, (float)value.z, (float)value.w);
    image_store(texels, (int)x, (int)y, part * (1.0f / 255.0f));
#endif
}
