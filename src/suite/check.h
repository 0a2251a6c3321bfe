// SPDX-License-Identifier: MIT
// Measures the figures of a check on several devices in parallel, each in its own process. Such a
// process measures like `fathom run` and sends its run after each benchmark. If it dies or becomes
// silent, only its device is called broken, and the check still ends in time. Then the parent
// process measures what several devices can do at once, with one worker per device. Meanwhile the
// processes of the devices wait. At the end these processes read the states of their cards once
// more.
#ifndef SUITE_CHECK_H
#define SUITE_CHECK_H

#include "bench/choices.h"
#include "bench/plan.h"
#include "suite/interrupt.h"
#include "suite/select.h"

#include "results/check.h"

enum {
    CHECK_DEVICES_MAX = 16,
    // Maximum time of a check in seconds, without check_desc.soak_ns. A device that needs longer
    // gets the verdict "broken". If all devices are simulated, the maximum is ten times as long.
    CHECK_DEADLINE_S = 60,
    CHECK_START_S = 2 // planned time in seconds for starting the processes and their drivers
};

// ---------------------------------------------------------------- the plan of a check

enum check_part {
    CHECK_ALONE,       // this part measures each device by itself, all devices in parallel
    CHECK_ALONE_QUICK, // this part is like CHECK_ALONE, with fewer cases and less time
    CHECK_AT_ONCE      // this part measures what several devices can do at the same time
};

// Chooses the cases of one part of a check, on the devices of the run. Sets the preset, benchmarks
// and settings of `request`, from which a plan is made. request->system must be set.
void check_choose(struct run *run, enum check_part part, struct choice_request *request);

// Makes the plan of one device for the part CHECK_AT_ONCE. Serves as runner_desc.plan.
struct plan *check_plan_at_once(struct arena *arena, const struct choice_request *request,
                                const struct gpu_info *device, struct run *run, struct error *err);

// Returns the maximum time in seconds of a part of a check on `devices` devices: CHECK_START_S plus
// the time limits of its benchmarks. A benchmark of the host link counts once per device, because
// the devices take turns. CHECK_AT_ONCE takes 0 s if there is one device.
double check_plan_s(size_t devices, enum check_part part);

// ---------------------------------------------------------------- measuring a check

struct check_desc {
    const struct device_list *devices; // devices to check, at most CHECK_DEVICES_MAX
    const struct gpu_system *system;
    const char *const *argv; // command of a device's process, without "-d"; ends with NULL
    // Command of a worker (runner_desc.worker_argv). If it is NULL, nothing is measured on several
    // devices at once.
    const char *const *worker_argv;
    // Environment of the devices' processes (child_desc.environment).
    const char *const *environment;
    // Time in ns after which a silent process is ended; 0 means the maximum time of a check.
    uint64_t silence_ns;
    // Time in ns for which the measurements are repeated to heat the cards. It is added to the
    // maximum time of the check.
    uint64_t soak_ns;
    // Counter of the user's signals, which end the check. NULL if signals are not watched.
    struct interrupt *interrupt;
};

// The runs that the processes of the devices sent. They must live as long as the run of
// check_measure, which uses their texts.
struct check_parts {
    struct run *runs[CHECK_DEVICES_MAX]; // run of each device; NULL if its process sent no run
    size_t count;
    struct run *at_once; // results of several devices at once; NULL if these were not measured
};

// Measures all devices, which runner_describe must have described in `run`. Adds their results and
// one check per device. The run ends as COMPLETE or INTERRUPTED. A check is BROKEN if the device's
// process died, was silent for too long or sent no valid run; the other checks have no verdict yet.
// Fails with ERROR_USAGE if there are more than CHECK_DEVICES_MAX devices.
MUST_CHECK bool check_measure(struct run *run, const struct check_desc *desc,
                              struct check_parts *parts, struct error *err);
void check_parts_destroy(struct check_parts *parts);

// Describes what check_serve measures, in the process of one device. The standard input of this
// process is a socket to the parent.
struct check_serve_desc {
    // identities of all devices of the API; known[0] is the measured device
    const char *const *known;
    size_t known_count;
    bool quick;
    // true: after measuring, the process waits for a line, then sends the card's state once more
    bool stays;
    uint64_t soak_ns;
    bool validation;
};
MUST_CHECK bool check_serve(const struct check_serve_desc *desc, int socket_fd, struct error *err);

#endif
