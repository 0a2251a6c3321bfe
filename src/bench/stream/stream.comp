// SPDX-License-Identifier: MIT
#version 460
// The operations of stream.h on arrays. In each step, all loads are issued before the first store.
// Each layer of the grid along z repeats the same pass.
//
// -DOP=STREAM_…  -DDOUBLE=0|1  -DLOADS=…: vectors in flight
// -DRESIDENT=1: workgroups loop over the passes. With -DCORE_ID and -DDEVICE_CLOCK, each of them
// records where and when it ran.
#extension GL_GOOGLE_include_directive : require
#include "bench/prelude/kernel.glsl"
#include "bench/prelude/clock.glsl"
#include "bench/stream/value.glsl"

#define USES_SOURCE  (OP != STREAM_INIT)
#define USES_OTHER   (OP == STREAM_ADD || OP == STREAM_TRIAD || OP == STREAM_DOT)
#define ONLY_READS   (OP == STREAM_READ || OP == STREAM_DOT)
#define IS_STAR      (OP == STREAM_STAR3 || OP == STREAM_STAR5)

#if USES_SOURCE
layout(set = 0, binding = 0, std430) readonly restrict buffer Source
{
    VECTOR at[];
} source;
#endif

#if USES_OTHER
layout(set = 0, binding = 1, std430) readonly restrict buffer Other
{
    VECTOR at[];
} other;
#endif

#define WORDS_BINDING 3
#include "bench/stream/stream.h"
#define WORDS_SLOTS STREAM_SLOTS
#include "bench/prelude/words.glsl"

#if !ONLY_READS
layout(set = 0, binding = 2, std430) writeonly restrict buffer Target
{
    VECTOR at[];
} target;
#endif

#if defined(CORE_ID) && defined(DEVICE_CLOCK)
layout(set = 0, binding = 4, std430) writeonly restrict buffer Places
{
    // For each workgroup: its core, then low words of the device's clock at its begin and end.
    uvec4 at[];
} places;
#endif

layout(push_constant) uniform Params
{
    uint blocks, groups, passes, pitch, advance, reach;
    float value, factor;
} params;

#if DOUBLE
#define LEFT(l, m)    dvec2((l).y, (m).x)
#define RIGHT(m, r)   dvec2((m).y, (r).x)
#define LEFT_2(l, m)  (l)
#define RIGHT_2(m, r) (r)
#define FOLD(v)       ((v).x + (v).y)
#else
#define LEFT(l, m)    vec4((l).w, (m).xyz)
#define RIGHT(m, r)   vec4((m).yzw, (r).x)
#define LEFT_2(l, m)  vec4((l).zw, (m).xy)
#define RIGHT_2(m, r) vec4((m).zw, (r).xy)
#define FOLD(v)       (((v).x + (v).y) + ((v).z + (v).w))
#endif

uvec4 sum = uvec4(0);
VECTOR product = VECTOR(0);

#if IS_STAR
void step_of(uint first)
{
    VECTOR l[LOADS], m[LOADS], r[LOADS];
    [[unroll]] for (uint k = 0; k < LOADS; k++) {
        l[k] = source.at[first + k * WORKGROUP_THREADS];
        m[k] = source.at[first + k * WORKGROUP_THREADS + 1];
        r[k] = source.at[first + k * WORKGROUP_THREADS + 2];
    }
    [[unroll]] for (uint k = 0; k < LOADS; k++) {
        VECTOR near = SCALAR(0.5) * RIGHT(m[k], r[k]) - m[k];
#if OP == STREAM_STAR3
        target.at[first + k * WORKGROUP_THREADS] = SCALAR(0.5) * LEFT(l[k], m[k]) + near;
#else
        VECTOR left = LEFT(l[k], m[k]) + LEFT_2(l[k], m[k]);
        target.at[first + k * WORKGROUP_THREADS] =
            SCALAR(0.25) * left + near + SCALAR(0.5) * RIGHT_2(m[k], r[k]);
#endif
    }
}
#else
void step_of(uint first)
{
    VECTOR a[LOADS], b[LOADS];
    [[unroll]] for (uint k = 0; k < LOADS; k++) {
#if USES_SOURCE
        a[k] = source.at[first + k * WORKGROUP_THREADS];
#endif
#if USES_OTHER
        b[k] = other.at[first + k * WORKGROUP_THREADS];
#endif
    }
    [[unroll]] for (uint k = 0; k < LOADS; k++) {
#if OP == STREAM_READ
        sum += BITS(a[k]);
#elif OP == STREAM_DOT
        product = fma(a[k], b[k], product);
#elif OP == STREAM_INIT
        target.at[first + k * WORKGROUP_THREADS] = VECTOR(params.value);
#elif OP == STREAM_COPY
        target.at[first + k * WORKGROUP_THREADS] = a[k];
#elif OP == STREAM_SCALE
        target.at[first + k * WORKGROUP_THREADS] = SCALAR(params.factor) * a[k];
#elif OP == STREAM_ADD
        target.at[first + k * WORKGROUP_THREADS] = a[k] + b[k];
#else
        target.at[first + k * WORKGROUP_THREADS] = a[k] + SCALAR(params.factor) * b[k];
#endif
    }
}
#endif

uint thread_bits()
{
#if OP == STREAM_READ
    return sum.x + sum.y + sum.z + sum.w;
#elif DOUBLE
    uvec2 bits = unpackDouble2x32(FOLD(product));
    return bits.x + bits.y;
#else
    return floatBitsToUint(FOLD(product));
#endif
}

void main()
{
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    uint begin = clock_device().x;
    uint first = group * params.pitch, end = min(first + params.reach, params.blocks);
#if RESIDENT
    for (uint pass = 0; pass < params.passes; pass++)
#endif
        for (uint block = first; block < end; block += params.advance)
            step_of(block * (WORKGROUP_THREADS * LOADS) + gl_LocalInvocationIndex);
#if ONLY_READS
    if (group < params.groups)
        words_add(group, thread_bits());
#else
    words_add_pass(group, params.groups - 1);
#endif
#if defined(CORE_ID) && defined(DEVICE_CLOCK)
    if (gl_LocalInvocationIndex == 0)
        places.at[group] = uvec4(core_id(), begin, clock_device().x, 0);
#endif
}
