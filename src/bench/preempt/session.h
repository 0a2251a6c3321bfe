// SPDX-License-Identifier: MIT
// Declares the state that the cases of a session share: the queues of hog, victim and application,
// and the amount of work that each of these three does.
#ifndef BENCH_PREEMPT_SESSION_H
#define BENCH_PREEMPT_SESSION_H

#include "bench/preempt/load.h"

// The members of the two enums below have the order of the choices of the parameters `setting` and
// `priority`.
enum preempt_setting {
    PREEMPT_QUEUES,    // the victim runs on another queue of the hog's device
    PREEMPT_DEVICES,   // the victim runs on a logical device of its own
    PREEMPT_PROCESSES, // hog and application each run in another process
    PREEMPT_NEAREST    // the plan replaces this choice by queues or devices
};

enum preempt_priority {
    PREEMPT_LOW,
    PREEMPT_MEDIUM,
    PREEMPT_HIGH,
    PREEMPT_REALTIME,
    PREEMPT_HIGHEST // highest priority accepted: realtime, high or, for three actors, medium
};

// The set-up that a case needs.
struct preempt_setup_request {
    enum preempt_setting setting;
    enum preempt_priority priority; // priority of the victim; the hog always has medium priority
    bool draws; // true: the victim needs a universal queue; false: it prefers a compute-only one
    // True if there is an application; it has medium priority.
    bool three;
};

// Where the hog, the victim or the application runs.
struct preempt_side {
    struct gpu_device *device;
    struct gpu_queue *queue;
    struct gpu_program *program;
};

// Where hog, victim and application run: on queues of one device, on logical devices of one chip,
// or in processes. With processes, the members hog and application only serve to find how much work
// their loads need.
struct preempt_setup {
    struct preempt_setup_request request;
    struct preempt_side hog, victim, application;
    const char *queue_text, *priority_text; // texts that describe queues and priority to the user
    // Session with a logical device for the victim and, with setting=queues, for hog and
    // application. If it is all zeros, the victim uses the benchmark's device.
    struct bench_session own;
    // Session with a logical device for the application; all zeros if there is none.
    struct bench_session beside;
    // Processes of the hog and the application, started when first needed; NULL if not running.
    struct process *process, *application_process;
    struct preempt_setup *next;
};

struct preempt_session {
    struct gpu_program *program; // program of loads without draws on the session's device
    uint32_t token; // highest token given to a load; no two submissions have the same token
    struct preempt_setup *setups;
    struct preempt_sized *sized; // loads whose work preempt_size_find has found
};

MUST_CHECK bool preempt_session_open(struct bench_session *bench, struct error *err);
void preempt_session_close(struct bench_session *bench);

// Returns the set-up for a request. The first of equal requests opens it. Returns NULL with `err`
// on failure. The code is ERROR_UNSUPPORTED if the driver refuses the priority (the message tells
// why), or if the device or its API lacks what the request needs: queues, graphics, priorities or,
// with an application, priorities among processes or a second context in a process.
struct preempt_setup *preempt_setup_get(struct bench_session *bench,
                                        const struct preempt_setup_request *request,
                                        struct error *err);

#define PREEMPT_VICTIM      "victim"
#define PREEMPT_VICTIM_DRAW "victim-draw"
#define PREEMPT_COMPOSITOR  "compositor"
#define PREEMPT_APPLICATION "application"

// Sets *work to the work of the load `name`. Its size is found on the device, once per session (of
// an application, once for each length of its frames). One submission of this work, without other
// work on the device, then lasts about this time, or less if the device's limits require it:
//   baseline             7 ms
//   many-draws, many-dispatches
//                        100 ms (on a CPU 20 ms), or less: it has at most 1000 dispatches
//   big-dispatch, slow-shader
//                        100 ms (on a CPU 20 ms)
//   PREEMPT_VICTIM       1.8 ms; one dispatch of 64 workgroups
//   PREEMPT_VICTIM_DRAW  1.8 ms; one draw of 64 workgroups
//   PREEMPT_COMPOSITOR   0.3 ms; one dispatch of 64 workgroups
//   PREEMPT_APPLICATION  the length frame_ms of the case; a frame like those of "baseline"
// `where` has the scope, queue, program and time-out. Fails with ERROR_UNSUPPORTED for draws on a
// device without graphics.
MUST_CHECK bool preempt_size_find(struct bench_visit *run, const struct load_desc *where,
                                  const char *name, struct load_work *work, struct error *err);

// ---------------------------------------------------------------- visits and findings

enum preempt_metric {
    PREEMPT_METRIC_RESPONSE,
    PREEMPT_METRIC_FRAMES,
    PREEMPT_METRIC_APP_MISSES,
    PREEMPT_METRIC_APP_LATENESS,
    PREEMPT_METRIC_APP_LATENESS_P99,
    PREEMPT_METRIC_APP_FRAMES,
    PREEMPT_METRIC_LATENESS,
    PREEMPT_METRIC_LATENESS_P99,
    PREEMPT_METRIC_P90,
    PREEMPT_METRIC_MOST,
    PREEMPT_METRIC_MISSES,
    PREEMPT_METRIC_SLOWDOWN,
    PREEMPT_METRIC_EXEC,
    PREEMPT_METRIC_WAIT,
    PREEMPT_METRIC_PAUSE,
    PREEMPT_METRIC_COUNT
};

// Visits a case: submits the victim at deadlines, 90 a second, while a hog, if the case has one,
// keeps the device busy. The first visit runs the hog alone before that.
MUST_CHECK bool preempt_visit(struct bench_visit *run, struct measure_visit *visit,
                              struct error *err);

// Adds the findings about `device` to `run`; conclude.c describes them.
void preempt_conclude(struct run *run, const char *device);

#endif
