// SPDX-License-Identifier: MIT
// A hog in a process of its own, on its own device: `fathom __beside preempt -d DEVICE`. Its
// standard input is a socket to the process that measures. Lines (> to the hog, < from the hog):
//
//   > start DISPATCHES GROUPS ITERATIONS AHEAD DRAWS SLOTS RECORDS TOKEN ALONE
//                              a load (bench/preempt/load.h)
//   < running                  ALONE submissions are done, and more are in flight
//   > stop
//   < base TICKS               a reading of the device's clock
//   < run START END PAUSE CORE …   a submission: four numbers a workgroup, times in ns since base
//   < end
//   < error MESSAGE            at any time instead
//
// The hog ends when its parent ends or the socket is closed.
#ifndef BENCH_PREEMPT_PROCESS_H
#define BENCH_PREEMPT_PROCESS_H

#include "bench/preempt/load.h"

struct process;

// Starts the process; it runs no load yet. NULL with ERROR_IO if it cannot be started.
struct process *process_create(struct arena *arena, const char *device_id, struct error *err);
void process_destroy(struct process *process); // NULL is legal

struct process_start {
    struct load_desc load; // its shape, slots, records and timeout_ns are used
    uint32_t token;        // of its first submission
    uint32_t alone;        // submissions to finish before process_start returns
};

// Starts a load. Returns when `alone` submissions are done and more are in flight.
MUST_CHECK bool process_start(struct process *process, const struct process_start *start,
                              struct error *err);

// Ends the load and returns its submissions, in `arena`; their times count from *base, which it
// sets.
MUST_CHECK bool process_stop(struct process *process, struct arena *arena, uint64_t *base,
                             struct load_run **runs, uint32_t *count, struct error *err);

// The hog's side of the protocol; returns when the socket is closed.
MUST_CHECK bool process_serve(const char *device_id, int socket_fd, struct error *err);

#endif
