// SPDX-License-Identifier: MIT
// Waits for work on a device whose driver cannot wait with a time limit. Asks the driver repeatedly
// whether the work is done. In the first 50 µs there is no sleep between two questions, so short
// work does not wait for a timer. Later, the sleeps grow from 20 µs to at most 500 µs.
#ifndef GPU_WAIT_H
#define GPU_WAIT_H

#include "base/clock.h"
#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

// Time limit in ns of each wait in a copy between host and device, through CUDA or OpenCL. Such a
// copy waits first for earlier work, then for its own end.
#define GPU_WAIT_DRAIN_NS (30 * NS_PER_S)

enum gpu_wait_answer {
    GPU_WAIT_NOT_YET,
    GPU_WAIT_DONE,
    GPU_WAIT_FAILED // `ask` failed and has set the error
};

struct gpu_wait_desc {
    const char *id; // id of the device, for error messages
    uint64_t timeout_ns;
    enum gpu_wait_answer (*ask)(void *context, struct error *err);
    void *context;
};

// Calls desc->ask repeatedly until it reports that the work is done. Fails with ERROR_TIMEOUT after
// timeout_ns, or with the error of desc->ask if that fails.
MUST_CHECK bool gpu_wait(const struct gpu_wait_desc *desc, struct error *err);

#endif
