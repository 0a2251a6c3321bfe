// SPDX-License-Identifier: MIT
// A whole run: every chosen device after the other (but for what is measured on several at the same
// time: schedule.h), its plan, its executor, and the file, of which
// this is the only writer.
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
    const char *const *worker_environment; // NULL-ended, from before drivers were loaded; NULL: own
    uint64_t silence_ns;                   // 0: six times the preset's longest wait
    uint64_t seed;
    bool validation;
    // Makes the plan for one device, in `arena`. NULL with the error. `run` gets a finding for what
    // is left out.
    struct plan *(*plan)(struct arena *arena, const struct choice_request *request,
                         const struct gpu_info *device, struct run *run, struct error *err);
    const char *const *guard_argv; // starts the process that holds a locked clock; NULL-ended
    struct interrupt *interrupt;
    // Everything is checked, the first visit comes next. NULL: -.
    void (*starting)(void *context);
    // `device` of `devices` is being measured.
    void (*progress)(void *context, const struct schedule_state *state, size_t device,
                     size_t devices);
    // What there is of a benchmark on a device is in the run: it is done, or the run ends. NULL: -.
    void (*benchmark_done)(void *context, const char *device, const char *benchmark);
    void *context;
};

// Says who measures on what with which command, in a run that was just created.
void runner_describe(struct run *run, const struct runner_desc *desc, int argc, char **argv);

// Tests the output, makes every plan, then measures. The run ends COMPLETE or INTERRUPTED and is
// saved at every end; where that last save fails, `unsaved` says why (else its code is NONE) and
// the former file is intact. False with ERROR_USAGE, ERROR_IO or ERROR_NO_DEVICE: nothing was
// measured.
MUST_CHECK bool runner_run(struct run *run, const struct runner_desc *desc, struct error *unsaved,
                           struct error *err);

#endif
