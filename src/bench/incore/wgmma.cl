// SPDX-License-Identifier: MIT
// Hopper's matrix units, with the instruction that only Hopper has: four subgroups together compute
// 64 × 256 floats of D from A and B in shared memory, asynchronously (PTX ISA, "Asynchronous
// Warpgroup Level Matrix Instructions"). A and B are stored in unswizzled blocks of 8 rows (of B:
// columns) of 16 bytes. Odd rows of A and odd columns of B are twice the even ones, which are all
// equal. The layout of D is documented: a thread has pairs of neighbouring columns, in rows of the
// same parity as its lane / 4.
//
// The 128 floats of a thread are PTX registers d00 … d7f, not C variables, so that no compiler
// moves them between the instructions.
#include "bench/prelude/prelude.clh"

#include "bench/incore/incore.h"
#include "bench/incore/tiles.clh"

#define BLOCK_WORDS 8   // number of 16-byte words in a block: 8 rows (of B: columns) of 16 bytes
#define A_BLOCKS    16  // number of blocks of A: 64 rows, each in two blocks
#define BLOCKS      80  // number of blocks of A and B; B has 256 columns, each in two blocks
#define BLOCK_BYTES 128 // bytes to the next block of the same rows; to the next rows: 256 bytes

#define ROW(h)                                                                                     \
    "d" #h "0, d" #h "1, d" #h "2, d" #h "3, d" #h "4, d" #h "5, d" #h "6, d" #h "7, "             \
    "d" #h "8, d" #h "9, d" #h "a, d" #h "b, d" #h "c, d" #h "d, d" #h "e, d" #h "f"
#define ALL                                                                                        \
    ROW(0) ", " ROW(1) ", " ROW(2) ", " ROW(3) ", " ROW(4) ", " ROW(5) ", " ROW(6) ", " ROW(7)
#define EACH_DIGIT(S, h)                                                                           \
    S(h, 0, 1, 2, 3) S(h, 4, 5, 6, 7) S(h, 8, 9, a, b) S(h, c, d, e, f)
#define EACH(S)                                                                                    \
    EACH_DIGIT(S, 0) EACH_DIGIT(S, 1) EACH_DIGIT(S, 2) EACH_DIGIT(S, 3)                            \
    EACH_DIGIT(S, 4) EACH_DIGIT(S, 5) EACH_DIGIT(S, 6) EACH_DIGIT(S, 7)

#if FORMAT == INCORE_TILE_F16
#define MULTIPLY_BY(sign)                                                                          \
    "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {" ALL "}, %0, %1, always, " sign         \
    ", 1, 0, 0;\n"
#define SECOND "1"
#elif FORMAT == INCORE_TILE_BF16
#define MULTIPLY_BY(sign)                                                                          \
    "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {" ALL "}, %0, %1, always, " sign       \
    ", 1, 0, 0;\n"
#define SECOND "1"
#else
#define MULTIPLY_BY(sign)                                                                          \
    "wgmma.mma_async.sync.aligned.m64n256k32.f32.e4m3.e4m3 {" ALL "}, %0, %1, always, " sign       \
    ", 1;\n"
#define SECOND "-1"
#endif
#define PAIR         MULTIPLY_BY("1") MULTIPLY_BY(SECOND)
#define TURN         TIMES_16(PAIR)
#define SET(h, p, q, r, s)                                                                         \
    "mov.f32 d" #h #p ", %0;\nmov.f32 d" #h #q ", %0;\n"                                           \
    "mov.f32 d" #h #r ", %0;\nmov.f32 d" #h #s ", %0;\n"
#define CHECK(d, value) "set.neu.u32.f32 other, d" #d ", " value ";\nor.b32 %0, %0, other;\n"
#define COMPARE(h, p, q, r, s)                                                                     \
    CHECK(h##p, "%1") CHECK(h##q, "%2") CHECK(h##r, "%1") CHECK(h##s, "%2")

#if defined(KERNEL_TARGET_PTX)
INLINE void declare(float start)
{
    __asm__ volatile(".reg .f32 " ALL ";\n"
                     ".reg .pred always;\n"
                     ".reg .u32 other;\n"
                     "setp.eq.u32 always, 0, 0;\n" EACH(SET)::"f"(start)
                     : "memory");
}
INLINE void multiply(ulong a, ulong b)
{
    __asm__ volatile("wgmma.fence.sync.aligned;\n" TURN "wgmma.commit_group.sync.aligned;\n"
                     "wgmma.wait_group.sync.aligned 1;\n" ::"l"(a),
                     "l"(b)
                     : "memory");
}
INLINE void finish(ulong a, ulong b)
{
    __asm__ volatile("wgmma.wait_group.sync.aligned 0;\n"
#if FORMAT == INCORE_TILE_E4M3
                     "wgmma.fence.sync.aligned;\n" MULTIPLY_BY("1") //
                     "wgmma.commit_group.sync.aligned;\n"
                     "wgmma.wait_group.sync.aligned 0;\n"
#endif
                     ::"l"(a),
                     "l"(b)
                     : "memory");
}
INLINE uint differing(float even, float twice)
{
    uint wrong = 0;
    __asm__ volatile(EACH(COMPARE) : "+r"(wrong) : "f"(even), "f"(twice) : "memory");
    return wrong;
}
// Makes what threads wrote to shared memory visible to the matrix units.
INLINE void fence(void)
{
    __asm__ volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
#else // placeholders for targets other than PTX: compiled, but never run
#define declare(start)          (void)(start)
#define multiply(a, b)          (void)(a ^ b)
#define finish(a, b)            (void)(a ^ b)
#define differing(even, twice)  (even != twice)
#define fence()                 (void)0
#endif

// Returns the descriptor of a matrix in shared memory, as wgmma instructions need it.
INLINE ulong descriptor(const __local uint4 *blocks)
{
    const uint place = (uint)(ulong)blocks;
    return (place >> 4 & 0x3fff) | BLOCK_BYTES / 16 << 16 | (ulong)(2 * BLOCK_BYTES / 16) << 32;
}

KERNEL void KERNEL_NAME(__global uint *head, __global uint2 *stamps, const struct params params)
{
    __local uint4 blocks[BLOCKS * BLOCK_WORDS] __attribute__((aligned(128)));
    const __global uint2 *slots = (const __global uint2 *)(head + INCORE_HEAD);
    const uint2 a = slots[INCORE_A], b = slots[INCORE_B];
    const float start = as_float(slots[INCORE_START + TILE_PLACE(0)].x);
    const float grown = as_float(slots[INCORE_SECOND].x);
    (void)stamps;
    for (uint i = local_index(); i < BLOCKS * BLOCK_WORDS; i += WORKGROUP_X) {
        const uint2 both = i < A_BLOCKS * BLOCK_WORDS ? a : b;
        blocks[i] = (uint4)(i % 2 ? both.y : both.x);
    }
    fence();
    workgroup_barrier();
    const ulong rows = descriptor(blocks), columns = descriptor(blocks + A_BLOCKS * BLOCK_WORDS);
    declare(start);
    uint turned = 0;
    NOT_UNROLLED for (uint turn = 0; turn < params.turns; turn++)
    {
        turned++;
        multiply(rows, columns);
    }
    finish(rows, columns);
    const float step = local_index() / 4 % 2 ? 2 * grown : grown;
    if (turned != params.turns || differing(start + step, start + 2 * step))
        atomic_add_global(head + INCORE_WRONG, 1);
    if (local_index() == 0)
        atomic_add_global(head + INCORE_GROUPS, 1);
}
