// SPDX-License-Identifier: MIT
// The beginning of a GLSL kernel: common extensions, and the size of a workgroup, from the kernel's
// line in kernels.txt. Include it after #version and clock.glsl, before any declaration. Extensions
// that are enabled but not used leave no trace in the SPIR-V module.
#ifndef BENCH_PRELUDE_KERNEL_GLSL
#define BENCH_PRELUDE_KERNEL_GLSL

#extension GL_EXT_buffer_reference : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_samplerless_texture_functions : require
#extension GL_EXT_shader_atomic_int64 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_basic : require

layout(local_size_x = WORKGROUP_X, local_size_y = WORKGROUP_Y, local_size_z = WORKGROUP_Z) in;

const uint WORKGROUP_THREADS = WORKGROUP_X * WORKGROUP_Y * WORKGROUP_Z;

#endif
