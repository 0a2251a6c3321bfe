// SPDX-License-Identifier: MIT
// The parameters of every kernel of loads, how a thread finds its first element, and prove(), which
// checks a thread's sum.
//
// -DINTEGER=1   elements are 32-bit integers, not floats
// -DUNIFORM=1   the first element is 0 for all threads, and the compiler knows it
#ifndef BENCH_LOADS_PARAMS_GLSL
#define BENCH_LOADS_PARAMS_GLSL

#include "bench/loads/loads.h"

layout(push_constant) uniform Params
{
#if RESOURCE == LOADS_RAW || RESOURCE == LOADS_RAW_VECTOR
    uint64_t address; // address of the buffer that the kernel loads from
#endif
    // Each index is combined with this word by |. Compilers do not know its value: the bits of 1.0f
    // in a loop without loads that adds up indices, else 0.
    uint mask;
    uint multiplier; // a thread's first element is (id × multiplier) & keep
    uint keep;
    // Kernels that load from a raw buffer: offset of element 0 in bytes. Kernels that write to a
    // buffer: number of copies of the elements in it.
    uint start;
    float tolerance; // largest allowed difference between a thread's sum and the expected sum
    float centre;    // distance of the sampled point from the texel's edge ÷ side of the texture
    uint scatter;    // 1: a thread's first element comes from a hash, not from its id
#if RESOURCE == LOADS_PUSHED
    float pushed[LOADS_PUSHED_ELEMENTS];
#endif
}
params;

// Each thread compares its sum with expected[its id], which the host computes.
layout(set = 0, binding = PROOF_BINDING, std430) restrict buffer Proof
{
    uint groups; // number of workgroups that have ended
    uint wrong;  // number of threads with a wrong sum
    uint unused[2];
    float expected[LOADS_THREADS];
}
proof;

// FLOATS and WORDS are types with WIDTH channels. VECTOR is the type that a load returns: WORDS
// with -DINTEGER=1, else FLOATS.
#if WIDTH == 1
#define FLOATS   float
#define WORDS    uint
#define CHANNELS .x
#elif WIDTH == 2
#define FLOATS   vec2
#define WORDS    uvec2
#define CHANNELS .xy
#elif WIDTH == 3
#define FLOATS   vec3
#define WORDS    uvec3
#define CHANNELS .xyz
#else
#define FLOATS   vec4
#define WORDS    uvec4
#define CHANNELS .xyzw
#endif
#if INTEGER
#define VECTOR WORDS
#else
#define VECTOR FLOATS
#endif

// The value at which a thread's sum starts. In the loop without loads, its channels start at
// different values. If they were equal, a compiler would compute only one channel.
#if RESOURCE == LOADS_NOTHING
#define FIRST_SUM VECTOR(vec4(0, 1, 2, 3))
#else
#define FIRST_SUM VECTOR(0)
#endif

uint hash(uint v) // returns the same value as loads_hash() in data.c
{
    v *= 0x9e3779b1;
    v ^= v >> 15;
    v *= 0x85ebca77;
    return v ^ v >> 13;
}

// Returns the number of a thread's first element along one axis. If `scatter` is 1, the hash of
// `seed`, which differs between the axes of a texture, takes the place of `id`.
uint first_element(uint id, uint seed)
{
#if UNIFORM
    return 0;
#else
    return ((params.scatter != 0 ? hash(seed) : id) * params.multiplier) & params.keep;
#endif
}

// Returns a weighted sum of the channels of `v`. The weights differ, so the check of the sums
// detects swapped channels.
float weigh(float v)
{
    return v;
}
float weigh(vec2 v)
{
    return v.x + 3.0 * v.y;
}
float weigh(vec3 v)
{
    return v.x + 3.0 * v.y + 5.0 * v.z;
}
float weigh(vec4 v)
{
    return v.x + 3.0 * v.y + 5.0 * v.z + 7.0 * v.w;
}

void prove(float sum)
{
    uint id = gl_LocalInvocationIndex;
    if (!(abs(sum - proof.expected[id]) <= params.tolerance))
        atomicAdd(proof.wrong, 1);
    if (id == 0)
        atomicAdd(proof.groups, 1);
}

#endif
