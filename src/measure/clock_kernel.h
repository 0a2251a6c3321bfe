// SPDX-License-Identifier: MIT
// The clock kernel (clock.comp, clock.cl) stores stamps: readings of the device's clocks. They show
// the properties of these clocks and the speed of the cores.
#ifndef MEASURE_CLOCK_KERNEL_H
#define MEASURE_CLOCK_KERNEL_H

#include "measure/clock.h"

// ---------------------------------------------------------------- the kernel

// A stamp of the clock kernel: a reading of the core's counter and, right after it, of the
// device-wide clock. A clock that the device lacks reads 0.
struct clock_stamp {
    uint64_t core, device;
};

// Returns the maximum number of iterations between two stamps, for `stamps` stamps per workgroup.
uint32_t clock_kernel_iterations(uint32_t stamps);

// Returns how many workgroups of the clock kernel run before each sample, and again after it: two
// per core, but at most 1024. With two per core, almost every core runs at least one workgroup.
// Returns 64 if the number of cores is not known.
uint32_t clock_kernel_groups(const struct gpu_info *info);

struct clock_dispatch {
    struct gpu_program *program;
    // Buffer for the stamps. The kernel writes clock_kernel_bytes(groups, stamps) bytes from
    // `offset` on.
    struct gpu_buffer *buffer;
    uint64_t offset;
    uint32_t groups; // number of workgroups; each writes its own stamps
    uint32_t stamps; // number of stamps (clock readings) per workgroup
    // Iterations of the loop that waits between two stamps, each of 16 xorshift steps. The kernel
    // itself adds 0 to 7.
    uint32_t iterations;
};

// Returns the number of bytes that a dispatch of the clock kernel writes, rounded up to the
// alignment of buffer offsets. Another dispatch can write directly behind these bytes.
uint64_t clock_kernel_bytes(uint32_t groups, uint32_t stamps);

void clock_kernel_dispatch(struct gpu_batch *batch, const struct clock_dispatch *dispatch);

// Read what a dispatch wrote from `words` on, for workgroup number `group`: the id of its core
// (UINT32_MAX if not known), and its stamp number `stamp`.
uint32_t clock_kernel_core(const uint32_t *words, uint32_t stamps, uint32_t group);
struct clock_stamp clock_kernel_stamp(const uint32_t *words, uint32_t stamps, uint32_t group,
                                      uint32_t stamp);

// Returns the number of cores on which the `groups` workgroups of a dispatch ran (one stamp each);
// 0 if any of them does not know its core.
unsigned clock_kernel_cores(struct arena *scratch, const uint32_t *words, uint32_t groups);

// ---------------------------------------------------------------- computed from stamps

// A run of the clock kernel: the stamps of one workgroup in time order, and the device time of the
// dispatch (span_ns).
struct clock_run {
    const struct clock_stamp *stamps;
    size_t count;
    uint32_t iterations; // number of iterations of the wait between two stamps
    double span_ns;
    // Host time in ns right before the host submitted the run, and when it noticed the run's end.
    double asked_ns, seen_ns;
};

// Returns the width of the core's counter in bits; 0 if the runs do not show the width yet. Three
// observations show it:
// - A reading has more than 32 bits: the width is the number of bits in use, or 64 if more than 56
//   are in use. Too small a width does no harm, because no interval lasts 2^33 ticks; too large a
//   width gives wrong intervals if the counter wraps.
// - Within a run, the value fell by more than half of the highest value. The counter has then
//   wrapped, and its top bit is the highest bit ever set (RDNA 2 and newer: 20 bits).
// - The counter reached 2^25 without a wrap: the width is taken to be 32 bits.
unsigned clock_evidence_bits(const struct clock_run *runs, size_t count);

// Fills all numbers of `clock` from at least three runs in time order, some of them with 0
// iterations. The caller has set has_counter and has_device_clock; a clock that stands still in all
// runs counts as missing, so its member becomes false. `stamp_step_ns` is the unit of the device's
// time stamps; 0 if not known.
// - Step of a clock: the greatest common divisor of all differences between neighbouring readings.
// - Step of the time stamps: the greatest common divisor of all spans, in units of stamp_step_ns.
// - Tick of the device clock: measured with the host's clock, from the end of a run in the first
//   third of the runs to the end of a run in the last third. In each third, the run whose end the
//   host noticed soonest counts. A result within 2 % of 1 ns, or of stamp_step_ns, becomes exactly
//   1 ns or stamp_step_ns.
// - Rate of the core's counter: its ticks per tick of the device clock, the median over stretches
//   of half a run, in the runs with the most iterations.
// - Rate of the core's counter without a device clock: from the spans of these runs, less the time
//   that a run with 0 iterations takes outside its stamps. A span encloses its stamps, so the
//   smallest quotient span / ticks is the best.
// - Time stamps against the device clock: the span of a run, relative to the time from its first to
//   its last stamp. The smallest such quotient of the runs with the most iterations counts, because
//   other work makes spans longer. Below 0.9 or above 1.1, with two steps of the time stamps and
//   0.1 ms for a dispatch, the time stamps disagree.
// - Time stamps without a device clock, against the host's clock: both measure the shortest run
//   with the most iterations, less the shortest run with 0 iterations. The host measures from
//   asked_ns to seen_ns. The subtraction leaves out the time that the host needs for each run.
//
// A counter does not count core cycles in three cases:
// - It ticks like the device clock: equal rates within 1e-4, and equal steps (lavapipe).
// - There is no device clock, and the counter ticks at 1 GHz ± 0.5 %.
// - It is slower than 150 MHz, so it counts a crystal's ticks: every core under load is faster.
void clock_evidence_judge(struct arena *scratch, const struct clock_run *runs, size_t count,
                          double stamp_step_ns, struct measure_clock *clock);

#endif
