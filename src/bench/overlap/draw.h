// SPDX-License-Identifier: MIT
// Workloads that are draws: one triangle over a target of 1024 pixels a row, a block a row, so that
// every pixel is a thread of the workload. Each draw has a target of its own: what is not ordered
// must not meet.
#ifndef BENCH_OVERLAP_DRAW_H
#define BENCH_OVERLAP_DRAW_H

#include "bench/overlap/frame.h"
#include "gpu/graphics.h"

// The scenario as the device can run it: draws become dispatches where it has no graphics, or their
// queue is not the universal one. The same scenario where nothing changes.
const struct overlap_scenario *overlap_draw_settle(struct arena *arena,
                                                   const struct overlap_session *session,
                                                   const struct gpu_info *info,
                                                   const struct overlap_scenario *scenario);

// Does any of its workloads draw?
bool overlap_draw_any(const struct overlap_scenario *scenario);

// Targets of the stage's draws, and the session's program where it has none yet.
MUST_CHECK bool overlap_draw_init(struct overlap_stage *stage, struct error *err);

// Draws workload `w` with these parameters of the kernel.
void overlap_draw_record(const struct overlap_stage *stage, struct gpu_batch *batch, size_t w,
                         const void *params, size_t params_bytes);

#endif
