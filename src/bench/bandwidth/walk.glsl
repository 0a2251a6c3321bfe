// SPDX-License-Identifier: MIT
// How a workgroup walks through memory, in blocks. work.c chooses the parameters at run time. Reads
// walk in laps: workgroup g uses the part (place) g % chunks of memory, and starts there `turn`
// blocks after the workgroup before it in that place. Writes and copies walk straight on, without
// divisions, because threads of short grids spend most of their time before the first access. Each
// layer of their grid along z repeats the same pass.
#ifndef BENCH_BANDWIDTH_WALK_GLSL
#define BENCH_BANDWIDTH_WALK_GLSL

#include "bench/bandwidth/bandwidth.h"

#define WALK_PARAMS                                                                                \
    uint groups;  /* number of workgroups that do work; the grid may be larger */                  \
    uint chunks;  /* number of parts of memory in which workgroups walk; they may share one */     \
    uint pitch;   /* blocks from the start of one such part of memory to the next start */         \
    uint turn;    /* blocks between the starts of two workgroups that share a part */              \
    uint extent;  /* number of blocks in the part of memory in which a workgroup walks */          \
    uint advance; /* blocks from a step to the next: rows of a workgroup (reads: modulo extent) */ \
    uint steps;                                                                                    \
    uint seed;

uint walk_group()
{
    return gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
}

uint walk_lane()
{
    return gl_LocalInvocationIndex % BANDWIDTH_LANES;
}

uint walk_row()
{
    return gl_LocalInvocationIndex / BANDWIDTH_LANES;
}

#define WALK_PLACE(group) ((group) % params.chunks * params.pitch)
#define WALK_ENTER(group)                                                                          \
    (((group) / params.chunks * params.turn % params.extent + walk_row()) % params.extent)

#define WALK_ON(at)                                                                                \
    at += params.advance;                                                                          \
    at -= at >= params.extent ? params.extent : 0u

#endif
