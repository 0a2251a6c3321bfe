// SPDX-License-Identifier: MIT
// What the cases of a session share: queues, programs and the clock of a device.
#ifndef BENCH_OVERLAP_SESSION_H
#define BENCH_OVERLAP_SESSION_H

#include "bench/bench.h"
#include "bench/overlap/scenario.h"
#include "gpu/graphics.h"
#include "measure/clock.h"

// Whether the device-wide clock reads the same on all cores, found by causality (skew.comp).
struct overlap_skew {
    double behind_ns; // the largest lag of a core's clock behind another's; 0: none was seen
    double reach_ns;  // age of the youngest reading compared: a shorter lag cannot be seen
    uint64_t seen;    // readings compared
    unsigned cores;   // that took part; 0: not known
};

struct overlap_session {
    struct gpu_device *device; // of its own; NULL: that of the benchmark's session
    struct gpu_scope *scope;
    struct overlap_session *urgent; // its compute queue has high priority; NULL: not opened yet
    const char *priority_text;      // how a priority was granted or refused; NULL: none requested
    bool refused;                   // high priority was requested, and it runs at medium
    struct measure_clock clock;
    struct overlap_skew skew;
    double resolution_ns; // shorter times are not trusted
    struct gpu_program *program;
    struct gpu_draw_program *draw_program;        // NULL: no scenario has needed it yet
    struct gpu_queue *queues[OVERLAP_QUEUES_MAX]; // of the device; NULL: it has no such queue
    const char *queue_text;                       // describes the queues, for people
    bool has_cores;                               // kernels can read core ids
    uint32_t token; // of the last frame: each frame of a session has a token of its own
};

// On the device of the benchmark's session; the session becomes its state.
MUST_CHECK bool overlap_session_open(struct bench_session *bench, struct error *err);

// A session on a device of its own whose compute queue has high priority, opened when first asked
// for. If the driver refuses the priority, it runs on the benchmark's own device, with `refused`
// and priority_text set. NULL with ERROR_UNSUPPORTED if the device has no second queue or no
// priorities.
struct overlap_session *overlap_session_urgent(struct bench_session *bench, struct error *err);

// Closes the device of the urgent session.
void overlap_session_close(struct bench_session *bench);

#endif
