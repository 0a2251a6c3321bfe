// SPDX-License-Identifier: MIT
// What the cases of a session share: queues, programs and the clock of a device.
#ifndef BENCH_OVERLAP_SESSION_H
#define BENCH_OVERLAP_SESSION_H

#include "bench/bench.h"
#include "bench/overlap/scenario.h"
#include "gpu/graphics.h"
#include "measure/clock.h"

// How far the device-wide clock differs between cores. If a core reads a time stamp that another
// core wrote, its own clock must show a later time; otherwise its clock lags behind (skew.comp).
struct overlap_skew {
    double behind_ns; // largest lag of one core's clock behind another's; 0: no lag was seen
    // Shortest time, by the clocks, between the writing of a stamp and its reading by another
    // workgroup. A lag shorter than this cannot be seen. NaN: no such time was measured.
    double reach_ns;
    uint64_t seen;  // number of stamps compared
    unsigned cores; // number of cores compared; 0: not known
};

struct overlap_session {
    // A device opened only for this session, with a bench_session of its own. All zeros: this
    // session uses the benchmark's device.
    struct bench_session own;
    struct gpu_scope *scope;
    // What the first call of overlap_session_urgent returned: a session whose compute queue has
    // high priority or, if the driver refused that, a copy of this session. NULL: it was not
    // called, or failed.
    struct overlap_session *urgent;
    // How the driver answered the request for high priority; NULL: it was not asked.
    const char *priority_text;
    // true: the driver refused high priority, so the compute queue has medium priority.
    bool refused;
    struct measure_clock clock;
    struct overlap_skew skew;
    double resolution_ns; // resolution of the device's clock in ns; shorter times are not trusted
    struct gpu_program *program;
    struct gpu_draw_program *draw_program; // program of workloads that draw; NULL until needed
    // The direct queue and the compute queue; NULL: the device has no such queue.
    struct gpu_queue *queues[OVERLAP_QUEUES_MAX];
    const char *queue_text; // description of the queues for the user
    bool has_cores;         // true: kernels can read the number of their core
    // Token of the last frame. Each frame, and each warm-up before a frame, gets the next number,
    // from 1 on.
    uint32_t token;
};

// Opens a session on the device of `bench` and stores it in bench->state.
MUST_CHECK bool overlap_session_open(struct bench_session *bench, struct error *err);

// Returns a session with a device of its own, whose compute queue has high priority. The first call
// opens it. If the driver refuses high priority, returns a copy of the benchmark's session, with
// `refused` and priority_text set. Returns NULL with ERROR_UNSUPPORTED if the device has no second
// queue or no priorities, or with ERROR_DEVICE_LOST.
struct overlap_session *overlap_session_urgent(struct bench_session *bench, struct error *err);

// Closes the session whose compute queue has high priority, if it is open. Also makes the driver
// stop holding the clocks of the benchmark's device stable.
void overlap_session_close(struct bench_session *bench);

#endif
