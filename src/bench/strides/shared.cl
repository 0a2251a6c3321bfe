// SPDX-License-Identifier: MIT
// Loads words of shared memory with a stride, which is a parameter, as in shared.comp.
//
// -DLOADS=…: loads in flight
#include "bench/prelude/prelude.clh"

#include "bench/strides/strides.h"

struct params {
    uint across, step, pitch, turn, turns;
};

INLINE uint data_word(uint i)
{
    uint h = i * STRIDES_MIX_STEP + STRIDES_MIX_SEED;
    h ^= h >> 15;
    return h * STRIDES_MIX_SCATTER;
}

KERNEL void KERNEL_NAME(__global uint *words, const struct params p)
{
    __local uint pool[STRIDES_SHARED_WORDS];
    const uint t = local_x();
    for (uint i = t; i < STRIDES_SHARED_WORDS; i += STRIDES_THREADS)
        pool[i] = data_word(i);
    workgroup_barrier();
    uint at = t % p.across * p.step, sum = 0;
    NOT_UNROLLED
// Without this pragma, clang combines two turns of the loop on gfx90a.
#pragma clang loop vectorize(disable)
    for (uint i = 0; i < p.turns; i++) {
#pragma unroll
        for (int k = 0; k < STRIDES_TURN_LOADS; k += LOADS) {
            const __local uint *from = pool + at;
            uint values[LOADS];
#pragma unroll
            for (int f = 0; f < LOADS; f++)
                values[f] = from[f * STRIDES_SHARED_APART];
#pragma unroll
            for (int f = 0; f < LOADS; f++)
                sum += values[f];
            at += p.turn;
        }
    }
    words[t] += sum;
    if (t == 0)
        words[STRIDES_THREADS]++;
}
