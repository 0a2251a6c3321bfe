// SPDX-License-Identifier: MIT
// Every thread loads 256 neighbouring elements of a buffer and adds them up, as in buffer.comp:
// eight loads share an address computation, and are in flight together.
//
// -DRESOURCE=LOADS_…  -DWIDTH=1…4: floats per load  -DUNIFORM=0|1
// -DINTEGER=1: integers, not floats  -DWRITABLE=1: LOADS_RAW in a buffer that the kernel may write
#include "bench/prelude/prelude.clh"

#include "bench/loads/params.clh"

#if RESOURCE == LOADS_TYPED
#define SOURCE typed_buffer source,
#if INTEGER
#define LOAD_FROM(i, k) typed_load_uint(source, (i) + (k)) CHANNELS
#else
#define LOAD_FROM(i, k) typed_load(source, (i) + (k)) CHANNELS
#endif

#elif RESOURCE == LOADS_ROW
#define SOURCE          image_1d source,
#define PLACE           float
#define CURSOR(first)   ((float)(first) + 0.5f)
#define LOAD_FROM(x, k) image_load_row(source, (x) + (float)(k)) CHANNELS

#elif RESOURCE == LOADS_RAW || RESOURCE == LOADS_BOUND || RESOURCE == LOADS_STRUCTURED && WIDTH == 3
// From a raw buffer, or a structured buffer of float3, the kernel loads each 32-bit word by itself.
// The compiler knows only that these words are aligned to 4 bytes.
#if WRITABLE
#define SOURCE __global uint *source,
#else
#define SOURCE const __global uint *restrict source,
#endif
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

#elif RESOURCE == LOADS_HALF
// Elements of 16-bit floats. The kernel loads an element as integers (ushort, uint or uint2) and
// converts them to floats, because clang would split the load of a vector of 16-bit values.
#if WIDTH == 1
#define ELEMENT      ushort
#define FLOATS_OF(h) float_of_half(h)
#elif WIDTH == 2
#define ELEMENT      uint
#define FLOATS_OF(w) (float2)(float_of_half((ushort)(w)), float_of_half((ushort)((w) >> 16)))
#else
#define ELEMENT uint2
#define FLOATS_OF(w)                                                                               \
    (float4)(float_of_half((ushort)(w).x), float_of_half((ushort)((w).x >> 16)),                   \
             float_of_half((ushort)(w).y), float_of_half((ushort)((w).y >> 16)))
#endif
#define LOAD_FROM(e, k) FLOATS_OF((e)[k])

#elif RESOURCE == LOADS_BYTES
#if WIDTH == 1
#define ELEMENT         uchar
#define LOAD_FROM(e, k) ((uint)(e)[k])
#else
#define ELEMENT         uchar4
#define LOAD_FROM(e, k) (uint4)((e)[k].x, (e)[k].y, (e)[k].z, (e)[k].w)
#endif

#elif RESOURCE == LOADS_LONG
#define ELEMENT         ulong
#define LOAD_FROM(e, k) as_float2((e)[k])

#elif RESOURCE == LOADS_RAW_VECTOR && defined(ALIGN)
typedef float4 aligned_vector __attribute__((aligned(ALIGN)));
#define SOURCE          const __global char *restrict source,
#define PLACE           const __global aligned_vector *
#define CURSOR(first)   ((const __global aligned_vector *)(source + p.start) + (first))
#define LOAD_FROM(e, k) (e)[k]

#elif RESOURCE == LOADS_PUSHED
#define SOURCE
#define CURSOR(first)   ((first) & (LOADS_PUSHED_STRIDE - 1))
#define LOAD_FROM(i, k) p.pushed[(i) + (k) / LOADS_STRIDE * LOADS_PUSHED_STRIDE]

#elif RESOURCE == LOADS_BROADCAST || RESOURCE == LOADS_SHUFFLE
#define ELEMENT VECTOR
#if RESOURCE == LOADS_BROADCAST
#define FROM_LANE(word, lane) as_float(subgroup_broadcast(as_uint(word), lane))
#else
#define FROM_LANE(word, lane)                                                                      \
    as_float(subgroup_shuffle(as_uint(word), ((lane) + subgroup_lane()) & (subgroup_threads() - 1)))
#endif
#if WIDTH == 1
#define ALL_FROM_LANE(v, lane) FROM_LANE(v, lane)
#else
#define ALL_FROM_LANE(v, lane)                                                                     \
    (float4)(FROM_LANE((v).x, lane), FROM_LANE((v).y, lane), FROM_LANE((v).z, lane),               \
             FROM_LANE((v).w, lane))
#endif

#elif RESOURCE == LOADS_NOTHING
// the loop without loads: adds an element's index, as the low bits of a float just above 1
#define SOURCE
#define CURSOR(first)   (first)
#define LOAD_FROM(i, k) (VECTOR)(as_float((i) ^ (k)))

#elif RESOURCE == LOADS_SHARED // loads from a copy of the data in the workgroup's shared memory
#define SOURCE          const __global VECTOR *restrict source,
#define PLACE           const __local VECTOR *
#define CURSOR(first)   (tile + (first))
#define LOAD_FROM(e, k) (e)[k]

#else // a structured buffer, or a raw buffer of known alignment: loads vectors through a pointer
#if RESOURCE == LOADS_STORAGE
#define SOURCE __global VECTOR *source,
#else
#define SOURCE const __global VECTOR *restrict source,
#endif
#define PLACE           const __global VECTOR *
#define CURSOR(first)   (source + (first))
#define LOAD_FROM(e, k) (e)[k]
#endif

#if defined(ELEMENT)
#define SOURCE        const __global ELEMENT *restrict source,
#define PLACE         const __global ELEMENT *
#define CURSOR(first) (source + (first))
#elif !defined(PLACE)
#define PLACE uint
#endif
#if !defined(CURSOR)
// Every index is below 512. The mask tells the compiler this, as in buffer.comp.
#define CURSOR(first) ((first)&511)
#endif

#if RESOURCE == LOADS_BROADCAST || RESOURCE == LOADS_SHUFFLE
// In each turn of the outer loop, every lane loads one element. Then every lane gets the elements
// of all lanes, by broadcasts or shuffles, and adds them up.
KERNEL void KERNEL_NAME(SOURCE __global struct proof *proof, const struct params p)
{
    VECTOR sum = FIRST_SUM;
    NOT_UNROLLED
    for (uint i = 0; i < LOADS_A_THREAD; i += subgroup_threads()) {
        const VECTOR mine = source[(i + subgroup_lane()) | p.mask];
        NOT_UNROLLED
        for (uint k = 0; k < subgroup_threads(); k += LOADS_LANES)
#pragma unroll
            for (uint j = 0; j < LOADS_LANES; j++)
                sum += ALL_FROM_LANE(mine, k + j);
    }
    prove(proof, p.tolerance, WEIGHED(sum));
}
#else
KERNEL void KERNEL_NAME(SOURCE __global struct proof *proof, const struct params p)
{
#if RESOURCE == LOADS_SHARED
    __local VECTOR tile[LOADS_ELEMENTS];
    for (uint i = local_x(); i < LOADS_ELEMENTS; i += LOADS_THREADS)
        tile[i] = source[i];
    workgroup_barrier();
#endif
    const uint first = FIRST_ELEMENT(p, local_x(), local_x());
    VECTOR sum = FIRST_SUM;
    NOT_UNROLLED
    for (uint i = 0; i < LOADS_STRIDE; i++) {
        PLACE at = CURSOR((first + LOADS_TURN(i)) | p.mask);
        VECTOR loaded[LOADS_FLIGHT];
#pragma unroll
        for (uint k = 0; k < LOADS_FLIGHT; k++)
            loaded[k] = LOAD_FROM(at, k * LOADS_APART);
#pragma unroll
        for (uint k = 0; k < LOADS_FLIGHT; k++)
            sum += loaded[k];
    }
    prove(proof, p.tolerance, WEIGHED(sum));
}
#endif
