// SPDX-License-Identifier: MIT
// The clock kernel (clock.comp, clock.cl), whose stamps show what a device's clocks are and how
// fast its cores run. For clock_probe.c, span.c and tests.
#ifndef MEASURE_CLOCK_KERNEL_H
#define MEASURE_CLOCK_KERNEL_H

#include "measure/clock.h"

// ---------------------------------------------------------------- the kernel

// Both clocks, read right after each other.
struct clock_stamp {
    uint64_t core, device;
};

// Returns the largest number of iterations of a dispatch whose groups store `stamps` stamps each.
uint32_t clock_kernel_iterations(uint32_t stamps);

// Returns the number of workgroups of each dispatch before and after a span: two per core, so that
// almost every core runs one; 64 if the number of cores is unknown; at most 1024.
uint32_t clock_kernel_groups(const struct gpu_info *info);

struct clock_dispatch {
    struct gpu_program *program;
    // The kernel writes clock_kernel_bytes(groups, stamps) bytes from `offset` on.
    struct gpu_buffer *buffer;
    uint64_t offset;
    uint32_t groups; // number of workgroups; each writes its own stamps
    uint32_t stamps; // number of stamps per group
    // Iterations (`turns` in the kernel) of the wait between two stamps; the kernel adds 0 to 7.
    // One iteration has 16 xorshift steps.
    uint32_t iterations;
};

// Bytes that a dispatch writes, rounded up so that another dispatch may write after them.
uint64_t clock_kernel_bytes(uint32_t groups, uint32_t stamps);

void clock_kernel_dispatch(struct gpu_batch *batch, const struct clock_dispatch *dispatch);

// These two functions return what group `group` wrote: the id of its core (UINT32_MAX: not known),
// and its stamp number `stamp`. `words` is the buffer's contents from `offset` on.
uint32_t clock_kernel_core(const uint32_t *words, uint32_t stamps, uint32_t group);
struct clock_stamp clock_kernel_stamp(const uint32_t *words, uint32_t stamps, uint32_t group,
                                      uint32_t stamp);

// ---------------------------------------------------------------- from readings alone

// The stamps of one workgroup in time order, and the length of the span around its dispatch.
struct clock_run {
    const struct clock_stamp *stamps;
    size_t count;
    uint32_t iterations; // length of the wait between two stamps, as in struct clock_dispatch
    double span_ns;
    double seen_ns; // host time when the host saw the end of the run
};

// Returns the width of the core's counter in bits; 0 if it is not certain yet.
//
// If the upper word was ever set, the width is the number of bits in use, from 33 on. The counter
// may be wider, but intervals modulo 2^33 are right all the same, because no interval lasts so many
// ticks. A width of 64 would be wrong for a counter of 36 or 40 bits that wraps within an interval.
// Above 56 bits the width is 64. If the value fell within one run by more than half of the highest
// value seen, the counter wrapped, and the highest bit ever set is its top bit (RDNA 2 and newer:
// 20 bits). A counter that reached 2^25 and never wrapped is taken as 32 bits.
unsigned clock_evidence_bits(const struct clock_run *runs, size_t count);

// Fills all numbers of `clock` from at least three runs in time order, some of them with 0
// iterations. The caller has set has_counter and has_device_clock. The rates come from the runs
// with the most iterations. `stamp_step_ns` is the unit of time stamps; 0: not known.
//
// Step: the greatest common divisor of all differences between neighbouring readings.
//
// Unit of the device clock: this clock does not stop between runs, so its ticks are compared with
// the host's time between two runs far apart. One is from the first third of the runs, one from the
// last third: the run of that third whose end the host saw soonest. A result within 2 % of 1 ns, or
// of the unit of time stamps, is rounded to that.
//
// Rate of the core's counter: ticks per tick of the device clock, the median over stretches of half
// a run. Without a device clock, the ticks are compared with the spans around the runs: a span
// encloses the stamps of its run, so span / ticks is never too small, and the smallest quotient is
// the best. The runs with 0 iterations show the time of a run beside its stamps; it is subtracted.
//
// The counter is not a core clock if it ticks like the device clock (rates equal within 1e-4, same
// step: lavapipe reads one host clock for both), if there is no device clock and it ticks at 1 GHz
// ± 0.5 %, or if it is slower than 150 MHz (a timer's crystal: no core is so slow under load).
void clock_evidence_judge(struct arena *scratch, const struct clock_run *runs, size_t count,
                          double stamp_step_ns, struct measure_clock *clock);

#endif
