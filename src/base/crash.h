// SPDX-License-Identifier: MIT
// Drivers that crash: names the library in which a process crashes, as far as that can be known,
// and ends a process without the code of drivers.
#ifndef BASE_CRASH_H
#define BASE_CRASH_H

#include "base/arena.h"

// Installs a handler for the faults that end a process (SIGSEGV, SIGBUS, SIGFPE, SIGILL). The
// handler writes the line {"crash":"libfoo.so"} to standard input, which is the child's channel
// (base/child.h), and then lets the process end. The line names the file that contains the
// instruction at fault; if no file contains it, nothing is written. Drivers may replace the
// handler. It has a stack of its own, in `arena`, so it also runs after a stack overflow.
void crash_announce(struct arena *arena);

// Writes the buffered output and ends the process at once. Nothing that drivers left for the end of
// the process runs, because some drivers crash there.
_Noreturn void crash_evade(int status);

#endif
