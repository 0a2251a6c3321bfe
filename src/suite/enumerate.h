// SPDX-License-Identifier: MIT
// Lists the devices of every API without loading a driver into this process. Each backend lists its
// devices in a process of its own, all at the same time. A driver that crashes, hangs, or ends its
// process makes its own API unavailable, with the reason.
#ifndef SUITE_ENUMERATE_H
#define SUITE_ENUMERATE_H

#include "gpu/gpu.h"

struct enumerate_desc {
    const char *const *argv; // this binary and its hidden command, to which the API's name is
                             // added; NULL-ended
    const char *const *environment; // of the processes; NULL-ended
    uint64_t silence_ns;            // a driver that is silent for longer is given up; 0: 30 s
    bool validation;                // of backends that have no driver
    // Called once if drivers have not answered after 2 s. NULL: not called.
    void (*waiting)(void *context, const char *apis); // such as "vulkan, opencl"
    void *context;
};

// Sets *environment to the environment that processes need in which the listed devices are opened;
// it lives in `arena`, as all that desc points to must. The caller destroys the system.
struct gpu_system *enumerate_devices(struct arena *arena, const struct enumerate_desc *desc,
                                     const char *const **environment);

// The process of one backend, whose standard input is a socket to the parent. Sends the devices of
// the backend, then waits until the parent kills it: so no driver is unloaded, which may crash.
MUST_CHECK bool enumerate_serve(const struct gpu_system_desc *desc, int socket_fd,
                                struct error *err);

#endif
