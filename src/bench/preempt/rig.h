// SPDX-License-Identifier: MIT
// Where the two run: a hog and a victim, on two queues of one device, on two devices of one chip,
// or in two processes.
#ifndef BENCH_PREEMPT_RIG_H
#define BENCH_PREEMPT_RIG_H

#include "bench/preempt/load.h"
#include "measure/clock.h"

struct rig_side {
    struct gpu_device *device;
    struct gpu_queue *queue;
    struct gpu_program *program;
};

struct rig {
    const char *setting, *priority; // as asked for, with draws: its name among the session's rigs
    bool draws;                     // the victim's queue can draw
    struct rig_side hog, victim;
    const char *queue_text, *priority_text; // for people
    struct gpu_device *own;                 // NULL: the benchmark's device serves both
    struct gpu_scope *own_scope;
    struct process *process; // the hog's, started when first needed; NULL: not running
    struct rig *next;
};

enum {
    RIG_SHAPES_MAX = 8
};

// What was found out about a hog, or of the victim, at the first visit that needed it.
struct rig_shape {
    const char *name;
    struct load_shape shape;
};

struct preempt_session {
    struct measure_clock clock;
    struct gpu_program *program; // on the benchmark's device
    uint32_t token;              // of the last submission: no two of a session share one
    struct rig *rigs;
    struct rig_shape shapes[RIG_SHAPES_MAX];
    size_t shape_count;
};

MUST_CHECK bool rig_session_open(struct bench_session *bench, struct error *err);
void rig_session_close(struct bench_session *bench);

// "queues", "devices" or "processes"; "low" … "realtime" for the victim, or "highest": the highest
// that the driver makes a device with. The hog is at medium. With `draws` the victim has a
// universal queue, else a compute-only one where there is one. Opened when first asked for.
// ERROR_UNSUPPORTED where there is no second queue or the priority is refused, with the driver's
// reason.
struct rig_wish {
    const char *setting, *priority;
    bool draws;
};
struct rig *rig_get(struct bench_session *bench, const struct rig_wish *wish, struct error *err);

#endif
