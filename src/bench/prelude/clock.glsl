// SPDX-License-Identifier: MIT
// Reads clocks and the core's id in GLSL kernels. Include it first, because it turns extensions on.
// The -D options of a variant say what the device has (gpu_caps). What the device lacks reads as a
// constant, so that one source serves every device:
//
//   -DCORE_CLOCK=1    clock_core(): the core's own counter as (low, high) words. Its width, unit
//                     and rate differ between devices (measure/clock.h probes them). So kernels
//                     store low words, and the host subtracts them with measure_clock_delta()
//   -DDEVICE_CLOCK=1  clock_device(): the device-wide clock as (low, high) words
//   -DCORE_ID=1       core_id(): the core that this workgroup runs on, else CORE_ID_UNKNOWN
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

// Reads the core's counter after `value` has arrived. A plain read would not wait for earlier
// loads. Here a branch needs `value`, and compilers do not move reads of clocks across a branch.
// `never` must be a word that is known only at run time, and that `value` never equals.
uvec2 clock_core_after(uint value, uint never)
{
    if (value == never)
        return uvec2(0);
    return clock_core();
}

#endif
