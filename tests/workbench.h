// SPDX-License-Identifier: MIT
// A benchmark's session on the first device of the API that the test goes through (device_api.h),
// as a worker would have it.
#ifndef WORKBENCH_H
#define WORKBENCH_H

#include "bench/bench.h"

struct workbench {
    const struct benchmark *benchmark;
    struct gpu_system *system;
    struct bench_session session;
};

// Opens the device as the benchmark wishes, and its session. False, having said why, where it
// cannot be had; `bench` may be closed all the same.
bool workbench_open(struct workbench *bench, const struct benchmark *benchmark);

// Closes all of it; what the benchmark made and left open is a failure of the test.
void workbench_close(struct workbench *bench);

// For main(): takes the API from its arguments. 0 where tests can run, else the exit status to end
// with: 77 (skipped) where the API has no device.
int workbench_status(int argc, char **argv);

#endif
