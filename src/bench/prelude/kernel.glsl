// SPDX-License-Identifier: MIT
// What a GLSL kernel begins with: the extensions that all use and the workgroup size of its line in
// kernels.txt. Include it right after #version and before any declaration; an extension that is
// turned on and not used leaves no trace in the module.
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
