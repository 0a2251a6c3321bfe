// SPDX-License-Identifier: MIT
// The way of a workgroup through memory, in blocks; all of it comes at run time (work.c chooses
// it). Workgroup g of a pass works in place g: it enters at `turn` blocks further in than its
// neighbour, and goes round. A grid's z counts passes, which all are the same.
//
// There is no division on the way of kernels that go straight (turn = 0): the time from a
// workgroup's start to its first access is what one-shot grids are made of.
#ifndef BENCH_BANDWIDTH_WALK_GLSL
#define BENCH_BANDWIDTH_WALK_GLSL

#include "bench/bandwidth/bandwidth.h"

#define WALK_PARAMS                                                                                \
    uint groups;  /* workgroups with work a pass; the grid may be larger */                        \
    uint pitch;   /* blocks from one place to the next; 0: all work in the same place */           \
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

// Where a row enters; where rows are fewer than the blocks of a place, or there is a turn.
#define WALK_ENTER(group) ((walk_row() + (group) * params.turn % params.extent) % params.extent)

#define WALK_ON(at)                                                                                \
    at += params.advance;                                                                          \
    at -= at >= params.extent ? params.extent : 0u

#endif
