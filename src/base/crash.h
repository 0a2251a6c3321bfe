// SPDX-License-Identifier: MIT
// Protects fathom from drivers that crash. Reports the library in which this process crashes, if it
// is known. Can end this process without running the exit handlers of drivers.
#ifndef BASE_CRASH_H
#define BASE_CRASH_H

#include "base/arena.h"

// Installs a handler for SIGSEGV, SIGBUS, SIGFPE and SIGILL. The handler writes the line
// {"crash":"libfoo.so"} to the child's channel (base/child.h), then the process ends. libfoo.so is
// the file of the faulting instruction; if it is unknown, no line is written. In the calling
// thread, this also works after a stack overflow: the handler has its own stack, in `arena`.
// Drivers may replace the handler.
void crash_announce(struct arena *arena);

// Writes the buffered output and ends the process at once. Does not run the exit handlers that
// drivers have registered, because some drivers crash in them.
_Noreturn void crash_evade(int status);

#endif
