// SPDX-License-Identifier: MIT
// For backends whose drivers can only be asked whether something is done: asking until it is, or
// until the time is over. At first without sleep, because short work should not wait for a timer,
// then less and less often.
#ifndef GPU_WAIT_H
#define GPU_WAIT_H

#include "base/clock.h"
#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

// How long a host copy waits for what was queued before it.
#define GPU_WAIT_DRAIN_NS (30 * NS_PER_S)

enum gpu_wait_answer {
    GPU_WAIT_NOT_YET,
    GPU_WAIT_DONE,
    GPU_WAIT_FAILED // with the error filled
};

struct gpu_wait_desc {
    const char *id; // the device's, for the message
    uint64_t timeout_ns;
    enum gpu_wait_answer (*ask)(void *context, struct error *err);
    void *context;
};

// False with ERROR_TIMEOUT, or with what `ask` filled.
MUST_CHECK bool gpu_wait(const struct gpu_wait_desc *desc, struct error *err);

#endif
