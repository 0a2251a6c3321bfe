// SPDX-License-Identifier: MIT
// How a workgroup walks through memory, in blocks. work.c chooses the parameters at run time. Reads
// walk through a part of memory (a place) in laps. Workgroup g uses place g % chunks; the
// workgroups that share a place start `turn` blocks apart. Writes and copies walk straight on,
// without divisions, because threads of short grids spend most of their time before the first
// access. Each layer of their grid along z repeats the same pass.
#ifndef BENCH_BANDWIDTH_WALK_GLSL
#define BENCH_BANDWIDTH_WALK_GLSL

#include "bench/bandwidth/bandwidth.h"

#define WALK_PARAMS                                                                                \
    uint groups;  /* number of workgroups that do work; the grid may be larger */                  \
    uint chunks;  /* number of places: parts of memory that workgroups walk through */             \
    uint pitch;   /* blocks from the start of a place to the start of the next place */            \
    uint turn;    /* blocks between the starts of two workgroups that share a place */             \
    uint extent;  /* number of blocks in a place */                                                \
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
