// SPDX-License-Identifier: MIT
// The worker process: `fathom __worker -d DEVICE`, its standard input a socket to the parent. It
// catches nothing: when a driver takes it down, the parent notices.
#ifndef SUITE_WORKER_H
#define SUITE_WORKER_H

#include "suite/visitor.h"

// Serves orders until the parent closes the socket, or until the device is lost. False where the
// parent cannot be answered.
MUST_CHECK bool worker_serve(const struct visitor_desc *desc, int socket_fd, struct error *err);

#endif
