// SPDX-License-Identifier: MIT
// Writes the data that stream.h defines, or checks what kernels made of these data, as in
// data.comp. Walks through memory in another order than the measured kernels.
//
// -DTASK=STREAM_TASK_…  -DDOUBLE=0|1
#include "bench/prelude/prelude.clh"

#include "bench/stream/stream.h"
#include "bench/stream/value.clh"
#define WORDS_SLOTS STREAM_SLOTS
#include "bench/prelude/words.clh"

// Every variant of the kernel has all arguments and functions, although it does not use all of
// them.
#define MAYBE __attribute__((unused))

struct params {
    // Number of vectors or, with STREAM_TASK_DOT, of threads of the dot kernel.
    uint count;
    uint seed, other_seed;
    uint shift;          // number of vectors in front of the source's element 0
    uint threads, loads, steps; // shape of the dot kernel (struct stream_shape)
    uint marks;                 // 1: the check counts marks; 0: it adds up words
    float weights[STREAM_WEIGHTS];
};

INLINE SCALAR expected(const struct params *p, uint i)
{
    const uint center = i + p->shift * NUMBERS;
    SCALAR value = (SCALAR)p->weights[6];
    for (uint w = 0; w < 5; w++)
        if (p->weights[w] != 0)
            value += (SCALAR)p->weights[w] * value_at(center + w - 2, p->seed);
    if (p->weights[5] != 0)
        value += (SCALAR)p->weights[5] * value_at(i, p->other_seed);
    return value;
}

INLINE uint dot_bits(const __global VECTOR *source, const __global VECTOR *other,
                     const struct params *p, uint thread)
{
    const uint loads = p->loads * p->steps;
    const uint first = thread / p->threads * p->threads * loads + thread % p->threads;
    VECTOR product = (VECTOR)(SCALAR)0;
    for (uint k = 0; k < loads; k++)
        product = FMA(source[first + k * p->threads], other[first + k * p->threads], product);
    return number_bits(FOLD(product));
}

KERNEL void KERNEL_NAME(__global VECTOR *range, MAYBE __global uint *words,
                        MAYBE __global VECTOR *other, const struct params p)
{
#if TASK != STREAM_TASK_FILL
    WORDS_SHARED
    uint sum = 0, equal = 0;
#endif
    for (uint i = global_x(); i < p.count; i += groups_x() * WORKGROUP_X) {
#if TASK == STREAM_TASK_FILL
        for (uint n = 0; n < NUMBERS; n++)
            ((__global SCALAR *)(range + i))[n] = value_at(i * NUMBERS + n, p.seed);
#elif TASK == STREAM_TASK_CHECK
        const __global SCALAR *numbers = (const __global SCALAR *)(range + i);
        const uint4 bits = BITS(range[i]);
        uint same = 1, marked = 0;
        for (uint n = 0; n < NUMBERS; n++) {
            same &= numbers[n] == expected(&p, i * NUMBERS + n);
            marked += (TOP_WORD(numbers[n]) & STREAM_MARK_MASK) == STREAM_MARK;
        }
        equal += same;
        sum += p.marks ? marked : ADD_WORDS(bits);
#else
        sum += dot_bits(range, other, &p, i);
        equal++;
#endif
    }
#if TASK != STREAM_TASK_FILL
    const uint slot = group_x() % STREAM_SLOTS;
    WORDS_ADD(words, slot, sum);
    WORDS_ADD(words, STREAM_SLOTS + slot, equal);
#endif
}
