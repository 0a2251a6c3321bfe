// SPDX-License-Identifier: MIT
#version 460
// Called if a ray hits nothing. It does nothing, because the payload already says so.
#extension GL_EXT_ray_tracing : require

void main() {}
