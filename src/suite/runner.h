// SPDX-License-Identifier: MIT
// Makes a whole run: measures the chosen devices one after the other. Each device has its own plan
// and executor. (schedule.h says how several devices measure a case together.) Saves the run file
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
    const char *output; // path of the run file; if NULL, no file is written
    bool in_process;
    // With in_process: visitor_desc.family_pid. Descendants of this process do not count as other
    // work on the host. 0 means the calling process.
    long family_pid;
    const char *const *worker_argv; // command of a worker, without "-d ID"; ends with NULL
    // Environment of the workers. It was copied before drivers were loaded, because drivers may
    // change it. If it is NULL, workers inherit the environment of this process.
    const char *const *worker_environment;
    // Time in ns after which a silent worker is killed; 0 means six times budget.timeout_ns of the
    // preset.
    uint64_t silence_ns;
    uint64_t seed; // seed of the random order of visits
    // Upper limit in ns for the preset's budget.time_most_ns; 0 means no such limit. A preset or
    // device without time_most_ns stays without limit.
    uint64_t time_most_ns;
    bool validation;
    // Makes the plan for one device, in `arena`. Adds a finding to `run` for each benchmark that
    // the device cannot run. Returns NULL with an error if no plan can be made.
    struct plan *(*plan)(struct arena *arena, const struct choice_request *request,
                         const struct gpu_info *device, struct run *run, struct error *err);
    const char *const *guard_argv; // command of the process that holds a clock lock; ends with NULL
    struct interrupt *interrupt;
    // Called before the first visit, after the output was checked and all plans were made. May be
    // NULL.
    void (*starting)(void *context);
    // Hardware counters to read in counted visits. NULL if there are no counted visits.
    const struct visit_counting *counting;
    // Maximum time in ns, per device, to wait for the end of other work on the device; 0 means no
    // wait.
    uint64_t wait_idle_ns;
    // Called with one line of text for the user (schedule_desc.notice). May be NULL.
    void (*notice)(void *context, const char *text);
    // Called before each visit or co-run, but not before counted visits. `device` is the index of
    // the device that is measured, and `devices` is the number of devices. May be NULL.
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

// Returns the command of a device's process, in `arena`; it ends with NULL: `command`, then "-d"
// and the device, then "-d" and each other device of the same API in `system`. So the process gives
// all devices the same ids as this process. `command` and `system` may be NULL.
const char *const *runner_worker_argv(struct arena *arena, const char *const *command,
                                      const struct gpu_system *system, const struct gpu_info *own);

// Fills the head of a new run: fathom's version, the start time, preset, seed, the command, the
// host, the devices and the benchmarks.
void runner_describe(struct run *run, const struct runner_desc *desc, int argc, char **argv);

// Checks that the output can be written, makes all plans, measures, and saves the run. The run is
// then COMPLETE or INTERRUPTED. Returns false with an error if nothing was measured, for example
// with ERROR_USAGE, ERROR_IO or ERROR_NO_DEVICE. `unsaved` has the error of the last save (the file
// of an earlier save then stays), or the code ERROR_NONE.
MUST_CHECK bool runner_run(struct run *run, const struct runner_desc *desc, struct error *unsaved,
                           struct error *err);

#endif
