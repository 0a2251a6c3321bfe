// SPDX-License-Identifier: MIT
// What the cases of a session share: the queues on which hog and victim run, and the sizes of both.
#ifndef BENCH_PREEMPT_SESSION_H
#define BENCH_PREEMPT_SESSION_H

#include "bench/preempt/load.h"

// Where one of the two runs.
struct preempt_side {
    struct gpu_device *device;
    struct gpu_queue *queue;
    struct gpu_program *program;
};

// Where both run: on two queues of one device, on two devices of one chip, or in two processes.
struct preempt_setup {
    const char *setting, *priority; // with `draws`, what identifies it in the session
    bool draws;                     // the victim's queue can draw
    struct preempt_side hog, victim;
    const char *queue_text, *priority_text; // for people
    struct gpu_device *own;                 // opened for this set-up; NULL: the session's serves
    struct gpu_scope *own_scope;
    struct process *process; // the hog's, started when first needed; NULL: not running
    struct preempt_setup *next;
};

enum {
    PREEMPT_SHAPES_MAX = 8
};

struct preempt_session {
    struct measure_clock clock;
    struct gpu_program *program; // on the session's device
    uint32_t token;              // of the last submission: each has a token of its own
    struct preempt_setup *setups;
    struct {
        const char *name;
        struct load_shape shape;
    } shapes[PREEMPT_SHAPES_MAX]; // that preempt_size_find has found
    size_t shape_count;
};

MUST_CHECK bool preempt_session_open(struct bench_session *bench, struct error *err);
void preempt_session_close(struct bench_session *bench);

// What a case asks for.
struct preempt_setup_request {
    const char *setting;  // "queues", "devices" or "processes"
    const char *priority; // the victim's: "low", "medium", "high", "realtime", or "highest", the
                          // highest that the driver grants; the hog has medium priority
    bool draws; // the victim gets a universal queue; otherwise a compute-only one if there is one
};

// The set-up for a request, opened when it is first asked for. NULL with ERROR_UNSUPPORTED if the
// device has no second queue, or if the driver refuses the priority (with its reason).
struct preempt_setup *preempt_setup_get(struct bench_session *bench,
                                        const struct preempt_setup_request *request,
                                        struct error *err);

#define PREEMPT_VICTIM      "victim"
#define PREEMPT_VICTIM_DRAW "victim-draw"

// The shape of a load, sized on the device once a session. A hog ("baseline", "many-draws",
// "many-dispatches", "big-dispatch", "slow-shader") gets submissions of 7 ms for "baseline" and of
// 100 ms (on a CPU 20 ms) for the others, or of what the device's limits allow. PREEMPT_VICTIM and
// PREEMPT_VICTIM_DRAW are one dispatch, or draw, of 64 groups that lasts 1.8 ms alone. `where`
// gives the scope, queue, program and time-out of the load. ERROR_UNSUPPORTED for draws without
// graphics.
MUST_CHECK bool preempt_size_find(struct bench_visit *run, const struct load_desc *where,
                                  const char *name, struct load_shape *shape, struct error *err);

#endif
