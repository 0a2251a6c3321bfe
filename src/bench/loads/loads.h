// SPDX-License-Identifier: MIT
// Sizes that the host and the kernels of this benchmark share.
#ifndef BENCH_LOADS_LOADS_H
#define BENCH_LOADS_LOADS_H

#define LOADS_ELEMENTS   1024 /* of a buffer; 16 KiB at most: what every L1 holds */
#define LOADS_DEPTH      4    /* slices of a texture of three dimensions, layers of an array */
#define LOADS_READ_LAYER 2    /* the one that is read, of a cube too */
#define LOADS_SIDE       32   /* texels of a texture's side */
#define LOADS_THREADS    256  /* a workgroup: 256, or 16 × 16 for textures */
#define LOADS_TILE       16
#define LOADS_A_THREAD   256 /* loads of a thread: elements t … t + 255, or a tile of 16 × 16 */
#define LOADS_FLIGHT     8   /* loads that share their address arithmetic (peak) */
#define LOADS_LANES      4   /* broadcasts that share their loop: the fewest lanes of a subgroup */
#define LOADS_STRIDE     32  /* elements between them: too far apart to be combined */

#define LOADS_ANISOTROPY 4 /* times as long as wide is the footprint of an anisotropic sample */

/* Push constants: what is left of 128 bytes holds so many floats; a turn of the loop loads every
   other one, so that no two stand side by side. */
#define LOADS_PUSHED_ELEMENTS 16
#define LOADS_PUSHED_STRIDE   2

/* What a load brings, -DRESOURCE= */
#define LOADS_TYPED      0
#define LOADS_RAW        1 /* words, only ever known to be aligned to 4 bytes */
#define LOADS_RAW_VECTOR 2 /* known to be aligned to the load's own size */
#define LOADS_STRUCTURED 3
#define LOADS_CONSTANT   4
#define LOADS_TEXEL      5
#define LOADS_SAMPLED    6
#define LOADS_NOTHING    7  /* the control */
#define LOADS_STORAGE    8  /* as structured, in a buffer that might be written */
#define LOADS_HALF       9  /* floats of 16 bits */
#define LOADS_LONG       10 /* words of 64 bits */
#define LOADS_SHARED     11 /* the workgroup's own memory */
#define LOADS_BROADCAST  12 /* each lane loads one element, all have it from there */
#define LOADS_TEXEL_RW   13 /* a storage texel buffer or image, -DFORMAT=… */
#define LOADS_GATHER     14 /* a channel of four texels */
#define LOADS_TRILINEAR  15 /* half way between two levels */
#define LOADS_ARRAY      20 /* a layer of several */
#define LOADS_VOLUME     21 /* a slice of a texture of three dimensions */
#define LOADS_CUBE       22 /* a face of six */
#define LOADS_ROW        23 /* a texture of one dimension */
#define LOADS_LEVELS     24 /* every other thread the next smaller level */
#define LOADS_BOUND      25 /* as raw, words of a buffer that is bound, not an address */
#define LOADS_BYTES      26 /* integers of 8 bits */
#define LOADS_SHUFFLE    27 /* as broadcast, each lane from a lane of its own */
#define LOADS_PUSHED     28 /* push constants: the kernel's own arguments */
#define LOADS_STRETCHED  29 /* a footprint LOADS_ANISOTROPY times as long as wide */
/* Writes. */
#define LOADS_STORE         16
#define LOADS_ATOMIC        17
#define LOADS_SHARED_STORE  18
#define LOADS_SHARED_ATOMIC 19

/* Elements between the loads of a turn of the loop, and where turn i begins. Of constants every
   second one of 16 neighbours: a cache of 2 KiB serves those (NVIDIA), and eight lines a thread,
   with threads not in step, would measure its misses. */
#if defined(RESOURCE) && RESOURCE == LOADS_CONSTANT
#define LOADS_APART   2
#define LOADS_TURN(i) ((i) / 2 * (2 * LOADS_FLIGHT) + (i) % 2)
#else
#define LOADS_APART   LOADS_STRIDE
#define LOADS_TURN(i) (i)
#endif

#endif
