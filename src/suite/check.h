// SPDX-License-Identifier: MIT
// Measures the figures of a check on several devices side by side. Each device has a process of its
// own, which measures with the means of `fathom run` and sends what it has after each benchmark. A
// process that dies or is silent takes only its own device with it, and this process always ends.
// Then it measures what several devices do at once, with a worker for each as in `fathom run`,
// while the processes of the devices wait to read the state of their cards once more.
#ifndef SUITE_CHECK_H
#define SUITE_CHECK_H

#include "bench/choices.h"
#include "bench/plan.h"
#include "suite/interrupt.h"
#include "suite/select.h"

#include "results/check.h"

enum {
    CHECK_DEVICES_MAX = 16,
    CHECK_DEADLINE_S = 60, // a device that is not done by then is broken
    CHECK_START_S = 2      // allowed for starting processes and their drivers
};

// ---------------------------------------------------------------- the plan

enum check_part {
    CHECK_ALONE,       // each device by itself, all side by side
    CHECK_ALONE_QUICK, // less of that
    CHECK_AT_ONCE      // what several devices do at the same time
};

// Chooses the preset, the benchmarks and settings that leave only the part's cases on the devices
// of the run. request->system must be set.
void check_choose(struct run *run, enum check_part part, struct choice_request *request);

// Makes the plan of CHECK_AT_ONCE for one device (runner_desc.plan).
struct plan *check_plan_at_once(struct arena *arena, const struct choice_request *request,
                                const struct gpu_info *device, struct run *run, struct error *err);

// The longest that the part takes, by the time limits of its benchmarks. Links are measured one
// device after the other, all else side by side. CHECK_AT_ONCE gets what CHECK_ALONE left, but at
// least a second.
double check_plan_s(size_t devices, enum check_part part);

// ---------------------------------------------------------------- measuring

struct check_desc {
    const struct device_list *devices; // at most CHECK_DEVICES_MAX
    const struct gpu_system *system;
    const char *const *argv;        // of a device's process, NULL-ended, without the device
    const char *const *worker_argv; // as runner_desc.worker_argv. NULL: nothing is measured on
                                    // several devices at once
    const char *const *environment; // of the processes, as child_desc.environment
    uint64_t silence_ns;            // a process silent for longer is ended; 0: CHECK_DEADLINE_S
    uint64_t soak_ns;               // measured again and again for so long; the deadline moves
    struct interrupt *interrupt;    // a signal ends the check; NULL: signals are not watched
};

// What the processes sent. It must live as long as the run that check_measure filled.
struct check_parts {
    struct run *runs[CHECK_DEVICES_MAX]; // NULL: nothing came
    size_t count;
    struct run *at_once; // what several devices did at the same time; NULL: was not measured
};

// Adds the results of all devices and a check for each to the run, which describes the devices
// already (runner_describe). A check of a process that died or was ended is BROKEN; the others have
// no verdict yet. The run ends as COMPLETE or INTERRUPTED. ERROR_USAGE if there are too many
// devices.
MUST_CHECK bool check_measure(struct run *run, const struct check_desc *desc,
                              struct check_parts *parts, struct error *err);
void check_parts_destroy(struct check_parts *parts);

// The process of one device, whose standard input is a socket to the parent.
struct check_serve_desc {
    const char *const *known; // identities of all devices of this API; [0]: the device's own
    size_t known_count;
    bool quick;
    bool stays; // sends the state of the card again when a line comes, and only then ends
    uint64_t soak_ns;
    bool validation;
};
MUST_CHECK bool check_serve(const struct check_serve_desc *desc, int socket_fd, struct error *err);

#endif
