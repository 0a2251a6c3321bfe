// SPDX-License-Identifier: MIT
// The clock kernel (clock.comp, clock.cl), whose stamps show what a device's clocks are and how
// fast its cores run. For clock.c, span.c and tests.
#ifndef MEASURE_CLOCK_KERNEL_H
#define MEASURE_CLOCK_KERNEL_H

#include "measure/clock.h"

// ---------------------------------------------------------------- the kernel

// Both clocks, read right after each other.
struct clock_stamp {
    uint64_t core, device;
};

// Workgroups beside a span: two for each core, so that hardly a core is missed.
uint32_t clock_kernel_groups(const struct gpu_info *info);

struct clock_dispatch {
    struct gpu_program *program;
    struct gpu_buffer *buffer; // clock_kernel_bytes from `offset` on
    uint64_t offset;
    uint32_t groups;     // each writes its own stamps
    uint32_t stamps;     // of a group
    uint32_t iterations; // of the wait between two stamps; one is 16 steps of xorshift
};

// Bytes that a dispatch writes, rounded up so that another may follow in the buffer.
uint64_t clock_kernel_bytes(uint32_t groups, uint32_t stamps);

void clock_kernel_dispatch(struct gpu_batch *batch, const struct clock_dispatch *dispatch);

// What group `group` wrote, with `words` from `offset` on: the id of its core (CORE_ID_UNKNOWN =
// UINT32_MAX), and its stamp number `stamp`.
uint32_t clock_kernel_core(const uint32_t *words, uint32_t stamps, uint32_t group);
struct clock_stamp clock_kernel_stamp(const uint32_t *words, uint32_t stamps, uint32_t group,
                                      uint32_t stamp);

// ---------------------------------------------------------------- from readings alone

// One workgroup's stamps, in order, and the span around its dispatch.
struct clock_run {
    const struct clock_stamp *stamps;
    size_t count;
    uint32_t iterations; // of the wait between two stamps
    double span_ns;
    double seen_ns; // host time when the host saw the end of the run
};

// Width of the core's counter; 0 = not certain yet.
//
// A counter is 64 bits wide if its upper word was ever set. If it fell within one run by more than
// half of the highest value seen, it wrapped, and the highest bit ever set is its top one (RDNA 2
// and newer: 20 bits). A value of 2^25 or more without a fall counts as 32 bits.
unsigned clock_evidence_bits(const struct clock_run *runs, size_t count);

// Fills all numbers of `clock` from at least three runs in the order of time, some of them without
// iterations. The caller has set has_counter and has_device_clock. The runs with the most
// iterations give the rates. `stamp_step_ns` is the unit of time stamps, 0 = not known.
//
// Step: the greatest common divisor of all differences between neighbouring readings.
//
// Unit of the device clock: it runs on between the runs, so it is compared with the host's clock
// over all of them, from one run of the first third to one of the last third: of each third, the
// run whose end the host saw soonest. A result within 2 % of 1 ns, or of the unit of time stamps,
// is rounded to that.
//
// Rate of the core's counter: per tick of the device clock, the median over stretches of half a
// run. Without a device clock, against the spans around the runs: a span encloses the stamps of its
// run, so span / ticks is never too small and the smallest of several is the best. The shortest
// runs show what a run costs beside its stamps; that is subtracted.
//
// The counter is no core clock if it ticks like the device clock (same rate to 1e-4, same step:
// lavapipe reads one host clock for both), if there is no device clock and it ticks at 1 GHz to
// 0.5 %, or if it is slower than 150 MHz (a timer's crystal: no core is so slow under load).
void clock_evidence_judge(struct arena *scratch, const struct clock_run *runs, size_t count,
                          double stamp_step_ns, struct measure_clock *clock);

#endif
