// SPDX-License-Identifier: MIT
// Lists the devices of every API without loading a driver into this process. Each backend with a
// driver lists its devices in its own process; all these processes run at the same time. If a
// driver crashes, hangs, or ends its process, only its own API becomes unavailable, with the
// reason.
#ifndef SUITE_ENUMERATE_H
#define SUITE_ENUMERATE_H

#include "gpu/gpu.h"

struct enumerate_desc {
    // Command of a backend's process, to which the API's name is added. Ends with NULL.
    const char *const *argv;
    const char *const *environment; // environment of the backends' processes; ends with NULL
    // Time in ns after which fathom no longer waits for a silent driver; 0 means 30 s.
    uint64_t silence_ns;
    // True: turns the API's validation on in the backends that need no driver, which this process
    // lists itself. The processes of the other backends decide by themselves.
    bool validation;
    // Called once if some drivers have not answered after 2 s. `apis` names their APIs: "vulkan,
    // opencl". May be NULL.
    void (*waiting)(void *context, const char *apis);
    void *context;
};

// Returns a system with the devices of every API; the caller destroys it. Sets *environment, in
// `arena`, to the environment that a process needs to open one of these devices. Everything that
// desc points to must live as long as `arena`.
struct gpu_system *enumerate_devices(struct arena *arena, const struct enumerate_desc *desc,
                                     const char *const **environment);

// Runs in the process of one backend; the standard input is a socket to the parent. Sends the
// backend's devices, then waits until the parent kills the process, because a driver might crash
// while it is unloaded. Returns false if the answer cannot be sent.
MUST_CHECK bool enumerate_serve(const struct gpu_system_desc *desc, int socket_fd,
                                struct error *err);

#endif
