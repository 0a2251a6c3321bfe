// SPDX-License-Identifier: MIT
// A hog in a process of its own, on a device of its own: `fathom __beside preempt -d DEVICE`, whose
// standard input is a socket to the one who measures. Lines:
//
//   > start DISPATCHES GROUPS TURNS AHEAD DRAWS SLOTS RECORDS TOKEN ALONE
//                                                          a load, as bench/preempt/load.h has it
//   < running                                              ALONE submissions are done, more go on
//   > stop
//   < base TICKS                                           a moment by the device's clock
//   < run START END PAUSE CORE …                           a submission; four numbers a workgroup,
//                                                          in ns since base
//   < end                                                  or, at any time: error MESSAGE
//
// The hog ends with its parent, or where its channel is closed.
#ifndef BENCH_PREEMPT_PROCESS_H
#define BENCH_PREEMPT_PROCESS_H

#include "bench/preempt/load.h"

struct process;

// Starts it; nothing runs there yet. NULL with ERROR_IO where it cannot be started.
struct process *process_create(struct arena *arena, const char *device_id, struct error *err);
void process_destroy(struct process *process); // NULL is legal

struct process_start {
    const struct load_desc *load; // shape, slots, records and timeout_ns count
    uint32_t token;               // of its first submission
    uint32_t alone;               // submissions that are done before this returns
};

// Returns when the first ones were alone and more are under way.
MUST_CHECK bool process_start(struct process *process, const struct process_start *start,
                              struct error *err);

// Ends the load; what its submissions left, in `arena`, since *base, which it sets.
MUST_CHECK bool process_stop(struct process *process, struct arena *arena, uint64_t *base,
                             struct load_run **runs, uint32_t *count, struct error *err);

// The hog's side, until the socket is closed.
MUST_CHECK bool process_serve(const char *device_id, int socket_fd, struct error *err);

#endif
