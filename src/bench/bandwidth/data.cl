// SPDX-License-Identifier: MIT
// Fills a range of memory with the data that a seed determines, or compares the range with these
// data. Walks through memory in another order than the measured kernels.
//
// -DCHECK=0: fills  -DCHECK=1: counts the equal elements and adds up all words read
#include "bench/prelude/prelude.clh"

#include "bench/bandwidth/bandwidth.h"
#include "bench/bandwidth/data.clh"
#define WORDS_SLOTS BANDWIDTH_SLOTS
#include "bench/prelude/words.clh"

struct params {
    uint first; // index of the range's first element in the buffer
    uint count; // number of elements in the range
    uint seed;
};

#if CHECK
#define WORDS , __global uint *words
#else
#define WORDS
#endif

KERNEL void KERNEL_NAME(__global uint4 *range WORDS, const struct params p)
{
#if CHECK
    WORDS_SHARED
    uint sum = 0, equal = 0;
#endif
    for (uint i = global_x(); i < p.count; i += groups_x() * WORKGROUP_X) {
        const uint4 data = data_words(p.first + i, p.seed);
#if CHECK
        const uint4 seen = range[i], other = seen ^ data;
        equal += (other.x | other.y | other.z | other.w) == 0;
        sum += seen.x + seen.y + seen.z + seen.w;
#else
        range[i] = data;
#endif
    }
#if CHECK
    const uint slot = group_x() % BANDWIDTH_SLOTS;
    WORDS_ADD(words, slot, sum);
    WORDS_ADD(words, BANDWIDTH_SLOTS + slot, equal);
#endif
}
