// SPDX-License-Identifier: MIT
// Waits for work by asking the driver again and again whether the work is done, for drivers that
// cannot wait with a time limit. The first 50 µs pass without sleep, so that short work does not
// wait for a timer; later gpu_wait sleeps between the questions, for longer and longer times up to
// 500 µs.
#ifndef GPU_WAIT_H
#define GPU_WAIT_H

#include "base/clock.h"
#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

// How long a host copy waits for the work that was submitted before it, and for its own end.
#define GPU_WAIT_DRAIN_NS (30 * NS_PER_S)

enum gpu_wait_answer {
    GPU_WAIT_NOT_YET,
    GPU_WAIT_DONE,
    GPU_WAIT_FAILED // `ask` has set the error
};

struct gpu_wait_desc {
    const char *id; // the device's id, for error messages
    uint64_t timeout_ns;
    enum gpu_wait_answer (*ask)(void *context, struct error *err);
    void *context;
};

// Calls `ask` until the work is done. Fails with ERROR_TIMEOUT after timeout_ns, or with the error
// that `ask` set.
MUST_CHECK bool gpu_wait(const struct gpu_wait_desc *desc, struct error *err);

#endif
