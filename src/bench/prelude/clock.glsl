// SPDX-License-Identifier: MIT
// The one place where GLSL kernels read clocks and the core's id. Include it first (it turns
// extensions on). A variant says with -D what its device has, as in gpu_caps; what it has not reads
// as a constant, so that one source serves every device:
//
//   -DCORE_CLOCK=1    clock_core(): the core's own counter as (low, high) words. Its width, unit
//                     and rate differ (measure/clock.h probes them): keep raw low words and let
//                     the host subtract, with measure_clock_delta()
//   -DDEVICE_CLOCK=1  clock_device(): the device-wide clock as (low, high) words
//   -DCORE_ID=1       core_id(): which core this workgroup runs on, else CORE_ID_UNKNOWN
#ifndef BENCH_PRELUDE_CLOCK_GLSL
#define BENCH_PRELUDE_CLOCK_GLSL

#if defined(CORE_CLOCK)
#extension GL_ARB_shader_clock : require
#endif
#if defined(DEVICE_CLOCK)
#extension GL_EXT_shader_realtime_clock : require
#endif
#if defined(CORE_ID)
#extension GL_NV_shader_sm_builtins : require
#endif

#define CORE_ID_UNKNOWN 0xffffffffu

uvec2 clock_core()
{
#if defined(CORE_CLOCK)
    return clock2x32ARB();
#else
    return uvec2(0);
#endif
}

uvec2 clock_device()
{
#if defined(DEVICE_CLOCK)
    return clockRealtime2x32EXT();
#else
    return uvec2(0);
#endif
}

uint core_id()
{
#if defined(CORE_ID)
    return gl_SMIDNV;
#else
    return CORE_ID_UNKNOWN;
#endif
}

// Reads the core's counter once `value` is there. A clock read by itself waits for nothing: a load
// issued before it may still be under way. The branch needs the value, and compilers do not move
// clock reads across a branch. `never` must be a run-time word that the value cannot be.
uvec2 clock_core_after(uint value, uint never)
{
    if (value == never)
        return uvec2(0);
    return clock_core();
}

#endif
