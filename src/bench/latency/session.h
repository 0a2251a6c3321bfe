// SPDX-License-Identifier: MIT
// What `latency` keeps between visits: programs, memory, the clocks.
#ifndef BENCH_LATENCY_SESSION_H
#define BENCH_LATENCY_SESSION_H

#include "bench/latency/region.h"
#include "measure/clock.h"

enum {
    LATENCY_RUNS_MAX = 4,      // chases that one batch can report
    LATENCY_OUT_STRIDE = 8192, // bytes from one run's result to the next
    LATENCY_OUT_BYTES = LATENCY_RUNS_MAX * LATENCY_OUT_STRIDE,
    LATENCY_STREAM_BYTES = 1 << 26, // what load=keep-awake reads
};

struct latency_session {
    struct bench_session *bench;
    struct measure_clock clock;
    struct measure_limits limits;
    bool clocked; // kernels read the core's counter and the device's clock
    struct latency_regions regions;
    struct gpu_buffer *constants, *out, *readback, *stream; // as first used; out: at open
    uint32_t token;                                         // of the last run
    double stamp_counts; // what two stamps with no hop between them count; 0 = not known
};

// The benchmark's open(): state of the session.
MUST_CHECK bool latency_open(struct bench_session *bench, struct error *err);

// The program of an embedded kernel; NULL with `err`.
struct gpu_program *latency_program(struct latency_session *session, const char *kernel,
                                    struct error *err);

// How much of a core's memory the kernel has as L1, as in gpu_program_desc: chains in shared memory
// need none, all others as much as can be had.
unsigned latency_l1_percent(const char *kernel);

// Small buffers with one purpose each.
struct gpu_buffer *latency_constants(struct latency_session *session, struct error *err);
struct gpu_buffer *latency_stream(struct latency_session *session, struct error *err);

#endif
