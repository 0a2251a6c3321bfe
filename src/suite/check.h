// SPDX-License-Identifier: MIT
// Measures the figures of a check on several devices in parallel. Each device has its own process,
// which measures like `fathom run` and sends its run after each benchmark. If a process dies or
// becomes silent, only its device is called broken, and the check still ends in time. After that,
// this process measures what several devices do at once, with one worker per device as in `fathom
// run`. The processes of the devices wait until this is done and then read the states of their
// cards once more.
#ifndef SUITE_CHECK_H
#define SUITE_CHECK_H

#include "bench/choices.h"
#include "bench/plan.h"
#include "suite/interrupt.h"
#include "suite/select.h"

#include "results/check.h"

enum {
    CHECK_DEVICES_MAX = 16,
    CHECK_DEADLINE_S = 60, // a device that is not done after this time is broken
    CHECK_START_S = 2      // planned time for starting the processes and their drivers
};

// ---------------------------------------------------------------- the plan of a check

enum check_part {
    CHECK_ALONE,       // figures of each device, measured on all devices in parallel
    CHECK_ALONE_QUICK, // as CHECK_ALONE, with fewer cases and less time
    CHECK_AT_ONCE      // what several devices do at the same time
};

// Sets the preset, benchmarks and settings of `request` so that a plan has only the cases of this
// part, on the devices of the run. request->system must be set.
void check_choose(struct run *run, enum check_part part, struct choice_request *request);

// Makes the plan of CHECK_AT_ONCE for one device (runner_desc.plan).
struct plan *check_plan_at_once(struct arena *arena, const struct choice_request *request,
                                const struct gpu_info *device, struct run *run, struct error *err);

// Returns the longest time of the part in seconds: CHECK_START_S plus the time limits of its
// benchmarks. Benchmarks of the host link are added once per device, because the devices take turns
// with them; all others are added once. CHECK_AT_ONCE takes 0 s if there is one device.
double check_plan_s(size_t devices, enum check_part part);

// ---------------------------------------------------------------- measuring a check

struct check_desc {
    const struct device_list *devices; // devices to check, at most CHECK_DEVICES_MAX
    const struct gpu_system *system;
    const char *const *argv; // command of a device's process without "-d"; ends with NULL
    // As runner_desc.worker_argv. NULL: nothing is measured on several devices at once.
    const char *const *worker_argv;
    const char *const *environment; // environment of the processes, as child_desc.environment
    uint64_t silence_ns;            // a process is ended after this silence; 0: CHECK_DEADLINE_S
    uint64_t soak_ns;               // time for which measuring is repeated; it extends the deadline
    struct interrupt *interrupt;    // a signal ends the check; NULL: signals are not watched
};

// The runs that the processes sent. They must live as long as the run that check_measure fills.
struct check_parts {
    struct run *runs[CHECK_DEVICES_MAX]; // run of each device; NULL: its process sent no run
    size_t count;
    struct run *at_once; // what several devices did at the same time; NULL: it was not measured
};

// Adds the results of all devices and one check per device to the run. runner_describe must have
// described the devices in the run. The check is BROKEN if the device's process died or was ended;
// the other checks have no verdict yet. The run ends as COMPLETE or INTERRUPTED. Fails with
// ERROR_USAGE if there are more than CHECK_DEVICES_MAX devices.
MUST_CHECK bool check_measure(struct run *run, const struct check_desc *desc,
                              struct check_parts *parts, struct error *err);
void check_parts_destroy(struct check_parts *parts);

// check_serve runs the process of one device, whose standard input is a socket to the parent.
struct check_serve_desc {
    const char *const *known; // identities of all devices of the API; [0] is the measured device
    size_t known_count;
    bool quick;
    bool stays; // after measuring, waits for a line, then sends the card's state once more
    uint64_t soak_ns;
    bool validation;
};
MUST_CHECK bool check_serve(const struct check_serve_desc *desc, int socket_fd, struct error *err);

#endif
