// SPDX-License-Identifier: MIT
#version 460
// Called for the nearest hit of a ray. Stores the primitive, the instance and the distance of this
// hit.
#extension GL_EXT_ray_tracing : require

layout(location = 0) rayPayloadInEXT uvec4 found;

void main()
{
    found.yzw = uvec3(gl_PrimitiveID, gl_InstanceCustomIndexEXT, floatBitsToUint(gl_HitTEXT));
}
