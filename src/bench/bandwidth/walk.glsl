// SPDX-License-Identifier: MIT
// The way of a workgroup through memory, in blocks; all of it comes at run time (work.c chooses
// it). Reads go round: workgroup g works in place g % chunks, which it enters `turn` blocks further
// in than the one before it there. Writes and copies go straight and divide nowhere: the time from
// a workgroup's start to its first access is what one-shot grids are made of; for them, a grid's z
// counts passes that all are the same.
#ifndef BENCH_BANDWIDTH_WALK_GLSL
#define BENCH_BANDWIDTH_WALK_GLSL

#include "bench/bandwidth/bandwidth.h"

#define WALK_PARAMS                                                                                \
    uint groups;  /* workgroups with work; the grid may be larger */                               \
    uint chunks;  /* places */                                                                     \
    uint pitch;   /* blocks from one place to the next */                                          \
    uint turn;    /* blocks */                                                                     \
    uint extent;  /* blocks of a place */                                                          \
    uint advance; /* blocks from step to step: rows of a workgroup, modulo extent */               \
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
