// SPDX-License-Identifier: MIT
// Measures the figures of a check on several devices side by side. Each device has a process of its
// own, which measures with the means of `fathom run` and sends what it has after each benchmark. A
// process that dies or is silent takes only its own device with it, and this process always ends.
#ifndef SUITE_CHECK_H
#define SUITE_CHECK_H

#include "suite/interrupt.h"
#include "suite/select.h"

#include "results/check.h"

enum {
    CHECK_DEVICES_MAX = 16,
    CHECK_DEADLINE_S = 60 // a device that is not done by then is broken
};

struct check_desc {
    const struct device_list *devices; // at most CHECK_DEVICES_MAX
    const struct gpu_system *system;
    const char *const *argv;        // of a device's process, NULL-ended, without the device
    const char *const *environment; // of the processes, as child_desc.environment
    uint64_t silence_ns;            // a process silent for longer is ended; 0: CHECK_DEADLINE_S
    uint64_t soak_ns;               // measured again and again for so long; the deadline moves
    struct interrupt *interrupt;    // a signal ends the check; NULL: signals are not watched
};

// What the processes sent. It must live as long as the run that check_measure filled.
struct check_parts {
    struct run *runs[CHECK_DEVICES_MAX]; // NULL: nothing came
    size_t count;
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
    uint64_t soak_ns;
    bool validation;
};
MUST_CHECK bool check_serve(const struct check_serve_desc *desc, int socket_fd, struct error *err);

#endif
