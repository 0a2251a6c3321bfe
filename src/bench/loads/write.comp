// SPDX-License-Identifier: MIT
#version 460
// Every thread writes 256 neighbouring elements, or adds 1 to each.
//
// -DRESOURCE=LOADS_STORE or LOADS_ATOMIC: writes to one of `start` copies of the target;
// LOADS_SHARED_STORE or LOADS_SHARED_ATOMIC: writes to the workgroup's shared memory
// -DWIDTH=1|2|4: words per store
// -DUNIFORM=1: all threads write the same elements; 0: a parameter sets each thread's first element
#extension GL_GOOGLE_include_directive : require
#include "bench/prelude/kernel.glsl"

#include "bench/loads/loads.h"

#define IS_SHARED (RESOURCE == LOADS_SHARED_STORE || RESOURCE == LOADS_SHARED_ATOMIC)
#define IS_ATOMIC (RESOURCE == LOADS_ATOMIC || RESOURCE == LOADS_SHARED_ATOMIC)
#define INTEGER   1
#if IS_SHARED
#define PROOF_BINDING 0
#else
#define PROOF_BINDING 1
#endif
#include "bench/loads/params.glsl"

#if IS_SHARED
shared WORDS tile[LOADS_ELEMENTS];
#define TARGET(at) tile[at]
#else
layout(set = 0, binding = 0, std430) restrict buffer Target
{
    WORDS at[];
}
target;
#define TARGET(place) target.at[place]
#endif

#if IS_ATOMIC
#define WRITE(place, value) atomicAdd(TARGET(place), 1)
#else // stores into an element its own index + 1
#define WRITE(place, value) TARGET(place) = WORDS(value)
#endif

void main()
{
    uint id = gl_LocalInvocationIndex, first = first_element(id, id);
#if IS_SHARED
    uint copy = 0;
    for (uint i = id; i < LOADS_ELEMENTS; i += LOADS_THREADS)
        tile[i] = WORDS(0);
    barrier();
#else
    uint copy = gl_WorkGroupID.x % params.start * LOADS_ELEMENTS;
#endif
    [[dont_unroll]] for (uint i = 0; i < LOADS_STRIDE; i++)
    {
        // The index is below 512. The mask tells the compiler this, as in buffer.comp.
        uint at = ((first + i) | params.mask) & 511;
        [[unroll]] for (uint k = 0; k < LOADS_FLIGHT; k++)
            WRITE(copy + at + k * LOADS_STRIDE, at + (k * LOADS_STRIDE + 1));
    }
#if IS_SHARED
    barrier();
    prove(float(TARGET(id).x));
#else
    prove(0); // There is no sum to check. The host checks the buffer that was written.
#endif
}
