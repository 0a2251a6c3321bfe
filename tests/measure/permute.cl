// SPDX-License-Identifier: MIT
#include "bench/prelude/prelude.clh"

#include "bench/prelude/permute.clh"

struct params {
    uint first, n, key;
};

KERNEL void KERNEL_NAME(__global uint *places, const struct params p)
{
    places[global_x()] = permute(p.first + global_x(), p.n, p.key);
}
