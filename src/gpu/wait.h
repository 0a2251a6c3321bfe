// SPDX-License-Identifier: MIT
// Waiting for backends whose driver can only be asked whether work is done. At first it asks
// without sleeping, so that short work does not wait for a timer; later it sleeps between
// questions, longer and longer.
#ifndef GPU_WAIT_H
#define GPU_WAIT_H

#include "base/clock.h"
#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

// Time limit of a host copy for the work that was submitted before it.
#define GPU_WAIT_DRAIN_NS (30 * NS_PER_S)

enum gpu_wait_answer {
    GPU_WAIT_NOT_YET,
    GPU_WAIT_DONE,
    GPU_WAIT_FAILED // `ask` has filled the error
};

struct gpu_wait_desc {
    const char *id; // the device's id, for the message
    uint64_t timeout_ns;
    enum gpu_wait_answer (*ask)(void *context, struct error *err);
    void *context;
};

// Calls `ask` until the work is done. False with ERROR_TIMEOUT after timeout_ns, or with the error
// that `ask` filled.
MUST_CHECK bool gpu_wait(const struct gpu_wait_desc *desc, struct error *err);

#endif
