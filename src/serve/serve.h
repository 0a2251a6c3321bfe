// SPDX-License-Identifier: MIT
// The server of `fathom serve` (docs/SERVE.md). On the loopback address, it serves the report's
// page with controls, and a web socket through which the page asks for measurements. HTTP and web
// sockets come from civetweb, a library that is opened at run time.
//
// Security: only programs on this machine reach the server, and the page contains no data. The web
// socket requires a token, which is new at each start. It is in the printed address after the '#',
// a part that browsers never send. Host and Origin are checked (serve/peer.h), so that a page of
// another site cannot use the web socket. The server opens no file for a message.
#ifndef SERVE_SERVE_H
#define SERVE_SERVE_H

#include "suite/runner.h"

enum {
    SERVE_TABS_MAX = 8 // maximum number of web sockets at the same time
};

struct serve_desc {
    // The server uses only these members of `runner`: devices, choices.system, worker_argv,
    // worker_environment, silence_ns, in_process, interrupt. A signal of `interrupt` ends the
    // server.
    struct runner_desc runner;
    int argc; // command line of `fathom serve` (argc, argv), which each run stores
    char **argv;
    unsigned port; // TCP port of the server; 0 means any free port
    // Called once, when the server can be reached at `url`. If it fails, the server ends with its
    // error. May be NULL.
    bool (*ready)(void *context, const char *url, struct error *err);
    void *context;
};

// Serves pages until the first signal comes, then fails with ERROR_INTERRUPTED. If the server
// cannot start, fails with ERROR_IO (such as port taken, no thread, no token), ERROR_UNSUPPORTED
// (this build has no page), ERROR_USAGE (civetweb cannot be loaded) or the error of `ready`.
MUST_CHECK bool serve_run(const struct serve_desc *desc, struct error *err);

#endif
