// SPDX-License-Identifier: MIT
// One line on a terminal that says what runs, how far it is and how long it will take; it is drawn
// over and over and leaves nothing behind.
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "suite/schedule.h"

#include <stdio.h>

struct progress {
    FILE *out;         // NULL: nothing is drawn
    uint64_t drawn_ns; // when last
};

// Draws only where `out` is a terminal.
void progress_init(struct progress *progress, FILE *out);

// At most ten times a second. A `struct progress *` is the context.
void progress_draw(void *context, const struct schedule_state *state, size_t device,
                   size_t devices);

// Wipes the line: at the end, and before anything else is printed.
void progress_wipe(struct progress *progress);

// The text of the line: "[2/3] vulkan:0  41%  12 of 30  2:10 left  latency/…", in `arena`, at most
// `columns` wide.
const char *progress_text(struct arena *arena, const struct schedule_state *state, size_t device,
                          size_t devices, size_t columns);

#endif
