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
    unsigned counter_bits;  // the counter wraps at 2^counter_bits
    double counter_hz;      // rate during the probe; 0: not known
    double counter_step;    // in ticks: greatest common divisor of the differences seen
    bool counts_core_clock; // false: it ticks at a fixed rate (1 GHz on lavapipe), not in cycles
    // The device-wide clock (clockRealtimeEXT, %globaltimer).
    bool has_device_clock;
    unsigned device_bits;  // the clock wraps at 2^device_bits
    double device_tick_ns; // length of one tick
    double device_step_ns; // in ns: greatest common divisor of the differences seen
    // The clock kernel, with which measure_span_run reads the core clock. NULL: no clock exists.
    struct gpu_program *program;
    double iteration_ns; // time of one iteration of the kernel's waiting loop, during the probe
    // Host memory for the kernel's stamps, large enough for every span. NULL: each span allocates
    // its own.
    struct gpu_buffer *stamps;
};

// Runs the clock kernel for some 20 ms of device time, at most about 0.2 s, and fills `clock`
// (measure/clock_kernel.h says how). For a device without clocks all members are false, which is no
// error. `scope` holds the program, so it must live as long as `clock` is used.
MUST_CHECK bool measure_clock_probe(struct gpu_scope *scope, struct measure_clock *clock,
                                    struct error *err);

// Records some `ns` of work for all cores that needs little power. It gives the core clock time to
// rise before the work that is recorded after it (measure/pace.h). Does nothing for 0 ns, or
// without a clock kernel.
void measure_clock_lead(const struct measure_clock *clock, struct gpu_batch *batch, uint64_t ns);

// Returns b − a, two readings of a counter of `bits` bits that wrapped at most once between them.
uint64_t measure_clock_delta(uint64_t a, uint64_t b, unsigned bits);

// Returns the width of the core's counter as kernels store it: at most 32 bits, because most of
// them store only the low word. 32 if the width is unknown.
unsigned measure_clock_low_bits(const struct measure_clock *clock);

// Returns the stamp of the device-wide clock that a kernel stored as two words, the low word first.
uint64_t measure_clock_stamp(const uint32_t words[2]);

// Nanoseconds from stamp `from` to the later stamp `to` of the device-wide clock, which wrapped at
// most once between them.
double measure_clock_elapsed_ns(const struct measure_clock *clock, uint64_t from, uint64_t to);

// Like measure_clock_elapsed_ns, but for stamps in any order: negative if `to` is the earlier one.
// The stamps must be less than half of the clock's range apart.
double measure_clock_offset_ns(const struct measure_clock *clock, uint64_t from, uint64_t to);

#endif
