// SPDX-License-Identifier: MIT
// What the cases of a session share: queues, programs and the clock of a device.
#ifndef BENCH_OVERLAP_SESSION_H
#define BENCH_OVERLAP_SESSION_H

#include "bench/bench.h"
#include "bench/overlap/scenario.h"
#include "gpu/graphics.h"
#include "measure/clock.h"

// How far the device-wide clock differs between cores. A core that already sees a time stamp of
// another core must read a later time itself (skew.comp).
struct overlap_skew {
    double behind_ns; // the largest lag of a core's clock behind another's; 0: none was seen
    double reach_ns;  // smallest age of a stamp when read: shorter lags stay unseen; NaN: no stamp
    uint64_t seen;    // number of stamps compared
    unsigned cores;   // number of cores that took part; 0: not known
};

struct overlap_session {
    struct bench_session own; // session of its own device; zeroed: uses the benchmark's
    struct gpu_scope *scope;
    struct overlap_session *urgent; // session with an urgent compute queue; NULL: not opened yet
    const char *priority_text;      // how a priority was granted or refused; NULL: none requested
    bool refused;                   // high priority was refused: the queue runs at medium
    struct measure_clock clock;
    struct overlap_skew skew;
    double resolution_ns; // shorter times are not trusted
    struct gpu_program *program;
    struct gpu_draw_program *draw_program;        // NULL: no scenario has needed it yet
    struct gpu_queue *queues[OVERLAP_QUEUES_MAX]; // NULL: the device has no such queue
    const char *queue_text;                       // description of the queues for the user
    bool has_cores;                               // kernels can read core ids
    uint32_t token; // token of the last frame: each frame of a session has its own, from 1
};

// Opens a session on the device of `bench` and stores it in bench->state.
MUST_CHECK bool overlap_session_open(struct bench_session *bench, struct error *err);

// Returns the session with its own device whose compute queue has high priority. The first call
// opens it. If the driver refuses high priority, the session is a copy of the benchmark's session,
// with `refused` and priority_text set. Returns NULL with ERROR_UNSUPPORTED if the device has no
// second queue or no priorities, or with ERROR_DEVICE_LOST.
struct overlap_session *overlap_session_urgent(struct bench_session *bench, struct error *err);

// Closes the urgent session's own device, if it has one, and frees the clock of the other.
void overlap_session_close(struct bench_session *bench);

#endif
