// SPDX-License-Identifier: MIT
// Every thread writes 256 neighbouring elements, or adds 1 to each, as in write.comp.
//
// -DRESOURCE=LOADS_STORE or LOADS_ATOMIC: writes to one of `start` copies of the target;
// LOADS_SHARED_STORE or LOADS_SHARED_ATOMIC: writes to the workgroup's shared memory
// -DWIDTH=1|2|4: words per store  -DUNIFORM=0|1
#include "bench/prelude/prelude.clh"

#define INTEGER 1
#include "bench/loads/params.clh"

#define IS_SHARED (RESOURCE == LOADS_SHARED_STORE || RESOURCE == LOADS_SHARED_ATOMIC)

#if IS_SHARED
#define TARGET
#define PLACE __local WORDS *
#else
#define TARGET __global WORDS *target,
#define PLACE  __global WORDS *
#endif

#if RESOURCE == LOADS_ATOMIC
#define WRITE(place, value) atomic_add_global(place, 1)
#elif RESOURCE == LOADS_SHARED_ATOMIC
#define WRITE(place, value) atomic_add_shared(place, 1)
#else // stores into an element its own index + 1
#define WRITE(place, value) *(place) = (WORDS)(value)
#endif

#if WIDTH == 1
#define FIRST_WORD(v) (v)
#else
#define FIRST_WORD(v) ((v).x)
#endif

KERNEL void KERNEL_NAME(TARGET __global struct proof *proof, const struct params p)
{
    const uint first = FIRST_ELEMENT(p, local_x(), local_x());
#if IS_SHARED
    __local WORDS target[LOADS_ELEMENTS];
    for (uint i = local_x(); i < LOADS_ELEMENTS; i += LOADS_THREADS)
        target[i] = (WORDS)(0);
    workgroup_barrier();
#else
    target += group_x() % p.start * LOADS_ELEMENTS;
#endif
    NOT_UNROLLED
    for (uint i = 0; i < LOADS_STRIDE; i++) {
        // The index is below 512. The mask tells the compiler this, as in buffer.comp.
        const uint at = ((first + i) | p.mask) & 511;
        PLACE place = target + at;
#pragma unroll
        for (uint k = 0; k < LOADS_FLIGHT; k++)
            WRITE(place + k * LOADS_STRIDE, at + (k * LOADS_STRIDE + 1));
    }
#if IS_SHARED
    workgroup_barrier();
    prove(proof, p.tolerance, (float)FIRST_WORD(target[local_x()]));
#else
    // There is no sum to check. The host checks the buffer that was written.
    prove(proof, p.tolerance, 0);
#endif
}
