// SPDX-License-Identifier: MIT
// Handles drivers that crash: names the library in which a process crashes, if that is known, and
// ends a process without running the code of drivers.
#ifndef BASE_CRASH_H
#define BASE_CRASH_H

#include "base/arena.h"

// Installs a handler for the faults that end a process (SIGSEGV, SIGBUS, SIGFPE, SIGILL). The
// handler writes the line {"crash":"libfoo.so"} to standard input, which is the child's channel
// (base/child.h), and then lets the process end. The line names the file that contains the faulting
// instruction; if no file does, nothing is written. Drivers may replace the handler. It has a stack
// of its own, in `arena`, so it works after a stack overflow, too.
void crash_announce(struct arena *arena);

// Writes the buffered output and ends the process at once, without running what drivers registered
// for the end of the process, because some drivers crash there.
_Noreturn void crash_evade(int status);

#endif
