// SPDX-License-Identifier: MIT
// A hog in a process of its own, on a device of its own: `fathom __beside preempt -d DEVICE`, whose
// standard input is a socket to the one who measures. Lines:
//
//   > start DISPATCHES GROUPS TURNS SLOTS RECORDS TOKEN   a load, as bench/preempt/load.h has it
//   < running                                              its first submissions were alone
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

// desc: only shape, slots, records and timeout_ns count. Returns when the first submissions were
// alone and more are under way.
MUST_CHECK bool process_start(struct process *process, const struct load_desc *desc, uint32_t token,
                              struct error *err);

// Ends the load; what its submissions left, in `arena`, since *base, which it sets.
MUST_CHECK bool process_stop(struct process *process, struct arena *arena, uint64_t *base,
                             struct load_run **runs, uint32_t *count, struct error *err);

// The hog's side, until the socket is closed.
MUST_CHECK bool process_serve(const char *device_id, int socket_fd, struct error *err);

#endif
