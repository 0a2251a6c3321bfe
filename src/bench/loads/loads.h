// SPDX-License-Identifier: MIT
// Sizes that the host and the kernels of this benchmark share.
#ifndef BENCH_LOADS_LOADS_H
#define BENCH_LOADS_LOADS_H

#define LOADS_ELEMENTS   1024 /* elements of a buffer: at most 16 KiB, which every L1 holds */
#define LOADS_DEPTH      4    /* slices of a 3D texture, layers of an array */
#define LOADS_READ_LAYER 2    /* the slice, layer or cube face that kernels read */
#define LOADS_SIDE       32   /* width and height of a texture in texels */
#define LOADS_THREADS    256  /* threads of a workgroup: 256, or 16 × 16 for textures */
#define LOADS_TILE       16
#define LOADS_A_THREAD   256 /* loads of a thread: 256 elements in a row, or a tile of 16 × 16 */
#define LOADS_FLIGHT     8   /* loads that share their address arithmetic (peak) */
#define LOADS_LANES      4   /* broadcasts per turn of a loop: all subgroups have so many lanes */
#define LOADS_STRIDE     32  /* elements between loads in flight, so that none can be combined */

#define LOADS_ANISOTROPY 4 /* length / width of an anisotropic sample's footprint */

/* Number of floats that fit in 128 bytes of push constants beside the other parameters. A turn of
   the loop loads every second one, so that no two of its loads are neighbours. */
#define LOADS_PUSHED_ELEMENTS 16
#define LOADS_PUSHED_STRIDE   2

/* What a kernel loads: the values of -DRESOURCE. */
#define LOADS_TYPED      0
#define LOADS_RAW        1 /* words; compilers know only that they are aligned to 4 bytes */
#define LOADS_RAW_VECTOR 2 /* raw, known to be aligned to the load's size or to -DALIGN */
#define LOADS_STRUCTURED 3
#define LOADS_CONSTANT   4
#define LOADS_TEXEL      5
#define LOADS_SAMPLED    6
#define LOADS_NOTHING    7  /* a loop without loads, for comparison */
#define LOADS_STORAGE    8  /* structured, in a buffer that the kernel may write */
#define LOADS_HALF       9  /* 16-bit floats */
#define LOADS_LONG       10 /* 64-bit words */
#define LOADS_SHARED     11 /* the workgroup's own memory */
#define LOADS_BROADCAST  12 /* each lane loads one element and broadcasts it to all lanes */
#define LOADS_TEXEL_RW   13 /* a storage texel buffer or image, -DFORMAT=… */
#define LOADS_GATHER     14 /* one channel of four texels */
#define LOADS_TRILINEAR  15 /* samples half way between two levels of detail */
#define LOADS_ARRAY      20 /* a texture array */
#define LOADS_VOLUME     21 /* a 3D texture */
#define LOADS_CUBE       22 /* a cube texture */
#define LOADS_ROW        23 /* a 1D texture */
#define LOADS_LEVELS     24 /* every second thread reads the next smaller level of detail */
#define LOADS_BOUND      25 /* raw, in a buffer that is bound, not passed by address */
#define LOADS_BYTES      26 /* 8-bit integers */
#define LOADS_SHUFFLE    27 /* like BROADCAST, but each lane takes from a different lane */
#define LOADS_PUSHED     28 /* push constants: the kernel's parameters */
#define LOADS_STRETCHED  29 /* anisotropic samples, LOADS_ANISOTROPY times as long as wide */
/* What a kernel writes instead: */
#define LOADS_STORE         16
#define LOADS_ATOMIC        17
#define LOADS_SHARED_STORE  18
#define LOADS_SHARED_ATOMIC 19

/* LOADS_APART: elements between the loads of a turn of the loop. LOADS_TURN(i): where turn i
   begins. Loads of constants take every second of 16 neighbours: NVIDIA's constant cache has only
   2 KiB, and if threads were at different turns with eight lines each, it would miss. */
#if defined(RESOURCE) && RESOURCE == LOADS_CONSTANT
#define LOADS_APART   2
#define LOADS_TURN(i) ((i) / 2 * (2 * LOADS_FLIGHT) + (i) % 2)
#else
#define LOADS_APART   LOADS_STRIDE
#define LOADS_TURN(i) (i)
#endif

#endif
