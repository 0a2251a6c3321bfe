// SPDX-License-Identifier: MIT
#version 460
// The ray hit nothing, as the record says already.
#extension GL_EXT_ray_tracing : require

void main() {}
