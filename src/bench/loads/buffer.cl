// SPDX-License-Identifier: MIT
// Every thread loads 256 neighbouring elements of a buffer and adds them up, as in buffer.comp:
// eight loads share their address arithmetic, and are in flight together.
//
// -DRESOURCE=LOADS_…  -DWIDTH=1…4 floats of a load  -DUNIFORM=0|1
// -DINTEGER=1 words instead
#include "bench/prelude/prelude.clh"

#include "bench/loads/params.clh"

#if RESOURCE == LOADS_TYPED
#define SOURCE typed_buffer source,
#if INTEGER
#define LOAD_FROM(i, k) typed_load_uint(source, (i) + (k)) CHANNELS
#else
#define LOAD_FROM(i, k) typed_load(source, (i) + (k)) CHANNELS
#endif

#elif RESOURCE == LOADS_RAW || RESOURCE == LOADS_STRUCTURED && WIDTH == 3
// Words, only ever known to be aligned to 4 bytes.
#define SOURCE        const __global uint *restrict source,
#define WORD(w, k, n) as_float((w)[(k)*WIDTH + (n)])
#define PLACE         const __global uint *
#define CURSOR(first) (source + (ulong)((first)*WIDTH + p.start / 4))
#if WIDTH == 1
#define LOAD_FROM(w, k) WORD(w, k, 0)
#elif WIDTH == 2
#define LOAD_FROM(w, k) (float2)(WORD(w, k, 0), WORD(w, k, 1))
#elif WIDTH == 3
#define LOAD_FROM(w, k) (float3)(WORD(w, k, 0), WORD(w, k, 1), WORD(w, k, 2))
#else
#define LOAD_FROM(w, k) (float4)(WORD(w, k, 0), WORD(w, k, 1), WORD(w, k, 2), WORD(w, k, 3))
#endif

#elif RESOURCE == LOADS_CONSTANT
CONSTANT_BUFFER(float4, source, 0, 16384)
#define SOURCE          CONSTANT_ARG(float4, source),
#define LOAD_FROM(i, k) source[(i) + (k)]

#elif RESOURCE == LOADS_NOTHING // the control: the index itself, as a float a little above 1
#define SOURCE
#define CURSOR(first)   (first)
#define LOAD_FROM(i, k) (VECTOR)(as_float((i) ^ (k)))

#elif RESOURCE == LOADS_SHARED // the workgroup's own copy
#define SOURCE          const __global VECTOR *restrict source,
#define PLACE           const __local VECTOR *
#define CURSOR(first)   (tile + (first))
#define LOAD_FROM(e, k) (e)[k]

#else // structured, and raw whose alignment is known: one and the same to a pointer of vectors
#if RESOURCE == LOADS_STORAGE
#define SOURCE __global VECTOR *source,
#else
#define SOURCE const __global VECTOR *restrict source,
#endif
#define PLACE           const __global VECTOR *
#define CURSOR(first)   (source + (first))
#define LOAD_FROM(e, k) (e)[k]
#endif

#if !defined(PLACE)
#define PLACE uint
#endif
#if !defined(CURSOR) // first elements end below 511: as in buffer.comp
#define CURSOR(first) ((first)&511)
#endif

KERNEL void KERNEL_NAME(SOURCE __global struct proof *proof, const struct params p)
{
#if RESOURCE == LOADS_SHARED
    __local VECTOR tile[LOADS_ELEMENTS];
    for (uint i = local_x(); i < LOADS_ELEMENTS; i += LOADS_THREADS)
        tile[i] = source[i];
    workgroup_barrier();
#endif
    const uint first = FIRST_ELEMENT(p, local_x());
    VECTOR sum = FIRST_SUM;
    NOT_UNROLLED
    for (uint i = 0; i < LOADS_STRIDE; i++) {
        PLACE at = CURSOR((first + i) | p.mask);
        VECTOR loaded[LOADS_FLIGHT];
#pragma unroll
        for (uint k = 0; k < LOADS_FLIGHT; k++)
            loaded[k] = LOAD_FROM(at, k * LOADS_STRIDE);
#pragma unroll
        for (uint k = 0; k < LOADS_FLIGHT; k++)
            sum += loaded[k];
    }
    prove(proof, p, WEIGHED(sum));
}
