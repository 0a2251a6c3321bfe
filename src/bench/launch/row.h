// SPDX-License-Identifier: MIT
// A row of kernels at work in a visit of `launch`: in one batch, each in a batch of its own, or a
// batch on each of several queues.
#ifndef BENCH_LAUNCH_ROW_H
#define BENCH_LAUNCH_ROW_H

#include "bench/launch/session.h"

enum {
    LAUNCH_IN_FLIGHT = 64, // submissions of LAUNCH_SUBMIT and LAUNCH_SIGNAL, at most
    LAUNCH_IN_FLIGHT_LEAST = 8,
    LAUNCH_ROUND_TRIPS = 16 // in a sample
};

struct launch_row {
    struct bench_visit *run;
    struct launch_session *session;
    struct gpu_scope *scope; // of the batches
    const struct launch_case *this_case;
    uint64_t kernels; // of each batch, or of all
    struct gpu_batch *batches[LAUNCH_IN_FLIGHT];
    size_t batch_count;
    uint64_t done;    // kernels since the data were made
    float signs[2];   // of the data at both ends by the kernels done; [1] is 0 before the first
    double submit_ns; // of a batch or a graph: what the host's call took, a kernel
};

// ---------------------------------------------------------------- queues.c

// A batch of so many kernels on each queue.
MUST_CHECK bool launch_queues_make(struct launch_row *row, uint64_t length, struct error *err);

// All of them at once: host time of a kernel.
MUST_CHECK bool launch_queues_time(struct launch_row *row, double *ns, struct error *err);

// LAUNCH_IN_FLIGHT kernels in a batch each, on the queues in turn.
MUST_CHECK bool launch_signal_make(struct launch_row *row, struct error *err);

// Each behind the one before; where the API can hold the first one back, until all are submitted:
// host time of one.
MUST_CHECK bool launch_signal_time(struct launch_row *row, double *ns, struct error *err);

// ---------------------------------------------------------------- reach.c

struct launch_reach {
    double *to, *back; // ns, a sample each
    double half_ns;    // how far the relation of the clocks may be off
    unsigned answers;  // that it comes from; 0: the API said it
};

// `count` samples of the way of a lone kernel, by the device's clock related to the host's.
MUST_CHECK bool launch_reach_take(struct launch_row *row, unsigned count,
                                  struct launch_reach *reach, struct error *err);

#endif
