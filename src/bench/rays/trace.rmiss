// SPDX-License-Identifier: MIT
#version 460
// Called if a ray hits nothing. It does nothing, because the payload was set to NO_HIT before the
// ray was traced.
#extension GL_EXT_ray_tracing : require

void main() {}
