// SPDX-License-Identifier: MIT
// Loads memory that fits the core's own cache, in a pattern that is a parameter. See vector.comp.
//
// -DBYTES=4|8|16: bytes per load  -DLOADS=…: loads in flight  -DAFTER=STRIDES_AFTER_…
// -DACCESS_ADDRESS is ignored: the source is a pointer
#include "bench/prelude/prelude.clh"

#include "bench/strides/strides.h"

#if BYTES == 16
#define ELEMENT uint4
#define FOLD(v) ((v).x + (v).y + (v).z + (v).w)
#elif BYTES == 8
#define ELEMENT uint2
#define FOLD(v) ((v).x + (v).y)
#else
#define ELEMENT uint
#define FOLD(v) (v)
#endif


struct params {
    uint across, step, pitch, turn, turns;
};

KERNEL void KERNEL_NAME(const __global ELEMENT *restrict source, __global uint *words,
                        const struct params p)
{
    const uint t = local_x();
    uint at = t % p.across * p.step + t / p.across % STRIDES_ROWS * p.pitch;
    ELEMENT sum = (ELEMENT)(0);
    NOT_UNROLLED
// Without this pragma, clang combines two turns of the loop on gfx90a.
#pragma clang loop vectorize(disable)
    for (uint i = 0; i < p.turns; i++) {
#pragma unroll
        for (int k = 0; k < STRIDES_TURN_LOADS; k += LOADS) {
            const __global ELEMENT *from = source + (ulong)at;
            ELEMENT values[LOADS];
#pragma unroll
            for (int f = 0; f < LOADS; f++)
                values[f] = from[AFTER(f, BYTES)];
#pragma unroll
            for (int f = 0; f < LOADS; f++)
                sum += values[f];
            at += p.turn;
        }
    }
    words[t] += FOLD(sum);
    if (t == 0)
        words[STRIDES_THREADS]++;
}
