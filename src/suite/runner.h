// SPDX-License-Identifier: MIT
// A whole run: one chosen device after the other, each with its plan and its executor (co-runs of
// several devices: schedule.h). Writes the run file; nothing else does.
#ifndef SUITE_RUNNER_H
#define SUITE_RUNNER_H

#include "bench/choices.h"
#include "suite/interrupt.h"
#include "suite/schedule.h"
#include "suite/select.h"

struct runner_desc {
    const struct device_list *devices;
    struct choice_request choices;
    const char *output; // path of the run file; NULL: none
    bool in_process;
    const char *const *worker_argv;        // NULL-ended, without the device: "-d ID" is added
    const char *const *worker_environment; // NULL-ended, as it was before drivers were loaded;
                                           // NULL: that of this process
    uint64_t silence_ns;                   // 0: six times the preset's longest wait
    uint64_t seed;
    bool validation;
    // Makes the plan for one device, in `arena`. Adds a finding to `run` for each benchmark that
    // the device cannot run. NULL with the error.
    struct plan *(*plan)(struct arena *arena, const struct choice_request *request,
                         const struct gpu_info *device, struct run *run, struct error *err);
    const char *const *guard_argv; // starts the process that holds a locked clock; NULL-ended
    struct interrupt *interrupt;
    // Called after all checks, before the first visit. May be NULL.
    void (*starting)(void *context);
    // Called before each visit; device number `device` of `devices` is measured. May be NULL.
    void (*progress)(void *context, const struct schedule_state *state, size_t device,
                     size_t devices);
    // Called when a benchmark's results on a device are final. May be NULL.
    void (*benchmark_done)(void *context, const char *device, const char *benchmark);
    void *context;
};

// Fills what the run file says first, in a run that was just created: fathom's version, the
// command, the host, the devices and the benchmarks.
void runner_describe(struct run *run, const struct runner_desc *desc, int argc, char **argv);

// Checks that the output can be written, makes every plan, then measures. The run ends as COMPLETE
// or INTERRUPTED and is saved in both cases. If that last save fails, `unsaved` says why (else its
// code is ERROR_NONE) and the file of the save before is intact. False with ERROR_USAGE, ERROR_IO
// or ERROR_NO_DEVICE if nothing was measured.
MUST_CHECK bool runner_run(struct run *run, const struct runner_desc *desc, struct error *unsaved,
                           struct error *err);

#endif
