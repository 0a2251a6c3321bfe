// SPDX-License-Identifier: MIT
// Straight-line code: see code.comp.
#include "bench/prelude/prelude.clh"

#include "bench/map/code_kernels.h"

#define PARAM(name) uint name;
struct params {
    CODE_PARAMS(PARAM)
};
#undef PARAM

#define CODE_STEP(x, i) x = fma_f32(x, x, CODE_CONSTANT((i) % CODE_CONSTANTS));
#define CODE_LEAVE(n)                                                                              \
    if (last == (n))                                                                               \
        continue;
#define NEXT_HASH CODE_HASH(hash, as_uint(x0), as_uint(x1), as_uint(x2), as_uint(x3))

KERNEL void KERNEL_NAME(__global uint *result, const struct params p)
{
    const uint thread = local_x();
    const float start = CODE_START((float)(thread & 1u) * CODE_CHAINS);
    float x0 = start, x1 = start + 0.0625f, x2 = start + 0.125f, x3 = start + 0.1875f;
    uint hash = 0;
    NOT_UNROLLED
    for (uint window = 0; window <= p.windows; window++) {
        const uint laps = window == 0 ? p.lead : p.laps;
        NOT_UNROLLED
        for (uint lap = 0; lap < laps; lap++, hash = NEXT_HASH) {
            const uint last = lap < p.never ? p.steps : 1u;
            if (last == 0)
                continue;
            CODE_LAP
        }
        const uint stamp = clock_core_after(hash, p.never).x;
        if (thread == 0)
            result[CODE_STAMPS + window] = stamp;
        if (thread == 0 && (window == 0 || window == p.windows)) {
            const uint2 now = clock_device();
            const uint at = CODE_CLOCKS + (window == 0 ? 0 : 2);
            result[at] = now.x;
            result[at + 1] = now.y;
        }
    }
    __global uint *mine = result + CODE_ENDS + thread * CODE_KEPT;
    mine[0] = as_uint(x0);
    mine[1] = as_uint(x1);
    mine[2] = as_uint(x2);
    mine[3] = as_uint(x3);
    mine[4] = hash;
    result[CODE_DONE] = p.token;
}
