// SPDX-License-Identifier: MIT
// Makes visits on one open device, in a worker process or, with --no-isolate, in the process that
// runs the suite. The first visit opens the device. The session of a benchmark, and the data that
// its cases keep between visits, live until another benchmark is visited.
#ifndef SUITE_VISITOR_H
#define SUITE_VISITOR_H

#include "suite/protocol.h"

// For tests: the value of this environment variable is put before /proc when a CPU device is
// watched. Workers inherit the variable.
#define VISITOR_ROOT_VARIABLE "FATHOM_HOST_ROOT"

struct visitor;

struct visitor_desc {
    const char *device;       // id or identity of the device (gpu/info.h)
    const char *const *known; // see gpu_system_desc
    size_t known_count;
    long family_pid; // id of a process; it and its descendants are not other work; 0: this process
    bool near;       // visitor_serve moves the process to the device (visitor_move_to)
    bool validation; // turns the API's own validation on; a message from it makes the visit fail
};

// Loads the API of the device, without opening the device. Returns NULL with ERROR_NO_DEVICE if
// there is no such device.
struct visitor *visitor_create(const struct visitor_desc *desc, struct error *err);
void visitor_destroy(struct visitor *visitor);

// Binds this process to the processors next to the device's card, so that its pinned memory is
// there, too: a healthy link to memory of the other socket looks slow. Does nothing if binding is
// not allowed, as in a job that has other processors.
void visitor_move_to(const struct gpu_info *info);

// Makes one visit; *visit lives in `arena`. Returns false with the visit's error.
MUST_CHECK bool visitor_visit(struct visitor *visitor, const struct visit_order *order,
                              struct arena *arena, struct measure_visit **visit, struct error *err);

// Watches the device for other work (measure/watch.h). Fails with ERROR_UNSUPPORTED if this device
// cannot be watched, or with any error of a visit. finding->who lives in `arena`. On a CPU device,
// least_ns is ignored.
MUST_CHECK bool visitor_watch(struct visitor *visitor, uint64_t least_ns, struct arena *arena,
                              struct watch_finding *finding, struct error *err);

// True if this error of a visit means that the device is lost (ERROR_DEVICE_LOST, ERROR_TIMEOUT).
// The only legal call is then visitor_destroy.
bool visitor_is_lost(const struct error *failure);

// Runs the worker process, `fathom __worker -d DEVICE`, whose standard input is a socket to the
// parent. Makes the visits that the parent asks for, until the parent closes the socket or the
// device is lost. Catches no crash: if a driver ends the worker, the parent starts a new one.
// Returns false if an answer cannot be sent.
MUST_CHECK bool visitor_serve(const struct visitor_desc *desc, int socket_fd, struct error *err);

#endif
