// SPDX-License-Identifier: MIT
// The progress line on a terminal: which case is measured, how much is done, how much time is left.
// It is redrawn in place and wiped at the end.
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "suite/schedule.h"

#include <stdio.h>

struct progress {
    FILE *out;         // NULL: no terminal, nothing is drawn
    uint64_t drawn_ns; // when the line was last drawn; 0: no line stands on the terminal
};

// Prepares to draw on `out`, if it is a terminal.
void progress_init(struct progress *progress, FILE *out);

// Draws the line, at most ten times a second. `context` is a struct progress *.
void progress_draw(void *context, const struct schedule_state *state, size_t device,
                   size_t devices);

// Wipes the line. Call it at the end, and before anything else is printed.
void progress_wipe(struct progress *progress);

// The text of the line: "[2/3] vulkan:0  41%  12 of 30  2:10 left  latency/…", in `arena`, at most
// `columns` wide.
const char *progress_text(struct arena *arena, const struct schedule_state *state, size_t device,
                          size_t devices, size_t columns);

#endif
