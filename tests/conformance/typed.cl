// SPDX-License-Identifier: MIT
// Every texel as four words, floats by their bits; or, for AT, the one texel `count`.
#include "bench/prelude/prelude.clh"

struct params {
    uint count;
};

KERNEL void KERNEL_NAME(typed_buffer texels, __global uint4 *to, const struct params p)
{
    const uint i = global_x();
#if defined(AT)
    to[i] = as_uint4(typed_load(texels, (int)p.count));
#else
    if (i >= p.count)
        return;
#if defined(UINT)
    to[i] = typed_load_uint(texels, (int)i);
#else
    to[i] = as_uint4(typed_load(texels, (int)i));
#endif
#endif
}
