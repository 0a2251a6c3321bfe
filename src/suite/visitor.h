// SPDX-License-Identifier: MIT
// Makes visits on one open device, in a worker process or, with --no-isolate, in this process. The
// first visit opens the device. A benchmark's session, and what its cases keep between visits, stay
// until another benchmark is visited.
#ifndef SUITE_VISITOR_H
#define SUITE_VISITOR_H

#include "suite/protocol.h"

struct visitor;

struct visitor_desc {
    const char *device_id;
    bool validation; // turns the API's own validation on; a message from it fails the visit
};

// Loads the API of the device. NULL with ERROR_NO_DEVICE if there is no such device.
struct visitor *visitor_create(const struct visitor_desc *desc, struct error *err);
void visitor_destroy(struct visitor *visitor);

// Makes one visit, which lives in `arena`. After ERROR_DEVICE_LOST or ERROR_TIMEOUT the visitor can
// only be destroyed.
MUST_CHECK bool visitor_visit(struct visitor *visitor, const struct visit_order *order,
                              struct arena *arena, struct measure_visit **visit, struct error *err);

#endif
