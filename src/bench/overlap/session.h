// SPDX-License-Identifier: MIT
// What the cases of a session share: queues, programs and the clock of a device.
#ifndef BENCH_OVERLAP_SESSION_H
#define BENCH_OVERLAP_SESSION_H

#include "bench/bench.h"
#include "bench/overlap/scenario.h"
#include "gpu/graphics.h"
#include "measure/clock.h"

// How far the device-wide clock differs between cores. If a core sees a time stamp of another core,
// its own clock must show a later time; otherwise its clock lags behind (skew.comp).
struct overlap_skew {
    double behind_ns; // largest lag of one core's clock behind another's; 0: no lag was seen
    // Smallest age of a stamp when read: shorter lags are not seen; NaN: none read.
    double reach_ns;
    uint64_t seen;  // number of stamps compared
    unsigned cores; // number of cores compared; 0: not known
};

struct overlap_session {
    struct bench_session own; // session with its own device; zeroed: uses the benchmark's device
    struct gpu_scope *scope;
    // Session whose compute queue has high priority; NULL: not opened yet.
    struct overlap_session *urgent;
    const char *priority_text; // how the driver answered a requested priority; NULL: none
    // The driver refused high priority, so the queue has medium priority.
    bool refused;
    struct measure_clock clock;
    struct overlap_skew skew;
    double resolution_ns; // times shorter than this are not trusted
    struct gpu_program *program;
    struct gpu_draw_program *draw_program;        // made when first needed; NULL: not yet
    struct gpu_queue *queues[OVERLAP_QUEUES_MAX]; // NULL: the device has no such queue
    const char *queue_text;                       // description of the queues for the user
    bool has_cores;                               // true: kernels can read the number of their core
    uint32_t token; // token of the last frame; each frame gets the next one, from 1
};

// Opens a session on the device of `bench` and stores it in bench->state.
MUST_CHECK bool overlap_session_open(struct bench_session *bench, struct error *err);

// Returns a session with a device of its own, whose compute queue has high priority. The first call
// opens it. If the driver refuses high priority, returns a copy of the benchmark's session, with
// `refused` and priority_text set. Returns NULL with ERROR_UNSUPPORTED if the device has no second
// queue or no priorities, or with ERROR_DEVICE_LOST.
struct overlap_session *overlap_session_urgent(struct bench_session *bench, struct error *err);

// Closes the device of the urgent session, if there is one. Stops holding the clock of the other
// device.
void overlap_session_close(struct bench_session *bench);

#endif
