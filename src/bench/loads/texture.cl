// SPDX-License-Identifier: MIT
// Every thread loads a tile of 16 × 16 texels and adds them up, as in texture.comp: eight loads
// share the computation of a coordinate, and are in flight together.
//
// -DRESOURCE=LOADS_TEXEL (no sampler), LOADS_SAMPLED …  -DWIDTH=1|2|4: channels  -DUNIFORM=0|1
// -DINTEGER=1: integers, not floats  -DSAMPLED_SHAPE=1: normalised coordinates; 0: texel numbers
// -DLEVEL=…: level of detail that LOADS_SAMPLED reads
#include "bench/prelude/prelude.clh"

#include "bench/loads/params.clh"

#if RESOURCE == LOADS_SAMPLED
#define SOURCE SAMPLED_ARG(source),
#if defined(LEVEL)
#define LOAD(x, y) image_sample_level(source, x, y, LEVEL) CHANNELS
#else
#define LOAD(x, y) image_sample(source, x, y) CHANNELS
#endif
#elif RESOURCE == LOADS_TRILINEAR
#define SOURCE     SAMPLED_ARG(source),
#define LOAD(x, y) image_sample_level(source, x, y, 0.5f) CHANNELS
#elif RESOURCE == LOADS_LEVELS
#define SOURCE     SAMPLED_ARG(source),
#define LOAD(x, y) image_sample_level(source, x, y, (float)(local_index() & 1)) CHANNELS
#elif RESOURCE == LOADS_STRETCHED // anisotropic samples; texture.comp describes their footprint
#define SOURCE SAMPLED_ARG(source),
#define LOAD(x, y)                                                                                 \
    image_sample_stretched(source, x, y, (float2)((LOADS_ANISOTROPY - 0.1f) / LOADS_SIDE, 0),      \
                           (float2)(0, 0.9f / LOADS_SIDE)) CHANNELS
#elif RESOURCE == LOADS_ARRAY
#define SOURCE     SAMPLED_ARRAY_ARG(source),
#define LOAD(x, y) image_sample_array(source, x, y, LOADS_READ_LAYER) CHANNELS
#elif RESOURCE == LOADS_VOLUME
#define SOURCE     SAMPLED_VOLUME_ARG(source),
#define SLICE      ((LOADS_READ_LAYER + 0.5f) / LOADS_DEPTH)
#define LOAD(x, y) image_sample_volume(source, x, y, SLICE) CHANNELS
#elif RESOURCE == LOADS_CUBE
// samples face +Y of the cube; its coordinates x / y and z / y go from −1 to 1
#define SOURCE     SAMPLED_ARG(source),
#define LOAD(x, y) image_sample_cube(source, (x)*2 - 1, 1, (y)*2 - 1) CHANNELS
#elif RESOURCE == LOADS_GATHER
#define SOURCE     SAMPLED_ARG(source),
#define LOAD(x, y) image_gather(source, x, y)
#elif RESOURCE == LOADS_TEXEL_RW
#define SOURCE image_2d_rw source,
#if WIDTH == 1
#define LOAD(x, y) image_load_rw_float(source, (int)(x), (int)(y))
#else
#define LOAD(x, y) image_load_rw_float4(source, (int)(x), (int)(y))
#endif
#elif RESOURCE == LOADS_TEXEL
#define SOURCE image_2d source,
#if INTEGER
#define LOAD(x, y) image_load_uint(source, (int)(x), (int)(y)) CHANNELS
#else
#define LOAD(x, y) image_load(source, (int)(x), (int)(y)) CHANNELS
#endif
#elif SAMPLED_SHAPE
#define SOURCE
#define LOAD(x, y) (VECTOR)((x) + (y))
#else
#define SOURCE
#define LOAD(x, y) (VECTOR)(as_float((x) | (y)))
#endif

#if SAMPLED_SHAPE // coordinates are normalised; `centre` sets the sampled point of a texel
#define COORDINATE float
#define PLACE(n)   ((float)(n) * (1.0f / LOADS_SIDE) + p.centre)
#define ROW        (1.0f / LOADS_SIDE)
#else
#define COORDINATE uint
#define PLACE(n)   (n)
#define ROW        1u
#endif

KERNEL void KERNEL_NAME(SOURCE __global struct proof *proof, const struct params p)
{
    const uint first_x = FIRST_ELEMENT(p, local_x(), 2 * local_index());
    const uint first_y = FIRST_ELEMENT(p, local_y(), 2 * local_index() + 1);
    VECTOR sum = FIRST_SUM;
    NOT_UNROLLED
    for (uint i = 0; i < LOADS_A_THREAD / LOADS_FLIGHT; i++) {
        const COORDINATE x = PLACE((first_x + i % LOADS_TILE) | p.mask);
        const COORDINATE y = PLACE((first_y + i / LOADS_TILE * LOADS_FLIGHT) | p.mask);
        VECTOR loaded[LOADS_FLIGHT];
#pragma unroll
        for (uint k = 0; k < LOADS_FLIGHT; k++)
            loaded[k] = LOAD(x, y + k * ROW);
#pragma unroll
        for (uint k = 0; k < LOADS_FLIGHT; k++)
            sum += loaded[k];
    }
    prove(proof, p.tolerance, WEIGHED(sum));
}
