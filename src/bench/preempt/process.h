// SPDX-License-Identifier: MIT
// A hog in its own process, on its own logical device: `fathom __beside preempt -d DEVICE`. Its
// standard input is a socket to the process that measures. Lines (> to the hog, < from the hog):
//
//   > start DISPATCHES GROUPS ITERATIONS AHEAD DRAWS SLOTS RECORDS TOKEN ALONE
//                              starts a load (bench/preempt/load.h)
//   < running                  ALONE submissions are done, and more are in flight
//   > stop
//   < base TICKS               the value of the device's clock from which times count
//   < run START END PAUSE CORE …   one submission: four numbers per workgroup, times in ns
//   < end
//   < error MESSAGE            instead of any other line, at any time
//
// The hog's process ends when its parent ends or the socket is closed.
#ifndef BENCH_PREEMPT_PROCESS_H
#define BENCH_PREEMPT_PROCESS_H

#include "bench/preempt/load.h"

struct process;

// Starts the process; it runs no load yet. NULL with ERROR_IO if it cannot be started.
struct process *process_create(struct arena *arena, const struct gpu_info *device,
                               struct error *err);
void process_destroy(struct process *process); // does nothing for NULL

struct process_start {
    struct load_desc load; // only its work, slots, records and timeout_ns are used
    uint32_t token;        // token of the first submission
    uint32_t alone;        // number of submissions to finish before process_start returns
};

// Starts a load in the process. Returns when `alone` submissions are done and more are in flight.
MUST_CHECK bool process_start(struct process *process, const struct process_start *start,
                              struct error *err);

// Ends the load. Sets *runs to its *count submissions, in `arena`, and *base to the clock value
// from which their times count.
MUST_CHECK bool process_stop(struct process *process, struct arena *arena, uint64_t *base,
                             struct load_run **runs, uint32_t *count, struct error *err);

// The hog's side of the protocol. Returns true when the socket is closed.
MUST_CHECK bool process_serve(const char *device, int socket_fd, struct error *err);

#endif
