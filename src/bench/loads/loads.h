// SPDX-License-Identifier: MIT
// Sizes that the host and the kernels of this benchmark share.
#ifndef BENCH_LOADS_LOADS_H
#define BENCH_LOADS_LOADS_H

#define LOADS_ELEMENTS   1024 /* elements per buffer: at most 16 KiB, which every L1 holds */
#define LOADS_DEPTH      4    /* number of slices of a 3D texture, or layers of a texture array */
#define LOADS_READ_LAYER 2    /* index of the slice, layer or cube face that kernels read */
#define LOADS_SIDE       32   /* width and height of a texture in texels */
#define LOADS_THREADS    256  /* threads of a workgroup: 256, or 16 × 16 for textures */
#define LOADS_TILE       16
#define LOADS_A_THREAD   256 /* loads per thread: 256 elements in a row, or 16 × 16 texels */
#define LOADS_FLIGHT     8   /* number of loads that share an address computation (fidelity=peak) */
#define LOADS_LANES      4   /* broadcasts or shuffles per turn; subgroups have at least 4 lanes */
#define LOADS_STRIDE     32  /* elements between loads in flight: compilers cannot combine loads */

#define LOADS_ANISOTROPY 4 /* length ÷ width of the footprint of an anisotropic sample */

/* Number of floats that fit in 128 bytes of push constants beside the other parameters. A turn of
   the loop loads every second one of them, so that no two of its loads are neighbours. */
#define LOADS_PUSHED_ELEMENTS 16
#define LOADS_PUSHED_STRIDE   2

/* Values of the build option -DRESOURCE: what a kernel loads. */
#define LOADS_TYPED      0
#define LOADS_RAW        1 /* a raw buffer; compilers know an alignment to 4 bytes only */
#define LOADS_RAW_VECTOR 2 /* a raw buffer, known to be aligned to a load's size or to -DALIGN */
#define LOADS_STRUCTURED 3
#define LOADS_CONSTANT   4
#define LOADS_TEXEL      5
#define LOADS_SAMPLED    6
#define LOADS_NOTHING    7  /* a loop without loads, for comparison */
#define LOADS_STORAGE    8  /* a structured buffer that the kernel may also write */
#define LOADS_HALF       9  /* a structured buffer of 16-bit floats */
#define LOADS_LONG       10 /* a structured buffer of 64-bit words */
#define LOADS_SHARED     11 /* the workgroup's shared memory */
#define LOADS_BROADCAST  12 /* each lane loads one element and broadcasts it to all lanes */
#define LOADS_TEXEL_RW   13 /* a storage texel buffer or storage image of the format -DFORMAT */
#define LOADS_GATHER     14 /* one channel of four texels (a texture gather) */
#define LOADS_TRILINEAR  15 /* samples half way between two levels of detail */
#define LOADS_ARRAY      20 /* a texture array */
#define LOADS_VOLUME     21 /* a 3D texture */
#define LOADS_CUBE       22 /* a cube texture */
#define LOADS_ROW        23 /* a 1D texture */
#define LOADS_LEVELS     24 /* every second thread reads the next smaller level of detail */
#define LOADS_BOUND      25 /* a raw buffer that is bound, not passed by its address */
#define LOADS_BYTES      26 /* a structured buffer of 8-bit integers */
#define LOADS_SHUFFLE    27 /* each lane loads one element; shuffles pass it to other lanes */
#define LOADS_PUSHED     28 /* push constants: the kernel's parameters */
#define LOADS_STRETCHED  29 /* anisotropic samples, LOADS_ANISOTROPY times as long as wide */
/* Values of -DRESOURCE for kernels that write instead of loading: */
#define LOADS_STORE         16
#define LOADS_ATOMIC        17
#define LOADS_SHARED_STORE  18
#define LOADS_SHARED_ATOMIC 19

/* LOADS_APART: distance in elements between the loads of one turn of the loop. LOADS_TURN(i): the
   element, counted from the thread's first one, at which turn i begins. In a constant buffer, the
   eight loads of a turn take every second one of 16 neighbouring elements. If they were further
   apart, each would read another line of NVIDIA's constant cache. It has only 2 KiB, so it would
   miss when threads are at different turns. */
#if defined(RESOURCE) && RESOURCE == LOADS_CONSTANT
#define LOADS_APART   2
#define LOADS_TURN(i) ((i) / 2 * (2 * LOADS_FLIGHT) + (i) % 2)
#else
#define LOADS_APART   LOADS_STRIDE
#define LOADS_TURN(i) (i)
#endif

#endif
