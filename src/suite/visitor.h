// SPDX-License-Identifier: MIT
// Makes visits on one open device, in a worker process or, with --no-isolate, in this process. The
// device is opened when it is first needed. The session of a benchmark, and the data that its cases
// keep between visits, live until a benchmark with another session is visited.
#ifndef SUITE_VISITOR_H
#define SUITE_VISITOR_H

#include "suite/protocol.h"

// Name of an environment variable for tests. Its value is put before the paths /proc and /sys,
// where the visitor looks for other work on the host and for a free core. Workers inherit the
// variable.
#define VISITOR_ROOT_VARIABLE "FATHOM_HOST_ROOT"

struct visitor;

struct visitor_desc {
    const char *device;       // id or identity of the device (gpu/info.h)
    const char *const *known; // identities of all devices of the API (gpu_system_desc.known)
    size_t known_count;
    // A process id. This process and its descendants do not count as other work. 0 means the
    // calling process. visitor_serve uses its parent process instead.
    long family_pid;
    bool near; // true: visitor_serve binds itself to processors near the card (visitor_move_to)
    // true: the API's own validation is on, and a validation message makes the visit fail
    bool validation;
};

// Loads the API of the device, without opening the device. Returns NULL with ERROR_NO_DEVICE if
// there is no such device.
struct visitor *visitor_create(const struct visitor_desc *desc, struct error *err);
void visitor_destroy(struct visitor *visitor);

// Returns the device's info. It lives as long as the visitor.
const struct gpu_info *visitor_info(const struct visitor *visitor);

// Binds the calling thread, and threads that it creates later, to the processors next to the
// device's card, so that pinned memory is allocated there. A link to memory at another socket looks
// slow even if the link is healthy. Does nothing if binding is not permitted.
void visitor_move_to(const struct gpu_info *info);

// Makes one visit; *visit lives in `arena`. Returns false with the error of the visit.
MUST_CHECK bool visitor_visit(struct visitor *visitor, const struct visit_order *order,
                              struct arena *arena, struct measure_visit **visit, struct error *err);

// Watches the device for work of other programs (measure/watch.h), for least_ns (0 means 5 ms). On
// a CPU device, least_ns is ignored: the watch is about the time since the last watch; without a
// visit since the last watch, it takes 0.1 s. finding->who lives in `arena`. Fails with
// ERROR_UNSUPPORTED if this device cannot be watched, and with the errors of a visit.
MUST_CHECK bool visitor_watch(struct visitor *visitor, uint64_t least_ns, struct arena *arena,
                              struct watch_finding *finding, struct error *err);

// True if this error of a visit means that the device is lost: ERROR_DEVICE_LOST or ERROR_TIMEOUT.
// After such an error, the visitor may only be destroyed.
bool visitor_is_lost(const struct error *failure);

// Runs the worker process, `fathom __worker -d DEVICE`, whose standard input is a socket to the
// parent. Carries out the orders of the parent, until the parent closes the socket or the device is
// lost. Returns false if an answer cannot be sent.
MUST_CHECK bool visitor_serve(const struct visitor_desc *desc, int socket_fd, struct error *err);

#endif
