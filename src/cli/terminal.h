// SPDX-License-Identifier: MIT
// What a command asks about the terminal behind a stream, and the progress line that it draws
// there.
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include "suite/schedule.h"

#include <stdbool.h>
#include <stdio.h>

// True if the stream is a terminal.
bool terminal_is(FILE *stream);

// True if the stream is a terminal and NO_COLOR (no-color.org) is not set in the environment.
bool terminal_has_colour(FILE *stream);

// The terminal's width in columns, at most `most`. Returns `most` if the width is unknown.
unsigned terminal_columns(FILE *stream, unsigned most);

// The progress line: which case is measured, how much is done, how much time is left. It is redrawn
// in place and wiped at the end.
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

#endif
