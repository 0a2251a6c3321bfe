// SPDX-License-Identifier: MIT
// Queues, kernel and clock that frames are made with.
#ifndef BENCH_OVERLAP_SESSION_H
#define BENCH_OVERLAP_SESSION_H

#include "bench/overlap/frame.h"

// On the device of the benchmark's session, kept as its state.
MUST_CHECK bool overlap_session_open(struct bench_session *bench, struct error *err);

// On a device of its own, whose compute queue has high priority; opened when first asked for. Where
// the driver refuses the priority it is the benchmark's own session, and says so (refused,
// priority_text).
// NULL with ERROR_UNSUPPORTED where there is no second queue, or no priority at all.
struct overlap_session *overlap_session_urgent(struct bench_session *bench, struct error *err);

// Closes the other device.
void overlap_session_close(struct bench_session *bench);

#endif
