// SPDX-License-Identifier: MIT
// Makes visits on one open device: what a worker process does, and what --no-isolate does in this
// one. Opens the device at the first visit; keeps one benchmark's session, and what its cases
// remember, until another benchmark's turn comes.
#ifndef SUITE_VISITOR_H
#define SUITE_VISITOR_H

#include "suite/protocol.h"

struct visitor;

struct visitor_desc {
    const char *device_id;
    bool validation; // the API's own; a message from it fails the visit
};

// Loads the API of the device. NULL with ERROR_NO_DEVICE where the device is not there.
struct visitor *visitor_create(const struct visitor_desc *desc, struct error *err);
void visitor_destroy(struct visitor *visitor);

// The visit lives in `arena`. After ERROR_DEVICE_LOST or ERROR_TIMEOUT the visitor is of no more
// use.
MUST_CHECK bool visitor_visit(struct visitor *visitor, const struct visit_order *order,
                              struct arena *arena, struct measure_visit **visit, struct error *err);

#endif
