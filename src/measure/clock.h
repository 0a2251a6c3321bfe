// SPDX-License-Identifier: MIT
// The clocks that kernels can read on a device. fathom measures their width, unit and rate. RDNA
// 2's cycle counter has 20 bits; lavapipe's is the low 32 bits of a nanosecond clock.
#ifndef MEASURE_CLOCK_H
#define MEASURE_CLOCK_H

#include "gpu/gpu.h"

struct measure_clock {
    // The next five members describe the core's counter (GLSL clockARB / clock2x32ARB, CUDA
    // clock64).
    bool has_counter;      // true if kernels can read the counter, and it does not stand still
    unsigned counter_bits; // width of the counter, which wraps at 2^counter_bits
    double counter_hz;     // measured rate of the counter in Hz; 0 if not known
    double counter_step;   // smallest step of the counter, in ticks
    // True if the counter counts core cycles; false if it ticks at a fixed rate (lavapipe: 1 GHz),
    // or if there is no counter.
    bool counts_core_clock;
    // The next four members describe the device-wide clock (clockRealtimeEXT, %globaltimer).
    bool has_device_clock; // true if kernels can read the clock, and it does not stand still
    unsigned device_bits;  // width of the device-wide clock, which wraps at 2^device_bits
    double device_tick_ns; // length of one tick of the device-wide clock, in ns
    double device_step_ns; // smallest step of the device-wide clock, in ns
    // Step of the time stamps in ns that the probe saw; 0 if not known. Some drivers round time
    // stamps to a step far above the unit that they state (gpu_limits.stamp_step_ps).
    double stamp_step_ns;
    // Share by which time stamps say more time (above 0) or less (below 0) than the device-wide
    // clock or, if kernels cannot read such a clock, than the host's clock; 0 if they agree. Always
    // 0 for a CPU, whose threads other processes delay.
    double stamps_off;
    // The clock kernel, which measures the core clock; NULL if kernels can read no clock.
    struct gpu_program *program;
    // Time in ns of one iteration of the clock kernel's wait between two stamps.
    double iteration_ns;
    // Buffer, readable by the host, for the stamps (clock readings) before and after a sample. If
    // the pointer is NULL, measure_span_run allocates a buffer at each call.
    struct gpu_buffer *stamps;
};

// Runs the clock kernel for about 20 ms of device time (at most about 0.5 s) and fills `clock` (see
// clock_evidence_judge). If an earlier probe of this device has filled `known`, takes those values
// and only creates the program and the buffer. `known` may be NULL or all 0. `scope` owns the
// program and the buffer, so it must outlive `clock`.
//
// If kernels can read no clock, that is no error: all members of `clock` are 0 or NULL, except
// iteration_ns, stamp_step_ns and stamps_off of a device that is neither a CPU nor a model.
MUST_CHECK bool measure_clock_probe(struct gpu_scope *scope, const struct measure_clock *known,
                                    struct measure_clock *clock, struct error *err);

// Records about `ns` nanoseconds of light work on all cores into the batch. During this work the
// core clock can rise (measure/pace.h). Records nothing if `ns` is 0, or if clock->program or
// clock->stamps is NULL.
void measure_clock_lead(const struct measure_clock *clock, struct gpu_batch *batch, uint64_t ns);

// Returns b − a for two readings of a counter of `bits` bits. The counter may have wrapped once
// between the readings.
uint64_t measure_clock_delta(uint64_t a, uint64_t b, unsigned bits);

// Returns how many bits of the core's counter a kernel has stored: at most 32, because most kernels
// store only the low word. Returns 32 if the counter's width is not known.
unsigned measure_clock_low_bits(const struct measure_clock *clock);

// Returns the 64-bit reading of a clock that a kernel stored, low word first.
uint64_t measure_clock_stamp(const uint32_t words[2]);

// Returns the nanoseconds from reading `from` of the device-wide clock to the later reading `to`.
// The clock must have wrapped at most once between them.
double measure_clock_elapsed_ns(const struct measure_clock *clock, uint64_t from, uint64_t to);

// Returns the nanoseconds from reading `from` of the device-wide clock to reading `to`; negative if
// `to` is the earlier one. They must be less than half of the clock's range apart.
double measure_clock_offset_ns(const struct measure_clock *clock, uint64_t from, uint64_t to);

#endif
