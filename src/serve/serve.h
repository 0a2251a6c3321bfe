// SPDX-License-Identifier: MIT
// The server of `fathom serve`: the report's page with controls, on the loopback address, and a web
// socket through which it measures (docs/SERVE.md). HTTP and web sockets are civetweb's, a library
// that is opened at run time.
//
// Who may do what. Only this machine reaches the server. The page is for anyone here, and holds
// nothing; the web socket is for who knows the token, which is new at each start and stands in the
// printed address behind the '#', so that a browser sends it to no one. Host and Origin are checked
// (serve/peer.h), so that no page of another site can use the socket of a user's browser. No
// message can name a file, and the server opens none.
#ifndef SERVE_SERVE_H
#define SERVE_SERVE_H

#include "suite/runner.h"

enum {
    SERVE_TABS_MAX = 8 // web sockets at a time
};

struct serve_desc {
    struct runner_desc runner; // devices, choices.system, worker_argv, worker_environment,
                               // silence_ns, and interrupt, whose first signal ends the server
    int argc;                  // the command, for the runs
    char **argv;
    unsigned port; // 0: any free one
    // Called once, when the server can be reached at `url`. May be NULL.
    void (*ready)(void *context, const char *url);
    void *context;
};

// Serves until the first signal: then false with ERROR_INTERRUPTED. False with another error if the
// server cannot be started: ERROR_IO (the port is taken), ERROR_UNSUPPORTED (no page in this
// build), ERROR_USAGE (civetweb is not installed).
MUST_CHECK bool serve_run(const struct serve_desc *desc, struct error *err);

#endif
