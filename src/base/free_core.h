// SPDX-License-Identifier: MIT
// Keeps the calling thread on a free core of the host: one that nothing else uses. Needed to
// measure how long driver calls take.
//
// The same call is slower on some processors, for two reasons. First, work on the other hardware
// thread of the core, perhaps of another virtual machine, shares the core's units: a launch through
// CUDA then takes 3.6 to 4.3 µs instead of 3.0 to 3.4. Second, one processor handles the interrupts
// of the card: there, a submission through Vulkan takes 28 µs, on the 15 others 16. Both were
// measured on hosts of an H200 (docs/evidence/launch.md).
#ifndef BASE_FREE_CORE_H
#define BASE_FREE_CORE_H

#include "base/arena.h"

#include <stdbool.h>

struct free_core;

// Creates the state of the search for a free core, in `arena`. `pci` is the PCI address of the card
// whose interrupts are avoided, such as "0000:1b:00.0"; NULL if it is not known. `root` is put
// before the paths of /sys and /proc; NULL means "". The texts `pci` and `root` must stay valid as
// long as the returned object is used.
struct free_core *free_core_create(struct arena *arena, const char *root, const char *pci);

// Reads again which processors the calling thread may use, and which processors handle interrupts
// of the card. Rare interrupts are ignored. If all allowed processors handle interrupts, none is
// avoided. Call this function before free_core_has_interrupts, free_core_settle and
// free_core_is_free, and again from time to time.
void free_core_refresh(struct free_core *core);

// Returns true if the processor handled interrupts of the card when they were last read.
bool free_core_has_interrupts(const struct free_core *core, unsigned processor);

// Moves the calling thread to a free core: one that nothing else uses, and whose processor handles
// no interrupts of the card. The first call compares up to 32 processors that are not avoided. A
// later call keeps a free core, or moves to the first free core that it finds.
//
// If it finds no free core, moves the thread to the least busy one that it compared. A call within
// the next 20 ms then searches only if the thread is on an avoided processor. The system may move
// the thread at any time.
void free_core_settle(struct free_core *core);

// Measures the contention of the present core, notes it (free_core_note), and returns true if the
// core is free (free_core_judge). If free_core_settle avoids the present processor, measures
// nothing and returns false.
bool free_core_is_free(struct free_core *core);

// The contention of a core is the time of one loop divided by the time of another loop
// (free_core.c). Other work on the core makes the contention larger. free_core_note stores a
// measured contention. free_core_judge returns true if a core with this contention is free: at most
// 1.15 times the lowest stored contention. Before the first one is stored, no core is free.
//
// Some measured contentions are too low: on an H200's host 1 or 2 in 10,000, by up to 20 %.
// (Presumably the core's clock rises during the measurement.) So a few of the lowest contentions
// are ignored. Otherwise no core would be free any more.
void free_core_note(struct free_core *core, double contention);
bool free_core_judge(const struct free_core *core, double contention);

#endif
