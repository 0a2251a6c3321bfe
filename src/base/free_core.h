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
// interrupts. If all of them do, none is avoided. Must be called before the functions below, and
// now and then again.
void free_core_refresh(struct free_core *core);

// Returns true if the processor handled interrupts of the card when they were last read.
bool free_core_has_interrupts(const struct free_core *core, unsigned processor);

// Moves the calling thread to a free core: a processor that handles no interrupts of the card, and
// whose core nothing else uses. The first call compares all processors without interrupts of the
// card that the thread may use, at most 32. Later calls do nothing if the thread is on a free core;
// else they stop at the first free core that they find. If no core is free, the thread is moved to
// the best of those compared, and the next search is made 20 ms later at the earliest, unless the
// thread is then on a processor with interrupts. The system may move the thread again later.
void free_core_settle(struct free_core *core);

// Returns true if the calling thread is on a free core now.
bool free_core_is_free(struct free_core *core);

// The rule by which free_core_settle and free_core_is_free decide whether a core is free. The
// contention of a core is the time of one loop divided by the time of another (free_core.c); it is
// larger beside other work. free_core_note adds a reading of the contention to all readings so far.
// free_core_judge returns true if a core with this contention is free: if the contention is at most
// 1.15 times the lowest reading. A few of the lowest readings are passed over, because 1 or 2 in
// 10,000 are too low by up to 20 % (an H200's host), presumably because the core's clock rises
// while they are taken. If one of these counted, no core would be free any more. Before the first
// reading no core is free.
void free_core_note(struct free_core *core, double contention);
bool free_core_judge(const struct free_core *core, double contention);

#endif
