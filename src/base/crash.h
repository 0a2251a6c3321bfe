// SPDX-License-Identifier: MIT
// Names the library in which a process crashes, as far as that can be known.
#ifndef BASE_CRASH_H
#define BASE_CRASH_H

#include "base/arena.h"

// From now on, a fault that ends this process (SIGSEGV, SIGBUS, SIGFPE, SIGILL) first writes the
// line {"crash":"libfoo.so"} to standard input, which is the child's channel (base/child.h): the
// file that the instruction at fault is in. Nothing is written if it is in no file. Drivers may
// replace this handler. The handler's stack lives in `arena`, so that a stack that ran over is
// named, too.
void crash_announce(struct arena *arena);

#endif
