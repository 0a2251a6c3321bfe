// SPDX-License-Identifier: MIT
// What every kernel of this benchmark is told, how a thread finds its first element, and how it
// says that all its loads brought what they should.
//
// -DINTEGER=1   elements are words
// -DUNIFORM=1   the first element is 0 for all threads, and the compiler can know it
#ifndef BENCH_LOADS_PARAMS_GLSL
#define BENCH_LOADS_PARAMS_GLSL

#include "bench/loads/loads.h"

layout(push_constant) uniform Params
{
#if RESOURCE == LOADS_RAW || RESOURCE == LOADS_RAW_VECTOR
    uint64_t address; // of the source
#endif
    uint mask;       // 0: or-ed to every index, so that no compiler knows what comes next to what
    uint multiplier; // the first element is (id × multiplier) & keep
    uint keep;
    uint start;      // byte of the source where element 0 begins (raw)
    float tolerance; // of a thread's sum
    float centre;    // where in a texel it is sampled, as a share of the texture's side
    uint scatter;    // 1: the id is hashed before
#if RESOURCE == LOADS_PUSHED
    float pushed[LOADS_PUSHED_ELEMENTS];
#endif
}
params;

// Where a thread's sum is held against what the host worked out for it.
layout(set = 0, binding = PROOF_BINDING, std430) restrict buffer Proof
{
    uint groups; // done
    uint wrong;  // threads
    uint unused[2];
    float expected[LOADS_THREADS];
}
proof;

// Values of WIDTH channels; sums of integers are floats at last.
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

#if RESOURCE == LOADS_NOTHING
#define FIRST_SUM VECTOR(vec4(0, 1, 2, 3)) // else a compiler adds up one channel for all
#else
#define FIRST_SUM VECTOR(0)
#endif

uint hash(uint v) // as in data.c
{
    v *= 0x9e3779b1;
    v ^= v >> 15;
    v *= 0x85ebca77;
    return v ^ v >> 13;
}

// `seed`: what is hashed where threads are scattered; differs between axes.
uint first_element(uint id, uint seed)
{
#if UNIFORM
    return 0;
#else
    return ((params.scatter != 0 ? hash(seed) : id) * params.multiplier) & params.keep;
#endif
}

// Different weights: swapped channels are not the same sum.
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
