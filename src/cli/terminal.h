// SPDX-License-Identifier: MIT
// Answers a command's questions about a stream's terminal, and draws the progress line there.
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

// The terminal's width in columns, at most `most`. Returns `most` if the width is unknown.
unsigned terminal_columns(FILE *stream, unsigned most);

// Writes to the file of `stream`, which must be flushed. If it is a full pipe, waits until it has
// room or a signal comes; after two signals it does not wait. Returns false if a signal ended the
// waiting: the rest of the text is then dropped. If writing fails, the rest is dropped too, and
// ferror(stream) is true.
bool terminal_write(FILE *stream, const char *text, size_t bytes, struct interrupt *interrupt);

enum {
    PROGRESS_LOGGED = 32 // most benchmarks that get a line each
};

// The progress: on a terminal a line that is redrawn in place and wiped at the end; elsewhere a
// line for each benchmark that begins.
struct progress {
    FILE *out;
    bool drawn_in_place, drawn;                      // out is a terminal; the line stands there now
    uint64_t changed_ns;                             // when it was drawn or wiped last; 0: never
    const struct benchmark *logged[PROGRESS_LOGGED]; // benchmarks that have a line, on this device
    size_t logged_count, device;
};

// Prepares to draw on `out`.
void progress_init(struct progress *progress, FILE *out);

// Shows the progress. Draws the line at most ten times a second, and not within a tenth of a second
// after it was wiped: what was printed meanwhile may reach the terminal through another program, as
// `| tee` does.
void progress_draw(struct progress *progress, const struct schedule_state *state, size_t device,
                   size_t devices);

// Wipes the line. Call it at the end, and before anything else is printed.
void progress_wipe(struct progress *progress);

// A text of several lines that is redrawn in place, above the progress line.
struct live_text {
    FILE *out;      // NULL: nothing is drawn
    unsigned lines; // that stand on the screen
};

// Prepares to draw on `out`, if it is a terminal.
void live_text_init(struct live_text *live, FILE *out);

// Wipes what was drawn before and draws `text`, whole lines no wider than the terminal. A text that
// is higher than the terminal is not drawn: it could not be wiped. The cursor must be in the first
// column, below what was drawn.
void live_text_draw(struct live_text *live, const char *text);
void live_text_wipe(struct live_text *live);

#endif
