// SPDX-License-Identifier: MIT
// NVIDIA's matrix units: chains of D = A·B + D on tiles of 16 × 16 × 16, four chains per subgroup.
// A and B have halves, D has floats. The layout of a tile in registers is not documented. So all
// elements of A are a, and all of B are b: whatever the layout is, each element of D grows by
// 16·a·b per step.
#include "bench/prelude/prelude.clh"

#include "bench/incore/incore.h"
#include "bench/incore/tiles.clh"

// The chains of a subgroup. In an iteration of the loop they make INCORE_BLOCK steps together.
#define CHAINS(S) S(0) S(1) S(2) S(3)

// A tile of floats in the registers of a thread.
struct tile {
    float4 low, high;
};

#if defined(KERNEL_TARGET_PTX)
#define MULTIPLY(d)                                                                                \
    __asm__("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, "   \
            "{%8, %8, %8, %8, %8, %8, %8, %8}, {%9, %9, %9, %9, %9, %9, %9, %9}, "                 \
            "{%0, %1, %2, %3, %4, %5, %6, %7};"                                                    \
            : "+f"(d.low.x), "+f"(d.low.y), "+f"(d.low.z), "+f"(d.low.w), "+f"(d.high.x),          \
              "+f"(d.high.y), "+f"(d.high.z), "+f"(d.high.w)                                       \
            : "r"(a), "r"(b));
#else // placeholder for targets other than PTX: compiled, but never run
#define MULTIPLY(d) d.low += (float)(a ^ b);
#endif

#define DECLARE(i)                                                                                 \
    const float start##i = as_float(slots[INCORE_START + TILE_PLACE(i)].x);                        \
    struct tile d##i = {(float4)(start##i), (float4)(start##i)};
#define STEP(i) MULTIPLY(d##i)
#define COMPARE(i)                                                                                 \
    {                                                                                              \
        const float end = start##i + grown;                                                       \
        const float4 low = d##i.low, high = d##i.high;                                             \
        right &= low.x == end && low.y == end && low.z == end && low.w == end && high.x == end &&  \
                 high.y == end && high.z == end && high.w == end;                                  \
    }

KERNEL void KERNEL_NAME(__global uint *head, __global uint2 *stamps, const struct params params)
{
    const __global uint2 *slots = (const __global uint2 *)(head + INCORE_HEAD);
    const uint a = slots[INCORE_A].x, b = slots[INCORE_B].x;
    const float grown = as_float(slots[INCORE_SECOND].x);
    (void)stamps;
    CHAINS(DECLARE)
    uint turned = 0;
    NOT_UNROLLED for (uint turn = 0; turn < params.turns; turn++)
    {
        turned++;
        TIMES_16(CHAINS(STEP))
    }
    bool right = turned == params.turns;
    CHAINS(COMPARE)
    if (!right)
        atomic_add_global(head + INCORE_WRONG, 1);
    if (local_index() == 0)
        atomic_add_global(head + INCORE_GROUPS, 1);
}
