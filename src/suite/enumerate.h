// SPDX-License-Identifier: MIT
// Lists the devices of every API without loading a driver into this process. Each backend lists its
// devices in a process of its own, all at the same time. If a driver crashes, hangs, or ends its
// process, only its own API becomes unavailable, with the reason.
#ifndef SUITE_ENUMERATE_H
#define SUITE_ENUMERATE_H

#include "gpu/gpu.h"

struct enumerate_desc {
    const char *const *argv;        // command to which the API's name is added; ends with NULL
    const char *const *environment; // environment of the processes; ends with NULL
    uint64_t silence_ns;            // a driver that is silent for longer is given up; 0: 30 s
    bool validation;                // for backends without a driver
    // Called once if some drivers have not answered after 2 s. May be NULL.
    void (*waiting)(void *context, const char *apis); // as "vulkan, opencl"
    void *context;
};

// Sets *environment, in `arena`, to the environment for processes that open one of the listed
// devices. Everything that desc points to must live as long as `arena`. The caller destroys the
// system.
struct gpu_system *enumerate_devices(struct arena *arena, const struct enumerate_desc *desc,
                                     const char *const **environment);

// Runs the process of one backend; its standard input is a socket to the parent. Sends the devices
// of the backend, then waits until the parent kills it: so no driver is unloaded, which might
// crash.
MUST_CHECK bool enumerate_serve(const struct gpu_system_desc *desc, int socket_fd,
                                struct error *err);

#endif
