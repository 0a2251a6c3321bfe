// SPDX-License-Identifier: MIT
// What the cases of a session share: the queues on which hog and victim run, and their sizes.
#ifndef BENCH_PREEMPT_SESSION_H
#define BENCH_PREEMPT_SESSION_H

#include "bench/preempt/load.h"

// Where one of hog, victim and application runs.
struct preempt_side {
    struct gpu_device *device;
    struct gpu_queue *queue;
    struct gpu_program *program;
};

// Where hog, victim and application run: on queues of one device, on devices of one chip, or in
// processes. In processes the sides of hog and application only serve to size their loads.
struct preempt_setup {
    const char *setting,
        *priority; // as requested; these two, `draws` and `three` identify a set-up
    bool draws;    // the victim's queue can draw
    bool three;    // there is an application
    struct preempt_side hog, victim, application;
    const char *queue_text, *priority_text; // descriptions for the user
    struct bench_session own;               // session of the victim's own device; zeroed: none
    struct bench_session beside;            // the same for the application
    // Processes of the hog and of the application, started when first needed; NULL: not running.
    struct process *process, *application_process;
    struct preempt_setup *next;
};

enum {
    PREEMPT_SIZED_MAX = 12
};

struct preempt_session {
    struct gpu_program *program; // the program on the session's device
    uint32_t token;              // token of the last submission: each submission has its own
    struct preempt_setup *setups;
    struct {
        const char *name;
        struct load_work work;
    } sized[PREEMPT_SIZED_MAX]; // found so far by preempt_size_find, by load name
    size_t sized_count;
};

MUST_CHECK bool preempt_session_open(struct bench_session *bench, struct error *err);
void preempt_session_close(struct bench_session *bench);

// The set-up that a case needs.
struct preempt_setup_request {
    const char *setting; // "queues", "devices" or "processes"
    // The victim's priority: "low", "medium", "high", "realtime", or "highest" (tries "realtime",
    // then "high"); the hog always has medium priority.
    const char *priority;
    bool draws; // the victim needs a universal queue; otherwise compute-only is preferred
    // There is an application, at medium priority. If the driver refuses every higher priority,
    // "highest" is then medium.
    bool three;
};

// Returns the set-up for a request. The first request opens it. NULL with ERROR_UNSUPPORTED if the
// device lacks queues, graphics or priorities that the request needs, or if the driver refuses the
// priority (the message has its reason). With an application, also if the API has no priorities
// among processes or no second context in a process, and the request needs them.
struct preempt_setup *preempt_setup_get(struct bench_session *bench,
                                        const struct preempt_setup_request *request,
                                        struct error *err);

#define PREEMPT_VICTIM      "victim"
#define PREEMPT_VICTIM_DRAW "victim-draw"
#define PREEMPT_COMPOSITOR  "compositor"
#define PREEMPT_APPLICATION "application"

// Sets *work to the work of the load `name`, whose size is found on the device once per session.
// Submissions of the hog "baseline" last 7 ms. Those of the hogs "many-draws", "many-dispatches",
// "big-dispatch" and "slow-shader" last 100 ms (on a CPU 20 ms), or less if the device's limits
// require it. PREEMPT_VICTIM and PREEMPT_VICTIM_DRAW are one dispatch, or one draw, of 64 groups
// that lasts 1.8 ms alone; PREEMPT_COMPOSITOR is a dispatch that lasts 0.3 ms. PREEMPT_APPLICATION
// is a frame like those of "baseline", as long as the case's frame_ms. `where` gives the scope,
// queue, program and time-out of the load. ERROR_UNSUPPORTED for draws on a device without
// graphics.
MUST_CHECK bool preempt_size_find(struct bench_visit *run, const struct load_desc *where,
                                  const char *name, struct load_work *work, struct error *err);

#endif
