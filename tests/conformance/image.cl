// SPDX-License-Identifier: MIT
// Every texel of a 2-D image, row by row, as four words: floats by their bits.
#include "bench/prelude/prelude.clh"

struct params {
    uint width, height, mip; // the level is 0: this language reads no other
};

KERNEL void KERNEL_NAME(image_2d texels, __global uint4 *to, const struct params p)
{
    const uint i = global_x();
    if (i >= p.width * p.height)
        return;
    const int x = (int)(i % p.width), y = (int)(i / p.width);
#ifdef UINT
    to[i] = image_load_uint(texels, x, y);
#else
    to[i] = as_uint4(image_load(texels, x, y));
#endif
}
