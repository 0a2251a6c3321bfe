// SPDX-License-Identifier: MIT
// Typed loads and image loads, sampling and storing: 16 words a thread, as the caller knows them.
#include "bench/prelude/prelude.clh"

KERNEL void KERNEL_NAME(typed_buffer floats, typed_buffer words, image_2d texels, image_2d ids,
                        SAMPLED_ARG(filtered), image_2d_rw stored, __global uint4 *out)
{
    const int i = (int)local_x();
    out[4 * i] = as_uint4(typed_load(floats, i));
    out[4 * i + 1] = typed_load_uint(words, i);
    out[4 * i + 2] = as_uint4(image_load(texels, i, 1)) + image_load_uint(ids, i, 1);
    out[4 * i + 3] = as_uint4(image_sample(filtered, 0.5f, 0.5f));
    image_store(stored, i, 0, (float4)((float)i, 1.0f, 2.0f, 3.0f));
}
