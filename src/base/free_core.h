// SPDX-License-Identifier: MIT
// Keeps the calling thread on a free core of the host, one that nothing else uses, to measure how
// long driver calls take.
//
// The same call is slower on some processors. If other work, perhaps of another virtual machine,
// uses the core's other hardware thread, a CUDA launch takes 3.6 to 4.3 µs instead of 3.0 to 3.4.
// On the processor that handles the card's interrupts, a Vulkan submission takes 28 µs instead of
// 16. Both were measured on hosts of an H200 (docs/evidence/launch.md).
#ifndef BASE_FREE_CORE_H
#define BASE_FREE_CORE_H

#include "base/arena.h"

#include <stdbool.h>

struct free_core;

// Creates the search for a free core, in `arena`. `pci` is the PCI address of the card whose
// interrupts are avoided, such as "0000:1b:00.0"; NULL if not known. `root` is put before the paths
// of /sys and /proc; NULL means "". Both texts must stay valid.
struct free_core *free_core_create(struct arena *arena, const char *root, const char *pci);

// Reads again which processors the calling thread may use, and which handle interrupts of the card.
// Processors with rare interrupts are not avoided; if all processors have interrupts, no processor
// is avoided. Call this function before the three functions below, and again from time to time.
void free_core_refresh(struct free_core *core);

// Returns true if the processor handled interrupts of the card when they were last read.
bool free_core_has_interrupts(const struct free_core *core, unsigned processor);

// Moves the calling thread to a free core whose processor handles no interrupts of the card; if it
// finds no such core, to the least busy core that it compared. The first call compares up to 32
// processors. A later call keeps a free core, or moves to the first free core that it finds. For 20
// ms after a search that found no free core, only a thread on an avoided processor searches. The
// system may move the thread at any time.
void free_core_settle(struct free_core *core);

// Measures the contention of the present core, notes it (free_core_note), and returns true if the
// core is free (free_core_judge). If free_core_settle avoids the present processor, measures
// nothing and returns false.
bool free_core_is_free(struct free_core *core);

// The contention of a core is the ratio of the times of two loops (free_core.c). Other work on the
// core makes it larger. free_core_note stores a contention. free_core_judge returns true if a core
// with this contention is free: at most 1.15 times the lowest stored contention. Before the first
// contention is stored, no core is free.
//
// A few of the lowest contentions are ignored, because on an H200's host 1 or 2 in 10,000 are up to
// 20 % too low. If these counted, no core would be free any more.
void free_core_note(struct free_core *core, double contention);
bool free_core_judge(const struct free_core *core, double contention);

#endif
