// SPDX-License-Identifier: MIT
// The clocks that kernels can read on a device, probed once a session: their width, unit and rate
// are measured, never assumed (RDNA 2's cycle counter has 20 bits; lavapipe's is the low 32 bits of
// nanoseconds).
#ifndef MEASURE_CLOCK_H
#define MEASURE_CLOCK_H

#include "gpu/gpu.h"

struct measure_clock {
    // The core's counter (GLSL clockARB / clock2x32ARB, CUDA clock64).
    bool has_counter;
    unsigned counter_bits;  // it wraps at 2^bits
    double counter_hz;      // rate during the probe; 0 = not known
    double counter_step;    // greatest common divisor of the differences seen, in its own units
    bool counts_core_clock; // false: it ticks at a fixed rate (1 GHz on lavapipe); no cycles then
    // The device-wide clock (clockRealtimeEXT, %globaltimer).
    bool has_device_clock;
    unsigned device_bits;  // it wraps at 2^bits
    double device_tick_ns; // length of one unit
    double device_step_ns; // as counter_step
    // The clock kernel, by which measure_span_run reads the core clock. NULL: there is no clock.
    struct gpu_program *program;
    double iteration_ns; // of its waiting loop, during the probe
    // Host memory for its stamps, large enough for every span. NULL: each span allocates its own.
    struct gpu_buffer *stamps;
};

// Runs the clock kernel for some 20 ms of device time, at most about 0.2 s, and fills `clock`
// (measure/clock_kernel.h says how). For a device without clocks all members are false, which is no
// error. `scope` holds the program, so it must live as long as `clock` is used.
MUST_CHECK bool measure_clock_probe(struct gpu_scope *scope, struct measure_clock *clock,
                                    struct error *err);

// b − a of a counter `bits` wide that wrapped at most once.
uint64_t measure_clock_delta(uint64_t a, uint64_t b, unsigned bits);

// Bits of the core's counter, at most 32: most kernels store only its low word.
unsigned measure_clock_low_bits(const struct measure_clock *clock);

// A stamp of the device-wide clock as kernels store it: the low word, then the high word.
uint64_t measure_clock_stamp(const uint32_t words[2]);

// Nanoseconds from stamp `from` to the later stamp `to` of the device-wide clock, which wrapped at
// most once between them.
double measure_clock_elapsed_ns(const struct measure_clock *clock, uint64_t from, uint64_t to);

// The same if `to` may be the earlier one: the result is negative then. The stamps must lie less
// than half of the clock's range apart.
double measure_clock_offset_ns(const struct measure_clock *clock, uint64_t from, uint64_t to);

#endif
