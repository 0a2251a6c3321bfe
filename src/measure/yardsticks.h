// SPDX-License-Identifier: MIT
// The yardsticks of a watch (measure/watch.h says what they are for): small fixed pieces of work
// whose rates show other work that runs at the same time.
#ifndef MEASURE_YARDSTICKS_H
#define MEASURE_YARDSTICKS_H

#include "measure/limits.h"
#include "measure/watch.h"

struct yardsticks_desc {
    struct gpu_scope *scope; // owns the buffers and other GPU objects
    const struct gpu_info *info;
    const struct measure_clock *clock; // the device's clocks; must live as long as the yardsticks
    // How the watch looks for other work. With WATCH_GAPS and CUDA, the yardsticks also count the
    // workgroups that run at the same time.
    enum watch_method method;
    struct gpu_program *program; // the clock kernel (measure/clock_kernel.h)
    // Number of workgroups of the clock kernel: one per core, at most 512. It is 64 if the number
    // of cores is not known, and 1 on a model (a simulated device).
    uint32_t groups;
    uint64_t timeout_ns; // maximum wait for one submission, in ns
};

struct yardsticks;

// Creates the yardsticks of a device (small pieces of work whose rates are measured). On a model (a
// simulated device) no rates are measured. Returns NULL with an error.
struct yardsticks *yardsticks_create(struct arena *arena, const struct yardsticks_desc *desc,
                                     struct error *err);

// Measures all yardsticks, and sets their rates and limits in `finding`. `iterations` is the number
// of iterations of the clock kernel in the arithmetic; if it is 0, no rate is measured.
MUST_CHECK bool yardsticks_run(struct yardsticks *yardsticks, uint32_t iterations,
                               struct watch_finding *finding, struct error *err);

// ---------------------------------------------------------------- computed from rates

// Sets the rates of copies within memory and within the last cache to NaN if `core_hz` (NaN: not
// known) is below 90 % of *fastest_hz, and raises *fastest_hz to a higher `core_hz`. The L2 runs at
// about the core clock: at 800 MHz, an H200 copies within memory at 63 % of its best rate.
void yardsticks_drop_slow_clock(double core_hz, double *fastest_hz, struct watch_finding *finding);

// Returns the number of bytes that a copy within the last cache moves. Source and target together
// take at most a quarter of that cache. Returns 0 if the cache is not known or is smaller than 1
// MiB.
uint64_t yardsticks_cache_bytes(const struct measure_limits *limits);

// Returns the number of copies of `bytes` bytes within the last cache, at most 64. Together they
// last as long as the copy within memory, but at most 0.1 ms. The last watch made `passes` copies,
// with `rates`. The result is at least `passes`, because the time stamps' share of a shorter time
// would be larger.
uint32_t yardsticks_cache_passes(uint32_t passes, uint64_t bytes,
                                 const double rates[WATCH_YARDSTICKS]);

#endif
