// SPDX-License-Identifier: MIT
// SIGINT, SIGTERM and SIGHUP as something that one asks for, instead of something that happens:
// they are blocked and arrive through a file descriptor, so that no code runs in a handler. The
// first means: finish what is under way and end; a second: end a worker's visit now. A SIGHUP that
// was ignored before (nohup) stays so.
#ifndef SUITE_INTERRUPT_H
#define SUITE_INTERRUPT_H

#include "base/error.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>

struct interrupt {
    int fd;         // readable when a signal waits
    unsigned count; // seen so far
    sigset_t former;
    pthread_t mortal; // takes the signals until they are watched for
    sem_t watched;
    bool is_watched;
};

// Blocks the signals in this thread and those that it starts later, such as drivers' threads, which
// would take them; SIGPIPE too, so that a reader of the tables that goes away does not take the run
// file with it. Until interrupt_watch they do what they did before, through a thread of their own:
// a driver that hangs while it is loaded must not keep the process from being ended.
MUST_CHECK bool interrupt_init(struct interrupt *interrupt, struct error *err);

// From here on somebody asks for them.
void interrupt_watch(struct interrupt *interrupt);

// Lets them through again; one that waits still then ends the process.
void interrupt_fini(struct interrupt *interrupt);

// Number of signals so far; never blocks. NULL: 0.
unsigned interrupt_count(struct interrupt *interrupt);

#endif
