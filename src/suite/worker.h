// SPDX-License-Identifier: MIT
// The worker process: `fathom __worker -d DEVICE`. Its standard input is a socket to the parent. It
// handles no crash: when a driver ends the worker, the parent starts another.
#ifndef SUITE_WORKER_H
#define SUITE_WORKER_H

#include "suite/visitor.h"

// Makes the visits that the parent asks for, until the parent closes the socket or the device is
// lost. False if an answer cannot be sent.
MUST_CHECK bool worker_serve(const struct visitor_desc *desc, int socket_fd, struct error *err);

#endif
