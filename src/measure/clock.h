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
    double counter_step;    // greatest common divisor of the differences seen, in its own units
    bool counts_core_clock; // false: cycles are null (it ticks at a fixed rate, 1 GHz on lavapipe)
    // The device-wide clock (clockRealtimeEXT, %globaltimer).
    bool has_device_clock;
    unsigned device_bits;  // it wraps at 2^bits
    double device_tick_ns; // length of one unit
    double device_step_ns; // as counter_step
    // What measure_span_run reads the core clock with. NULL: there is no clock.
    struct gpu_program *program;
    double turn_ns; // one turn of its waiting loop took during the probe
    // For its stamps, host memory: large enough for every span, which else allocates its own.
    struct gpu_buffer *stamps;
};

// Runs the clock kernel for some 20 ms of device time, at most about 0.2 s. A device without clocks
// gives all false, not an error. `scope` keeps the program: the session's scope, where the clock is
// handed to measure_span_run. How the readings are judged: measure/clock_evidence.h.
MUST_CHECK bool measure_clock_probe(struct gpu_scope *scope, struct measure_clock *clock,
                                    struct error *err);

// b − a of a counter `bits` wide that wrapped at most once.
uint64_t measure_clock_delta(uint64_t a, uint64_t b, unsigned bits);

// Bits of the core's counter within the 32 that most kernels store of it.
unsigned measure_clock_low_bits(const struct measure_clock *clock);

// A stamp of the device-wide clock as kernels store it: the low word, then the high word.
uint64_t measure_clock_stamp(const uint32_t words[2]);

// Nanoseconds from stamp `from` to the later stamp `to` of the device-wide clock, which wrapped at
// most once between them.
double measure_clock_elapsed_ns(const struct measure_clock *clock, uint64_t from, uint64_t to);

// The same where `to` may be the earlier one: then the result is negative. They lie less than half
// of the clock's range apart.
double measure_clock_offset_ns(const struct measure_clock *clock, uint64_t from, uint64_t to);

#endif
