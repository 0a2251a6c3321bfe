// SPDX-License-Identifier: MIT
// The results of a kernel that reads: the sum, modulo 2^32, of all bits that its workgroups read,
// and a count (with words_add: of workgroups), over all submissions since the host cleared the
// words. Both are spread over many words, because additions to one word would queue up. The kernel
// must define WORDS_BINDING and WORDS_SLOTS (number of words) first.
#ifndef BENCH_PRELUDE_WORDS_GLSL
#define BENCH_PRELUDE_WORDS_GLSL

#extension GL_KHR_shader_subgroup_arithmetic : require

layout(set = 0, binding = WORDS_BINDING, std430) buffer Words
{
    uint sums[WORDS_SLOTS];
    uint counts[WORDS_SLOTS];
} words;

// Adds every thread's sum to one of words.sums, and every thread's count to one of words.counts.
void words_add_both(uint group, uint thread_sum, uint thread_count)
{
    uint slot = group % WORDS_SLOTS;
    uint sum = subgroupAdd(thread_sum), count = subgroupAdd(thread_count);
    if (subgroupElect()) {
        atomicAdd(words.sums[slot], sum);
        atomicAdd(words.counts[slot], count);
    }
}

// Adds every thread's sum to one of words.sums, and 1 per workgroup to one of words.counts.
void words_add(uint group, uint thread_sum)
{
    uint slot = group % WORDS_SLOTS;
    uint sum = subgroupAdd(thread_sum);
    if (subgroupElect())
        atomicAdd(words.sums[slot], sum);
    if (gl_LocalInvocationIndex == 0)
        atomicAdd(words.counts[slot], 1);
}

// Adds 1 to words.counts[0] in the last workgroup of a pass, number `last`. For kernels that write
// memory: it holds the same bytes however often they ran.
void words_add_pass(uint group, uint last)
{
    if (group == last && gl_LocalInvocationIndex == 0)
        atomicAdd(words.counts[0], 1);
}

#endif
