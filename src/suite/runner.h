// SPDX-License-Identifier: MIT
// Makes a whole run: measures the chosen devices one after the other, each with its own plan and
// executor (schedule.h says how several devices measure a case together). It saves the run file
// while it measures and at the end.
#ifndef SUITE_RUNNER_H
#define SUITE_RUNNER_H

#include "bench/choices.h"
#include "suite/interrupt.h"
#include "suite/schedule.h"
#include "suite/select.h"

struct runner_desc {
    const struct device_list *devices;
    struct choice_request choices;
    const char *output; // path of the run file; NULL: no file is written
    bool in_process;
    const char *const *worker_argv; // command of a worker, without "-d ID"; ends with NULL
    // Environment of the workers, copied before drivers were loaded. NULL: that of this process.
    const char *const *worker_environment;
    uint64_t silence_ns;   // a worker that is silent for this long is killed; 0: 6 × timeout_ns
    uint64_t seed;         // seed of the random order of visits
    uint64_t time_most_ns; // upper limit for the preset's budget.time_most_ns; 0: none
    bool validation;
    // Makes the plan for one device, in `arena`. Adds a finding to `run` for each benchmark that
    // the device cannot run. Returns NULL with an error if there can be no plan.
    struct plan *(*plan)(struct arena *arena, const struct choice_request *request,
                         const struct gpu_info *device, struct run *run, struct error *err);
    const char *const *guard_argv; // command of the process that holds a clock lock; ends with NULL
    struct interrupt *interrupt;
    // Called when the output was checked and all plans were made, before the first visit. May be
    // NULL.
    void (*starting)(void *context);
    // Hardware counters to read; NULL: no case gets a counted visit.
    const struct visit_counting *counting;
    // Maximum time to wait, per device, until other work ends; 0: no wait.
    uint64_t wait_idle_ns;
    // Called with one line of text for the user, when schedule_desc.notice is called. May be NULL.
    void (*notice)(void *context, const char *text);
    // Called before each visit. The device that is measured has the index `device` among `devices`
    // devices. May be NULL.
    void (*progress)(void *context, const struct schedule_state *state, size_t device,
                     size_t devices);
    // Called at most once a second while a device is measured. The run then has all results so far;
    // cases with fewer than rounds_min rounds have the reason "unfinished". May be NULL.
    void (*refresh)(void *context, const char *device);
    // Called when a benchmark's results on a device are final. May be NULL.
    void (*benchmark_done)(void *context, const char *device, const char *benchmark);
    // Called if a device does not answer soon after the user's first signal. May be NULL.
    void (*waiting)(void *context, const char *device_id);
    void *context;
};

// Returns the command of a device's process, in `arena`: `command`, "-d" with the device, then "-d"
// with each other device of the API in `system`. Because the process knows all devices, their ids
// are the same as in this process, even if the driver lists them in another order. `command` ends
// with NULL; it and `system` may be NULL.
const char *const *runner_worker_argv(struct arena *arena, const char *const *command,
                                      const struct gpu_system *system, const struct gpu_info *own);

// Fills the head of a new run: fathom's version, the start time, preset, seed, the command, the
// host, the devices and the benchmarks.
void runner_describe(struct run *run, const struct runner_desc *desc, int argc, char **argv);

// Checks that the output can be written, makes all plans, then measures. The run ends as COMPLETE
// or INTERRUPTED and is saved in both cases. If the last save fails, `unsaved` has the error
// (otherwise its code is ERROR_NONE), and the file of an earlier save stays. Returns false with an
// error, such as ERROR_USAGE, ERROR_IO or ERROR_NO_DEVICE, if nothing was measured.
MUST_CHECK bool runner_run(struct run *run, const struct runner_desc *desc, struct error *unsaved,
                           struct error *err);

#endif
