// SPDX-License-Identifier: MIT
// Texels of a row as bits, to see what another kernel stored.
#include "bench/prelude/prelude.clh"

KERNEL void KERNEL_NAME(image_2d texels, __global uint4 *out)
{
    out[local_x()] = as_uint4(image_load(texels, (int)local_x(), 0));
}
