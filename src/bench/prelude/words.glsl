// SPDX-License-Identifier: MIT
// What every timed reading leaves: the sum of all bits that its workgroups saw, modulo 2^32, and
// how many workgroups there were; both over all submissions since the host cleared them. Spread
// over many words, or the additions would queue up at one. The kernel says WORDS_BINDING and
// WORDS_SLOTS (how many words) first.
#ifndef BENCH_PRELUDE_WORDS_GLSL
#define BENCH_PRELUDE_WORDS_GLSL

#extension GL_KHR_shader_subgroup_arithmetic : require

layout(set = 0, binding = WORDS_BINDING, std430) buffer Words
{
    uint sums[WORDS_SLOTS];
    uint counts[WORDS_SLOTS];
} words;

// Every thread's own two values, added up.
void words_add_both(uint group, uint thread_sum, uint thread_count)
{
    uint slot = group % WORDS_SLOTS;
    uint sum = subgroupAdd(thread_sum), count = subgroupAdd(thread_count);
    if (subgroupElect()) {
        atomicAdd(words.sums[slot], sum);
        atomicAdd(words.counts[slot], count);
    }
}

// Every thread's sum; the workgroup counts once.
void words_add(uint group, uint thread_sum)
{
    uint slot = group % WORDS_SLOTS;
    uint sum = subgroupAdd(thread_sum);
    if (subgroupElect())
        atomicAdd(words.sums[slot], sum);
    if (gl_LocalInvocationIndex == 0)
        atomicAdd(words.counts[slot], 1);
}

#endif
