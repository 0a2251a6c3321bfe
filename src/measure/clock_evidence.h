// SPDX-License-Identifier: MIT
// What clocks are, judged from their readings alone: no device here.
//
// Width. A counter is 64 bits wide where its upper word was ever set. Where it fell within one run
// by more than half of the highest value seen, it wrapped, and the highest bit ever set is its top
// one (RDNA 2 and newer: 20 bits). A value of 2^25 or more without a fall is taken for 32 bits.
// Until one of the three is so, the width is not certain.
//
// Step. The greatest common divisor of all differences between neighbouring readings.
//
// Unit of the device clock. It runs on between the runs, so it is compared with the host's clock
// over all of them: of the first third and of the last third, the run whose end the host saw
// soonest. Within 2 % of 1 ns, or of the unit of time stamps, it is that.
//
// Rate of the core's counter: per tick of the device clock, the median over stretches of half a
// run. Without a device clock, against the spans around the runs: a span encloses the stamps of its
// run, so span / ticks is never too small and the smallest of several is the best; what a run costs
// beside its stamps is taken off, as the shortest runs show it.
//
// Core clock or not. It is none where it ticks like the device clock (same rate to 1e-4, same
// step: lavapipe reads one host clock for both), where there is no device clock and it ticks at
// 1 GHz to 0.5 %, and where it is slower than 150 MHz (a timer's crystal: no core works so slowly
// under load).
#ifndef MEASURE_CLOCK_EVIDENCE_H
#define MEASURE_CLOCK_EVIDENCE_H

#include "measure/clock.h"
#include "measure/clock_kernel.h"

// One workgroup's stamps, in order, and the span around its dispatch.
struct clock_run {
    const struct clock_stamp *stamps;
    size_t count;
    uint32_t turns; // waited between two stamps
    double span_ns;
    double seen_ns; // host time when the run was seen to be done
};

// Width of the core's counter; 0 = not certain yet.
unsigned clock_evidence_bits(const struct clock_run *runs, size_t count);

// Fills all numbers of `clock` from runs in the order of time, at least three, some without turns;
// has_counter and has_device_clock are given. Runs with the most turns count for the rates.
// `stamp_step_ns` is the unit of time stamps, 0 = not known.
void clock_evidence_judge(struct arena *scratch, const struct clock_run *runs, size_t count,
                          double stamp_step_ns, struct measure_clock *clock);

#endif
