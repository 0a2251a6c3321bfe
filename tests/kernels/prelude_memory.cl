// SPDX-License-Identifier: MIT
// Loads of each width and path, atomics, shared memory, constants and arithmetic. One workgroup of
// 64; the caller knows what each word must be.
#include "bench/prelude/prelude.clh"

#include "bench/prelude/permute.clh"

struct params {
    uint key;
    uint never;
};

CONSTANT_BUFFER(uint4, table, 2, 1024)

KERNEL void KERNEL_NAME(__global uint *out, const __global uint4 *data, CONSTANT_ARG(uint4, table),
                        const struct params params)
{
    __local uint sum;
    __local uint reversed[WORKGROUP_X];
    const uint id = local_x();
    if (id == 0)
        sum = 0;
    reversed[WORKGROUP_X - 1 - id] = id;
    workgroup_barrier();

    __global uint *mine = out + 16 * (id + 1);
    const __global uint4 *at = data + id;
    mine[0] = load_u32((const __global uint *)at);
    mine[1] = load_u32x2((const __global uint2 *)at).y;
    mine[2] = load_u32x4(at).z;
    mine[3] = (uint)(load_u64((const __global ulong *)at) >> 32);
    mine[4] = load_l2_u32((const __global uint *)at);
    mine[5] = load_l2_u32x2((const __global uint2 *)at).y;
    mine[6] = load_l2_u32x4(at).w;
    mine[7] = (uint)load_l2_u64((const __global ulong *)at);
    mine[8] = table[id].x;
    mine[9] = table[3].w;
    mine[10] = reversed[id];
    mine[11] = multiply_high(params.key, id << 20);
    mine[12] = permute(id, 61, params.key);
    mine[13] = as_uint(fma_f32((float)id, 3.0f, 0.5f));

    const uint2 before = clock_core();
    const uint2 after = clock_core_after(load_u32((const __global uint *)at), params.never);
    mine[14] = after.x - before.x;
    mine[15] = clock_device().x;

    atomic_add_shared(&sum, id);
    workgroup_barrier();
    atomic_add_global(out, sum);
}
