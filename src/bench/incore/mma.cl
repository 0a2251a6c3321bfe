// SPDX-License-Identifier: MIT
// NVIDIA's matrix units from sm_80 on: chains of D = A·B + D, eight per subgroup. D has 16 × 8
// floats. A row of A has 16 halves, 16 bfloats or 32 bytes of e4m3 (-DFORMAT). The layout of tiles
// in registers is documented (PTX ISA, "Matrix Fragments for mma.m16n8k16"): a thread has two
// neighbouring columns of D in rows of one parity, and the row of A and the column of B with the
// number lane / 4. Odd rows of A and odd columns of B are twice the even ones, so each element of D
// shows whether it got the right row and column.
#include "bench/prelude/prelude.clh"

#include "bench/incore/incore.h"
#include "bench/incore/tiles.clh"

#if FORMAT == INCORE_TILE_F16
#define INSTRUCTION "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"
#elif FORMAT == INCORE_TILE_BF16
#define INSTRUCTION "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32"
#else
#define INSTRUCTION "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32"
#endif

#define CHAINS(S) S(0) S(1) S(2) S(3) S(4) S(5) S(6) S(7)

#if defined(KERNEL_TARGET_PTX)
#define MULTIPLY(d, rows)                                                                          \
    __asm__ volatile(INSTRUCTION                                                                   \
                     " {%0, %1, %2, %3}, {%4, %4, %4, %4}, {%5, %5}, {%0, %1, %2, %3};"            \
                     : "+f"(d.x), "+f"(d.y), "+f"(d.z), "+f"(d.w)                                  \
                     : "r"(rows), "r"(columns));
#else // placeholder for targets other than PTX: compiled, but never run
#define MULTIPLY(d, rows) d += (float)(rows ^ columns);
#endif

#define DECLARE(i)                                                                                 \
    const float start##i = as_float(slots[INCORE_START + TILE_PLACE(i)].x);                        \
    float4 d##i = (float4)(start##i);
// If a GPU's mma instruction has no tiles of bytes (Hopper: only wgmma has them), bytes are
// converted to halves, which are multiplied. If A and B never changed, the compiler would multiply
// them once and add the product in every step: 16 times fewer matrix instructions, counted on an
// H200. So a word that is always 0 makes A seem to change.
#if FORMAT == INCORE_TILE_E4M3
#define CHANGED(d, rows) ((rows) ^ (as_uint(d.x) & zero))
#else
#define CHANGED(d, rows) rows
#endif
#define STEP_PLUS(i)  MULTIPLY(d##i, CHANGED(d##i, rows))
#define STEP_MINUS(i) MULTIPLY(d##i, CHANGED(d##i, less))
#define COMPARE(i)                                                                                 \
    {                                                                                              \
        const float even = start##i + grown * (odd ? 2 : 1), twice = even + grown * (odd ? 2 : 1); \
        right &= d##i.x == even && d##i.y == twice && d##i.z == even && d##i.w == twice;           \
    }

KERNEL void KERNEL_NAME(__global uint *head, __global uint2 *stamps, const struct params params)
{
    const __global uint2 *slots = (const __global uint2 *)(head + INCORE_HEAD);
    const bool odd = local_index() / 4 % 2;
    const uint2 a = slots[INCORE_A], b = slots[INCORE_B];
    const uint rows = odd ? a.y : a.x, columns = odd ? b.y : b.x, less = TILE_LESS(rows);
    const float grown = as_float(slots[INCORE_SECOND].x);
    const uint zero = params.zero;
    (void)stamps, (void)zero;
    CHAINS(DECLARE)
    uint turned = 0;
    NOT_UNROLLED for (uint turn = 0; turn < params.turns; turn++)
    {
        turned++;
        TIMES_4(CHAINS(STEP_PLUS) CHAINS(STEP_MINUS))
    }
#if FORMAT == INCORE_TILE_E4M3
    CHAINS(STEP_PLUS)
#endif
    bool right = turned == params.turns;
    CHAINS(COMPARE)
    if (!right)
        atomic_add_global(head + INCORE_WRONG, 1);
    if (local_index() == 0)
        atomic_add_global(head + INCORE_GROUPS, 1);
}
