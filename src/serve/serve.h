// SPDX-License-Identifier: MIT
// The server of `fathom serve` (docs/SERVE.md). On the loopback address, it serves the report's
// page with controls, and a web socket through which the page asks for measurements. HTTP and web
// sockets come from civetweb, a library that is opened at run time.
//
// Security: only programs on this machine reach the server. Any of them can get the page, which has
// no data. The web socket requires the token. The token is new at each start; it follows the '#' of
// the printed address, and browsers never send that part. Host and Origin are checked
// (serve/peer.h), so that a page of another site cannot use the web socket through a user's
// browser. No message can name a file, and the server opens none.
#ifndef SERVE_SERVE_H
#define SERVE_SERVE_H

#include "suite/runner.h"

enum {
    SERVE_TABS_MAX = 8 // most web sockets at a time
};

struct serve_desc {
    struct runner_desc runner; // devices, choices.system, worker_argv, worker_environment,
                               // silence_ns, and interrupt, whose first signal ends the server
    int argc;                  // the command line, for the runs
    char **argv;
    unsigned port; // 0: any free port
    // Called once, when the server can be reached at `url`. May be NULL.
    void (*ready)(void *context, const char *url);
    void *context;
};

// Serves until the first signal. Always returns false: with ERROR_INTERRUPTED after a signal, or
// with another error if the server cannot be started: ERROR_IO (the port is taken, no thread, no
// token), ERROR_UNSUPPORTED (no page in this build), ERROR_USAGE (civetweb is not installed).
MUST_CHECK bool serve_run(const struct serve_desc *desc, struct error *err);

#endif
