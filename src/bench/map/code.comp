// SPDX-License-Identifier: MIT
#version 460
// Runs laps of straight-line code, a series of stretches of 64 to 1024 instructions. A lap executes
// the first `steps` stretches, and then jumps back. After each stretch, a test decides whether it
// was the last one. A compiler must assume that the result of the test differs from lap to lap, so
// it does not make a separate loop for each length.
#include "bench/prelude/clock.glsl"
#include "bench/prelude/kernel.glsl"

#include "bench/map/code_kernels.h"

#define PARAM(name) uint name;
layout(push_constant, std430) uniform Params
{
    CODE_PARAMS(PARAM)
}
p;
#undef PARAM

layout(set = 0, binding = 0, std430) writeonly buffer Out
{
    uint result[];
};

#define CODE_STEP(x, i) x = fma(x, x, CODE_CONSTANT((i) % CODE_CONSTANTS));
#define CODE_LEAVE(n)                                                                              \
    if (last == (n))                                                                               \
        continue;
#define NEXT_HASH                                                                                  \
    CODE_HASH(hash, floatBitsToUint(x0), floatBitsToUint(x1), floatBitsToUint(x2),                 \
              floatBitsToUint(x3))

void main()
{
    const uint thread = gl_LocalInvocationID.x;
    const float start = CODE_START(float(thread & 1u) * float(CODE_CHAINS));
    float x0 = start, x1 = start + 0.0625, x2 = start + 0.125, x3 = start + 0.1875;
    uint hash = 0u;
    for (uint window = 0u; window <= p.windows; window++) {
        const uint laps = window == 0u ? p.lead : p.laps;
        [[dont_unroll]] for (uint lap = 0u; lap < laps; lap++, hash = NEXT_HASH) {
            const uint last = lap < p.never ? p.steps : 1u;
            if (last == 0u)
                continue;
            CODE_LAP
        }
        const uint stamp = clock_core_after(hash, p.never).x;
        if (thread == 0u)
            result[CODE_STAMPS + window] = stamp;
        if (thread == 0u && (window == 0u || window == p.windows)) {
            const uvec2 now = clock_device();
            const uint at = CODE_CLOCKS + (window == 0u ? 0u : 2u);
            result[at] = now.x;
            result[at + 1u] = now.y;
        }
    }
    const uint mine = CODE_ENDS + thread * CODE_KEPT;
    result[mine] = floatBitsToUint(x0);
    result[mine + 1u] = floatBitsToUint(x1);
    result[mine + 2u] = floatBitsToUint(x2);
    result[mine + 3u] = floatBitsToUint(x3);
    result[mine + 4u] = hash;
    result[CODE_DONE] = p.token;
}
