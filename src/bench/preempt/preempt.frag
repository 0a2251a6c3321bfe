// SPDX-License-Identifier: MIT
#version 460
// The kernel of a load (hog or victim) that draws. It does what preempt.comp does, but for tiles of
// 8 × 8 pixels. A tile's first pixel writes the record when its subgroup is done.
#extension GL_GOOGLE_include_directive : require
#include "bench/prelude/clock.glsl"
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require

#include "bench/preempt/work.glsl"

layout(location = 0) out vec4 color;

void main()
{
    const uvec2 start = clock_device();
    const uvec2 at = uvec2(gl_FragCoord.xy), tile = at / PREEMPT_TILE, within = at % PREEMPT_TILE;
    const uint group = params.first_group + tile.y * PREEMPT_TILES_A_ROW + tile.x;
    const uint thread = within.y * PREEMPT_TILE + within.x;
    uint pause;
    const uint x = work(group, thread, start, pause);
    color = unpackUnorm4x8(x);
    subgroupBarrier();
    const uvec2 end = clock_device();
    if (thread == 0u && group % params.stride == 0u)
        write_record(group, start, end, pause, x);
}
