// SPDX-License-Identifier: MIT
// Waits for work by asking the driver again and again whether the work is done, for drivers that
// cannot wait with a time limit. In the first 50 µs it does not sleep, so that short work does not
// wait for a timer. Later it sleeps between the questions, for longer and longer times up to 500
// µs.
#ifndef GPU_WAIT_H
#define GPU_WAIT_H

#include "base/clock.h"
#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

// Time limit, in ns, for a host copy to wait for the work submitted before it, and for its own end.
#define GPU_WAIT_DRAIN_NS (30 * NS_PER_S)

enum gpu_wait_answer {
    GPU_WAIT_NOT_YET,
    GPU_WAIT_DONE,
    GPU_WAIT_FAILED // the wait failed; `ask` has set the error
};

struct gpu_wait_desc {
    const char *id; // the device's id, for error messages
    uint64_t timeout_ns;
    enum gpu_wait_answer (*ask)(void *context, struct error *err);
    void *context;
};

// Calls desc->ask again and again until it reports that the work is done. Fails with ERROR_TIMEOUT
// after timeout_ns, or with the error that desc->ask has set.
MUST_CHECK bool gpu_wait(const struct gpu_wait_desc *desc, struct error *err);

#endif
