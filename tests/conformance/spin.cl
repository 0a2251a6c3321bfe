// SPDX-License-Identifier: MIT
#include "bench/prelude/prelude.clh"

struct params {
    uint rounds;
};

#define STEP   x = (x ^ (x >> 15)) * 1664525u + 1013904223u;
#define STEP8  STEP STEP STEP STEP STEP STEP STEP STEP
#define STEP64 STEP8 STEP8 STEP8 STEP8 STEP8 STEP8 STEP8 STEP8

// Work in proportion to `rounds` that cannot be shortened: see spin.comp.
KERNEL void KERNEL_NAME(__global uint *words, const struct params p)
{
    const uint i = global_x();
    uint x = words[i];
    for (uint round = 0; round < p.rounds; round++) {
        STEP64
    }
    words[i] = x;
}
