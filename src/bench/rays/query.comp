// SPDX-License-Identifier: MIT
#version 460
// Traces rays with queries: this kernel itself contains the loop through the tree.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_ray_query : require
#include "bench/prelude/kernel.glsl"
#include "bench/rays/trace.glsl"

#if MODE == RAYS_NONE
uvec4 trace(Ray ray)
{
    return uvec4(0, floatBitsToUint(ray.direction.x), params.tree.x, floatBitsToUint(ray.origin.y));
}
#else
const uint FLAGS[] = {0, gl_RayFlagsOpaqueEXT,
                      gl_RayFlagsOpaqueEXT | gl_RayFlagsCullBackFacingTrianglesEXT,
                      gl_RayFlagsNoOpaqueEXT, gl_RayFlagsNoOpaqueEXT};

void answer(rayQueryEXT query, Ray ray)
{
#if MODE == RAYS_ASKED
    if (rayQueryGetIntersectionTypeEXT(query, false) ==
        gl_RayQueryCandidateIntersectionTriangleEXT) {
        rayQueryConfirmIntersectionEXT(query);
        return;
    }
    uint sphere = rayQueryGetIntersectionPrimitiveIndexEXT(query, false);
    float distance = cross_sphere(ray, sphere_of(params.scene, sphere));
    bool nearer = rayQueryGetIntersectionTypeEXT(query, true) ==
                      gl_RayQueryCommittedIntersectionNoneEXT ||
                  distance < rayQueryGetIntersectionTEXT(query, true);
    if (distance >= 0 && nearer)
        rayQueryGenerateIntersectionEXT(query, distance);
#endif
}

uvec4 trace(Ray ray)
{
    uint candidates = 0;
    rayQueryEXT query;
    rayQueryInitializeEXT(query, accelerationStructureEXT(params.tree), FLAGS[MODE], params.mask,
                          ray.origin, 0, ray.direction, RAYS_FAR);
    while (rayQueryProceedEXT(query)) {
        candidates++;
        answer(query, ray);
    }
    if (rayQueryGetIntersectionTypeEXT(query, true) == gl_RayQueryCommittedIntersectionNoneEXT)
        return uvec4(candidates, NO_HIT.yzw);
    return uvec4(candidates, rayQueryGetIntersectionPrimitiveIndexEXT(query, true),
                 rayQueryGetIntersectionInstanceCustomIndexEXT(query, true),
                 floatBitsToUint(rayQueryGetIntersectionTEXT(query, true)));
}
#endif

void main()
{
    trace_at(gl_GlobalInvocationID.x);
}
