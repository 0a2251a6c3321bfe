// SPDX-License-Identifier: MIT
// How much work hogs and victims are, found out on the device itself.
#ifndef BENCH_PREEMPT_SIZE_H
#define BENCH_PREEMPT_SIZE_H

#include "bench/preempt/load.h"
#include "bench/preempt/rig.h"

struct size_desc {
    const struct gpu_info *info;
    struct preempt_session *session;
    struct gpu_scope *scope; // of the side's device
    const struct rig_side *side;
    struct arena *arena, *session_arena;
    uint64_t timeout_ns;
};

#define SIZE_VICTIM      "victim"
#define SIZE_VICTIM_DRAW "victim-draw"

// The shape of a hog ("baseline", "many-draws", "many-dispatches", "big-dispatch", "slow-shader"):
// frames of some
// 7 ms for the first, of 100 ms (on a CPU 20 ms) for the others, or what the device's limits allow;
// or of SIZE_VICTIM and SIZE_VICTIM_DRAW: one dispatch, or draw, of 64 groups, 1.8 ms long where it
// is alone. Found on the device once a session. ERROR_UNSUPPORTED for draws without graphics.
MUST_CHECK bool size_find(const struct size_desc *desc, const char *name, struct load_shape *shape,
                          struct error *err);

#endif
