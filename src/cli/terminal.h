// SPDX-License-Identifier: MIT
// Tells whether a stream is a terminal, and the terminal's width. Draws the progress line there,
// and the text above that line.
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

// Returns the terminal's width in columns, at most `most`. Returns `most` if the width is not
// known.
unsigned terminal_columns(FILE *stream, unsigned most);

// Writes a text to the file of `stream`, which must have been flushed. If the file is a pipe that
// is full, waits for room until a signal comes; after two signals it does not wait at all. Returns
// false if a signal ended the waiting; the rest of the text is then dropped. The rest is also
// dropped if writing fails; ferror(stream) is then true.
bool terminal_write(FILE *stream, const char *text, size_t bytes, struct interrupt *interrupt);

enum {
    // Maximum number of benchmarks per device whose progress lines are printed (struct progress).
    PROGRESS_LOGGED = 32
};

// Shows the progress of a run. On a terminal this is one line, which is redrawn in place and wiped
// at the end. On other outputs, such as a log file, it is one line per benchmark, printed when the
// benchmark begins.
struct progress {
    FILE *out;
    // drawn_in_place: `out` is a terminal. drawn: the progress line is on the screen.
    bool drawn_in_place, drawn;
    uint64_t changed_ns; // time in ns when the line was last drawn or wiped; 0: never
    // Benchmarks of device number `device` whose progress lines were printed, if `out` is not a
    // terminal.
    const struct benchmark *logged[PROGRESS_LOGGED];
    size_t logged_count, device;
};

// Prepares to show the progress on `out`.
void progress_init(struct progress *progress, FILE *out);

// Shows the progress. On a terminal, draws the line at most ten times a second, and not within a
// tenth of a second after it was wiped: other text may reach the terminal later, through another
// program such as tee.
void progress_draw(struct progress *progress, const struct schedule_state *state, size_t device,
                   size_t devices);

// Wipes the progress line. Must be called at the end, and before anything else is printed.
void progress_wipe(struct progress *progress);

// A text of several lines that is redrawn in place, above the progress line.
struct live_text {
    FILE *out;      // where text is drawn; NULL: nothing is drawn
    unsigned lines; // number of lines of the text that are on the screen
};

// Prepares to draw a text on `out`. If `out` is not a terminal, nothing will be drawn.
void live_text_init(struct live_text *live, FILE *out);

// Wipes the text that was drawn before and draws `text`: whole lines, none wider than the terminal.
// Draws nothing if the text has at least as many lines as the terminal: it could not be wiped
// again. The cursor must be in the first column below the drawn text.
void live_text_draw(struct live_text *live, const char *text);
void live_text_wipe(struct live_text *live);

#endif
