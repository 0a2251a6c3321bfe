// SPDX-License-Identifier: MIT
// Counts SIGINT, SIGTERM and SIGHUP. They are blocked and read from a file descriptor, so no code
// runs in a signal handler. After the first signal, the visit is finished and the run ends. The
// second signal ends the visit at once. A SIGINT or SIGHUP that was ignored at the start stays
// ignored (`fathom run &` in a script, nohup).
//
// A thread of fathom can interrupt another thread in the same way without signals, with
// interrupt_init_own and interrupt_raise.
#ifndef SUITE_INTERRUPT_H
#define SUITE_INTERRUPT_H

#include "base/error.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>

struct interrupt {
    // file descriptor, readable while a signal or a call of interrupt_raise is not counted yet
    int fd;
    unsigned count;    // number of signals, or of calls of interrupt_raise, counted so far
    uint64_t first_ns; // time at which the first signal, or call of interrupt_raise, was counted
    sigset_t former;   // signal mask before interrupt_init
    // A thread that receives the signals until interrupt_watch is called. A signal in this thread
    // ends the process.
    pthread_t taker;
    sem_t watched; // interrupt_watch posts this semaphore to end the thread `taker`
    bool is_watched;
    bool own; // true: interrupt_init_own was called, so only calls of interrupt_raise are counted
};

// Blocks SIGINT, SIGTERM and SIGHUP in this thread and in every thread that it starts later, such
// as a driver's threads; SIGINT and SIGHUP stay unblocked if the process ignores them. Also blocks
// SIGPIPE, because the run file must be written even if nobody reads the tables any more. Until
// interrupt_watch is called, a signal ends the process, because an extra thread receives it. So the
// user can stop fathom even if a driver hangs while it is loaded.
MUST_CHECK bool interrupt_init(struct interrupt *interrupt, struct error *err);

// From this call on, signals are only counted and do not end the process. The caller must call
// interrupt_count regularly.
void interrupt_watch(struct interrupt *interrupt);

// Makes an interrupt that counts calls of interrupt_raise instead of signals. Only one thread may
// call interrupt_count and interrupt_clear; any thread may call interrupt_raise.
MUST_CHECK bool interrupt_init_own(struct interrupt *interrupt, struct error *err);
void interrupt_raise(struct interrupt *interrupt);
void interrupt_clear(struct interrupt *interrupt); // sets the number of counted calls back to 0

// Closes `fd`. After interrupt_init, also restores the former signal mask; a signal that is still
// pending then takes effect.
void interrupt_fini(struct interrupt *interrupt);

// Returns the number of signals (or calls of interrupt_raise) so far; 0 if `interrupt` is NULL.
// Equal signals between two calls may count as one. Never blocks.
unsigned interrupt_count(struct interrupt *interrupt);

#endif
