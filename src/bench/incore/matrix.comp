// SPDX-License-Identifier: MIT
#version 460
// Multiplies tiles of matrices as matrix.cl does, but with the cooperative matrices of Vulkan. A
// subgroup holds a tile together; the driver decides which thread holds which elements.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_NV_cooperative_matrix : require
#include "bench/prelude/kernel.glsl"

#include "bench/incore/incore.h"

layout(set = 0, binding = 0, std430) buffer Proof
{
    uint head[INCORE_HEAD];
    uvec2 slots[INCORE_SLOTS];
};

#define MEMBER(name) uint name;
layout(push_constant) uniform Params
{
    INCORE_PARAMS(MEMBER)
}
params;

#define HALVES fcoopmatNV<16, gl_ScopeSubgroup, 16, 16>
#define FLOATS fcoopmatNV<32, gl_ScopeSubgroup, 16, 16>

#define CHAINS(S)      S(0) S(1) S(2) S(3)
#define TIMES_4(code)  code code code code
#define TIMES_16(code) TIMES_4(TIMES_4(code))

#define START(i)   uintBitsToFloat(slots[INCORE_START + (gl_WorkGroupID.x + i) % INCORE_PEAK_CHAINS].x)
#define DECLARE(i) FLOATS d##i = FLOATS(START(i));
#define STEP(i)    d##i = coopMatMulAddNV(a, b, d##i);
#define COMPARE(i)                                                                                 \
    for (int e = 0; e < d##i.length(); e++)                                                        \
        right = right && d##i[e] == START(i) + grown;

void main()
{
    const float grown = uintBitsToFloat(slots[INCORE_SECOND].x);
    const HALVES a = HALVES(unpackFloat2x16(slots[INCORE_A].x).x);
    const HALVES b = HALVES(unpackFloat2x16(slots[INCORE_B].x).x);
    CHAINS(DECLARE)
    uint turned = 0u;
    [[dont_unroll]] for (uint turn = 0u; turn < params.turns; turn++) {
        turned++;
        TIMES_16(CHAINS(STEP))
    }
    bool right = turned == params.turns;
    CHAINS(COMPARE)
    if (!right)
        atomicAdd(head[INCORE_WRONG], 1u);
    if (gl_LocalInvocationIndex == 0u)
        atomicAdd(head[INCORE_GROUPS], 1u);
}
