// SPDX-License-Identifier: MIT
// The first channel of a float image at given normalised coordinates.
#include "bench/prelude/prelude.clh"

struct params {
    uint count;
};

KERNEL void KERNEL_NAME(SAMPLED_ARG(texels), const __global float4 *coordinates, __global float *to,
                        const struct params p)
{
    const uint i = global_x();
    if (i < p.count)
        to[i] = image_sample(texels, coordinates[i].x, coordinates[i].y).x;
}
