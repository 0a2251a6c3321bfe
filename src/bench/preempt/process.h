// SPDX-License-Identifier: MIT
// Runs a hog or an application in a new process, on its own logical device. The new process is
// `fathom __beside preempt -d DEVICE`; its standard input is a socket to the process that measures.
// In the protocol below, > marks lines to the new process, and < lines from it. LOAD is
// DISPATCHES GROUPS ITERATIONS AHEAD DRAWS SLOTS RECORDS TOKEN (bench/preempt/load.h).
//
//   > start LOAD ALONE         starts a hog
//   < running                  ALONE submissions are done, and more are in flight
//
//   > prepare LOAD 0           records SLOTS frames of an application
//   < ready
//   > arrive FIRST             submits a frame at each deadline; the first comes at FIRST, in ns
//   < answers LATE ANSWERED MET RESPONSE FRAME CENSORED …   three numbers for each deadline
//
// Then, for a hog or an application:
//   > stop
//   < base TICKS               the value of the device's clock from which times count
//   < run START END PAUSE CORE …   one submission: four numbers per record, times in ns
//   < end
//   < error MESSAGE            instead of any other line, at any time
//
// The process ends when its parent ends or the socket is closed, and after an error.
#ifndef BENCH_PREEMPT_PROCESS_H
#define BENCH_PREEMPT_PROCESS_H

#include "bench/preempt/contention.h"

struct process;

// Starts a process for a hog or an application; it has no load yet. Returns NULL with ERROR_IO if
// the process cannot be started.
struct process *process_create(struct arena *arena, const struct gpu_info *device,
                               struct error *err);
// Ends the process. Does nothing if `process` is NULL.
void process_destroy(struct process *process);

struct process_start {
    struct load_desc load; // the load; only the members work, slots, records, timeout_ns are used
    uint32_t token;        // token of the first submission
    bool prepares;         // true: the load is an application; false: it is a hog
    uint32_t alone; // number of submissions of a hog that must end before process_start returns
};

// If start->prepares is false, makes the process start a hog, and returns when start->alone
// submissions are done and more are in flight. If start->prepares is true, makes the process record
// the frames of an application, one for each slot of start->load.
MUST_CHECK bool process_start(struct process *process, const struct process_start *start,
                              struct error *err);

// Makes the process submit the recorded frames at deadlines. The first deadline is `first_ns`, by
// clock_now_ns.
MUST_CHECK bool process_arrive(struct process *process, uint64_t first_ns, struct error *err);

// Waits until the process has passed all deadlines and fills `result`. The process submits a frame
// at each deadline, unless too many are in flight, and waits for late answers for at most
// CONTENTION_PATIENCE_NS. Frames without an answer stay in flight; process_stop waits for them.
MUST_CHECK bool process_answers(struct process *process, struct contention *result,
                                struct error *err);

// Ends the load of the process. Sets *runs to the load's submissions, an array in `arena`, and
// *count to their number. Their times count from *base, a value of the device's clock.
MUST_CHECK bool process_stop(struct process *process, struct arena *arena, uint64_t *base,
                             struct load_run **runs, uint32_t *count, struct error *err);

// Runs in the process of a hog or an application. Answers the lines of the protocol that come
// through the socket, on this device. Returns true when the socket was closed.
MUST_CHECK bool process_serve(const char *device, int socket_fd, struct error *err);

#endif
