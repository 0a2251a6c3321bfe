// SPDX-License-Identifier: MIT
// Answers a command's questions about the terminal behind a stream, and draws the progress line
// there.
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include "suite/interrupt.h"
#include "suite/schedule.h"

#include <stdbool.h>
#include <stdio.h>

// True if the stream is a terminal.
bool terminal_is(FILE *stream);

// True if the stream is a terminal and NO_COLOR (no-color.org) is unset or empty in the
// environment.
bool terminal_has_colour(FILE *stream);

// Returns the terminal's width in columns, but at most `most`; `most` if the width is unknown.
unsigned terminal_columns(FILE *stream, unsigned most);

// Writes to the file of `stream`, which must be flushed. If that is a full pipe, waits until it has
// room or a signal comes; after two signals it no longer waits. Returns false if a signal ended the
// waiting: the rest of the text is then dropped. It is also dropped if writing fails;
// ferror(stream) is then true.
bool terminal_write(FILE *stream, const char *text, size_t bytes, struct interrupt *interrupt);

enum {
    PROGRESS_LOGGED = 32 // with more benchmarks, the further ones get no line
};

// Shows the progress of a run: on a terminal, one line that is redrawn in place and wiped at the
// end; elsewhere, one line for each benchmark that begins.
struct progress {
    FILE *out;
    bool drawn_in_place, drawn;                      // `out` is a terminal; line is on screen
    uint64_t changed_ns;                             // last time of drawing or wiping; 0: never
    const struct benchmark *logged[PROGRESS_LOGGED]; // benchmarks of this device that have a line
    size_t logged_count, device;
};

// Prepares to draw on `out`.
void progress_init(struct progress *progress, FILE *out);

// Shows the progress. Draws the line at most ten times a second, and not within a tenth of a second
// after it was wiped: text that was printed meanwhile may reach the terminal through another
// program, as with `| tee`.
void progress_draw(struct progress *progress, const struct schedule_state *state, size_t device,
                   size_t devices);

// Wipes the line. Call this at the end, and before anything else is printed.
void progress_wipe(struct progress *progress);

// A text of several lines that is redrawn in place, above the progress line.
struct live_text {
    FILE *out;      // NULL: nothing is drawn
    unsigned lines; // number of lines on the screen
};

// Prepares to draw on `out`, if it is a terminal.
void live_text_init(struct live_text *live, FILE *out);

// Wipes the text that was drawn before and draws `text`, in whole lines no wider than the terminal.
// A text with more lines than the terminal is not drawn, because it could not be wiped. The cursor
// must be in the first column, below the drawn text.
void live_text_draw(struct live_text *live, const char *text);
void live_text_wipe(struct live_text *live);

#endif
