// SPDX-License-Identifier: MIT
#version 460
// Ray i starts at (0, i, 0) and goes along x. Out: candidates that asked the kernel (none of them is
// accepted), and number, instance and distance of the hit; all bits set for a miss.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_ray_query : require
#include "bench/prelude/kernel.glsl"

layout(set = 0, binding = 0) buffer Hits
{
    uvec4 hits[];
};

layout(push_constant) uniform Params
{
    uvec2 tree;
    uint mask;
} params;

void main()
{
    uint i = gl_GlobalInvocationID.x;
    uint candidates = 0;
    rayQueryEXT query;
    rayQueryInitializeEXT(query, accelerationStructureEXT(params.tree), 0, params.mask,
                          vec3(0, i, 0), 0, vec3(1, 0, 0), 1000);
    while (rayQueryProceedEXT(query))
        candidates++;
    hits[i] = uvec4(candidates, ~0u, ~0u, ~0u);
    if (rayQueryGetIntersectionTypeEXT(query, true) == gl_RayQueryCommittedIntersectionNoneEXT)
        return;
    hits[i].y = rayQueryGetIntersectionPrimitiveIndexEXT(query, true);
    hits[i].z = rayQueryGetIntersectionInstanceCustomIndexEXT(query, true);
    hits[i].w = floatBitsToUint(rayQueryGetIntersectionTEXT(query, true));
}
