// SPDX-License-Identifier: MIT
#version 460
// Called if a ray hits nothing. The payload says so already, so this kernel does nothing.
#extension GL_EXT_ray_tracing : require

void main() {}
