// SPDX-License-Identifier: MIT
// SIGINT, SIGTERM and SIGHUP as something that one asks for, instead of something that happens:
// they are blocked and arrive through a file descriptor, so that no code runs in a handler. The
// first means: finish what is under way and end; a second: end now.
#ifndef SUITE_INTERRUPT_H
#define SUITE_INTERRUPT_H

#include "base/error.h"

#include <signal.h>

struct interrupt {
    int fd;         // readable when a signal waits
    unsigned count; // seen so far
    sigset_t former;
};

// Blocks the signals in this thread and those that it starts later; SIGPIPE too, so that a reader
// of the tables that goes away does not take the run file with it.
MUST_CHECK bool interrupt_init(struct interrupt *interrupt, struct error *err);

// Lets them through again; one that waits still then ends the process.
void interrupt_fini(struct interrupt *interrupt);

// Number of signals so far; never blocks. NULL: 0.
unsigned interrupt_count(struct interrupt *interrupt);

#endif
