// SPDX-License-Identifier: MIT
// Protects fathom from drivers that crash. Reports the library in which this process crashes, if it
// is known. Can end this process without running the exit handlers of drivers.
#ifndef BASE_CRASH_H
#define BASE_CRASH_H

// Start of the line that crash_announce writes; the name of the file follows.
#define CRASH_WORD "crash in "

// Installs a handler for SIGSEGV, SIGBUS, SIGFPE and SIGILL, in a child process (base/child.h). The
// handler writes the line CRASH_WORD "libfoo.so" to the child's channel, then the process ends. The
// parent finds the name in child_end. libfoo.so is the file of the faulting instruction; if it is
// unknown, no line is written. In the calling thread, this also works after a stack overflow,
// because the handler has its own stack, which lives as long as the process. Drivers may replace
// the handler.
void crash_announce(void);

// Writes the buffered output and ends the process at once. Does not run the exit handlers that
// drivers have registered, because some drivers crash in them.
_Noreturn void crash_evade(int status);

#endif
