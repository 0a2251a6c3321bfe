// SPDX-License-Identifier: MIT
// One chain on the device and chases over it: built, run, and checked against the closed formula.
#ifndef BENCH_LATENCY_CHASE_H
#define BENCH_LATENCY_CHASE_H

#include "bench/latency/latency.h"
#include "bench/latency/session.h"

#include <stdint.h>

// What the kernels take.
struct latency_params {
#define X(name) uint32_t name;
    LATENCY_PARAMS(X)
#undef X
};

// A chase to run, and what came of it. Hops = LATENCY_UNROLL × (lead + windows × repeats).
struct latency_run {
    bool control;   // the index arithmetic alone
    bool touch;     // before all else the workgroup reads one word in each page
    uint32_t start; // number of the first hop
    uint32_t warm;  // hops before it that the workgroup reads next; 0: none
    uint32_t lead;  // untimed repeats
    uint32_t windows, repeats;

    uint32_t count;         // of the core's counter over all windows and what is between them
    double device_ns;       // the same by the device's clock
    double span_ns;         // of the whole dispatch, by the device's time stamps
    const uint32_t *counts; // of each window, by the core's counter; valid until the next batch
};

// A chain of one case, for the length of a visit.
struct latency_chase {
    struct latency_session *session;
    const struct bench_visit *visit;
    struct latency_case this_case;
    struct latency_shape shape;
    struct gpu_program *program, *control, *awake; // control, awake: NULL where not wanted
    unsigned control_shift;
    struct gpu_arg region;               // the argument that the chain is reached by
    bool has_region;                     // shared: the kernel has its own
    const struct latency_region *memory; // NULL: shared, constant
};

// The parameters that describe the chain; the others are 0.
struct latency_params latency_params_of(const struct latency_chase *chase);

// Programs, memory and the chain itself, built on the device (build.c). Limits and features that
// are missing are ERROR_UNSUPPORTED.
MUST_CHECK bool latency_chase_init(struct latency_chase *chase, struct latency_session *session,
                                   const struct bench_visit *visit, struct error *err);

// Runs the chases one after another in one submission, each in a span of its own, and checks where
// each ended: ERROR_MISMATCH where that is not the closed formula's place.
MUST_CHECK bool latency_chase_run(struct latency_chase *chase, struct latency_run *runs,
                                  unsigned count, struct error *err);

// Hop number start + hops on the lap.
uint32_t latency_chase_hop(const struct latency_chase *chase, uint32_t start, uint64_t hops);

uint64_t latency_run_hops(const struct latency_run *run);

#endif
