// SPDX-License-Identifier: MIT
// Declares the state that the cases of a session of the benchmark overlap share: the queues, the
// programs, and the clock of a device.
#ifndef BENCH_OVERLAP_SESSION_H
#define BENCH_OVERLAP_SESSION_H

#include "bench/bench.h"
#include "bench/overlap/scenario.h"
#include "gpu/graphics.h"
#include "measure/clock.h"

// How far the device-wide clock differs between cores (skew.comp). A workgroup reads a time stamp
// that another workgroup wrote. If the clock of its core then shows an earlier time than the stamp,
// this clock lags behind.
struct overlap_skew {
    // Largest lag in ns of one core's clock behind another core's clock; 0 if no lag was seen.
    double behind_ns;
    // Shortest time in ns, by the clocks, from the writing of a stamp until another workgroup read
    // it. A shorter lag may remain unseen. NaN if no such time was measured.
    double reach_ns;
    uint64_t seen;  // number of stamps compared
    unsigned cores; // number of cores compared; 0 if it is not known
};

struct overlap_session {
    // Session with a device of its own; all zeros if this struct uses the benchmark's device.
    struct bench_session own;
    struct gpu_scope *scope;
    // The session that overlap_session_urgent returns; NULL until a call of this function succeeds.
    struct overlap_session *urgent;
    // The driver's answer to the request for high priority; NULL if there was no request.
    const char *priority_text;
    // True: the driver did not give high priority, so the compute queue has medium priority.
    bool refused;
    struct measure_clock clock;
    struct overlap_skew skew;
    double resolution_ns; // resolution of the device's clock in ns; shorter times are not trusted
    struct gpu_program *program;
    struct gpu_draw_program *draw_program; // program of workloads that draw; NULL until needed
    // The direct queue and the compute queue; NULL for a queue that the device does not have.
    struct gpu_queue *queues[OVERLAP_QUEUES_MAX];
    const char *queue_text; // description of the queues for the user
    bool has_cores;         // true: kernels can read the number of their core
    // Token of the last frame or warm-up. Each frame and each warm-up gets the next number.
    uint32_t token;
};

// Opens a session on the device of `bench` and stores it in bench->state.
MUST_CHECK bool overlap_session_open(struct bench_session *bench, struct error *err);

// Returns a session on a device of its own, whose compute queue has high priority. The first call
// opens it. If that fails, usually because the driver refuses the priority, returns a copy of the
// benchmark's session with `refused` and priority_text set. Returns NULL with
// - ERROR_UNSUPPORTED: the device has no second queue or no priorities
// - ERROR_DEVICE_LOST: the device is lost
// - ERROR_OUT_OF_MEMORY: there is not enough memory for the second session
struct overlap_session *overlap_session_urgent(struct bench_session *bench, struct error *err);

// Closes the session whose compute queue has high priority, if it is open. Also tells the driver to
// stop holding the clocks of the benchmark's device stable.
void overlap_session_close(struct bench_session *bench);

// ---------------------------------------------------------------- visits and findings

// The metrics. Times are in ns. Two workloads are neighbours if the scenario lists no workload of
// their queues between them.
enum overlap_metric {
    OVERLAP_METRIC_FRAME,
    // Mean overlap (0 to 1) of two neighbours on one queue that wait for no workload. SAME_QUEUE is
    // for two dispatches, DRAW_DISPATCH for a draw and a dispatch, DRAW_DRAW for two draws.
    OVERLAP_METRIC_SAME_QUEUE,
    // time in which both queues work ÷ working time of the queue that works less
    OVERLAP_METRIC_CROSS_QUEUE,
    // Median gap from the end of a workload to the start of a neighbouring dispatch that waits for
    // it. GAP is for gaps after a dispatch, DRAW_GAP for gaps after a draw. If a dispatch waits for
    // several workloads, the gap begins when the last of them ends.
    OVERLAP_METRIC_GAP,
    // time between the first start on one queue and the first start on the other; no number if the
    // first workload of a queue waits
    OVERLAP_METRIC_SKEW,
    // mean over all workloads: length of the workload in the frame ÷ its length alone
    OVERLAP_METRIC_STRETCH,
    // sum of the lengths of all workloads, each running alone, ÷ the length of the frame
    OVERLAP_METRIC_GAIN,
    OVERLAP_METRIC_DRAW_DISPATCH,
    OVERLAP_METRIC_DRAW_DRAW,
    OVERLAP_METRIC_DRAW_GAP,
    OVERLAP_METRIC_COUNT
};

// Visits a case: measures each workload alone, and then frames with all workloads. If several
// workloads do the same work on the same queue, only one of them runs alone.
MUST_CHECK bool overlap_visit(struct bench_visit *run, struct measure_visit *visit,
                              struct error *err);

// Adds the findings about `device` to `run`; conclude.c describes them.
void overlap_conclude(struct run *run, const char *device);

#endif
