// SPDX-License-Identifier: MIT
// The clocks that kernels can read on a device, probed once a session: width, unit and rate are
// measured, never assumed (RDNA 2's cycle counter has 20 bits; lavapipe's is nanoseconds cut to
// 32).
#ifndef MEASURE_CLOCK_H
#define MEASURE_CLOCK_H

#include "gpu/gpu.h"

struct measure_clock {
    // The core's counter (GLSL clockARB / clock2x32ARB, CUDA clock64).
    bool has_counter;
    unsigned counter_bits;  // it wraps at 2^bits
    double counter_hz;      // rate during the probe; 0 = not known
    double counter_step;    // smallest difference seen, in its own units
    bool counts_core_clock; // false: cycles are null (it ticks at a fixed rate, 1 GHz on lavapipe)
    // The device-wide clock (clockRealtimeEXT, %globaltimer).
    bool has_device_clock;
    double device_tick_ns; // length of one unit
    double device_step_ns; // smallest difference seen
};

// Runs the probe kernel on `device`. A device without clocks gives all false, not an error.
MUST_CHECK bool measure_clock_probe(struct gpu_device *device, struct measure_clock *clock,
                                    struct error *err);

// b − a of a counter `bits` wide that wrapped at most once.
uint64_t measure_clock_delta(uint64_t a, uint64_t b, unsigned bits);

#endif
