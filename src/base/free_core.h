// SPDX-License-Identifier: MIT
// Keeps the calling thread on a processor core of the host that nothing else uses, while it
// measures how long calls of a driver take.
//
// Two things make the same call slower on one processor than on another. Work on the other hardware
// thread of its core, perhaps of another virtual machine, shares the core's units: launches through
// CUDA take 3.6 to 4.3 µs then, else 3.0 to 3.4. And on the processor that handles the interrupts
// of the card, a submission through Vulkan takes 28 µs, on the 15 others 16 (both on hosts of an
// H200, docs/evidence/launch.md).
#ifndef BASE_FREE_CORE_H
#define BASE_FREE_CORE_H

#include "base/arena.h"

#include <stdbool.h>

struct free_core;

// Creates the search for a free core, in `arena`. `pci` is the PCI address of the card, such as
// "0000:1b:00.0", whose interrupts are avoided; NULL: not known. `root` is put before the paths of
// /sys and /proc; NULL means "". Both must outlive the search.
struct free_core *free_core_create(struct arena *arena, const char *root, const char *pci);

// Reads anew which processors the calling thread may use, and which of them handle the card's
// interrupts. Called before the functions below, and now and then again.
void free_core_refresh(struct free_core *core);

// Returns true if the processor handled interrupts of the card when they were last read.
bool free_core_has_interrupts(const struct free_core *core, unsigned processor);

// Moves the calling thread to a processor whose core nothing else uses and which handles no
// interrupts of the card, if it is not on one already and there is one. The first call compares all
// processors that the thread may use, up to 32. The system may move the thread again later.
void free_core_settle(struct free_core *core);

// Returns true if the calling thread is on such a processor now.
bool free_core_is_free(struct free_core *core);

// The rule by which the functions above know a free core. The contention of a core is the ratio of
// the times of two loops (free_core.c), which is larger beside other work. free_core_note adds a
// reading of it; they do that with each of theirs. free_core_judge returns true if a core with this
// contention has no other work: it is at most 1.15 times the lowest reading. A few readings do not
// count as the lowest, because 1 or 2 in 10,000 are too low by up to 20 % (an H200's host),
// presumably because the core's clock rises while they are taken: after them, no core would be
// free. Before the first reading no core is free.
void free_core_note(struct free_core *core, double contention);
bool free_core_judge(const struct free_core *core, double contention);

#endif
