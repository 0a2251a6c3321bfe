// SPDX-License-Identifier: MIT
// Says whether a stream is a terminal and how wide the terminal is. Draws on a terminal the
// progress line of a run, and a text above that line.
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include "report/console.h"
#include "suite/interrupt.h"
#include "suite/schedule.h"

#include <stdbool.h>
#include <stdio.h>

// Returns true if the stream is a terminal. A terminal that only prints lines (TERM=dumb) does not
// count.
bool terminal_is(FILE *stream);

// Returns how to print tables to the stream. They have colours if the stream is a terminal and the
// environment variable NO_COLOR (no-color.org) is unset or empty. Their width is that of the
// terminal, at most SCREEN_COLUMNS. If the stream is no terminal, the width is SCREEN_COLUMNS.
struct console_desc terminal_console(FILE *stream);

// Writes a text directly to the file of `stream`, whose buffer must be empty. If the file is a full
// pipe, waits for room until a signal comes. If two signals came before, does not wait. Without
// room, drops the rest and returns false. If writing fails, returns true, and ferror(stream) is
// true.
bool terminal_write(FILE *stream, const char *text, size_t bytes, struct interrupt *interrupt);

enum {
    // maximum number of benchmarks per device that get a progress line in a log file
    PROGRESS_LOGGED = 32
};

// Shows the progress of a run. A terminal gets one line, which is redrawn in place and wiped at the
// end. Any other output, such as a log file, gets one line when a benchmark begins.
struct progress {
    FILE *out;
    // drawn_in_place is true if `out` is a terminal. drawn is true while the progress line is on
    // the screen.
    bool drawn_in_place, drawn;
    // time in ns of the last drawing or wiping of the line; 0 before the first drawing
    uint64_t changed_ns;
    // Benchmarks that got a line in a log file for the device with index `device`. A terminal does
    // not need them.
    const struct benchmark *logged[PROGRESS_LOGGED];
    size_t logged_count, device;
};

// Prepares `progress` to show the progress of a run on `out`.
void progress_init(struct progress *progress, FILE *out);

// Shows the progress. A terminal gets a new line at most ten times a second. In the first tenth of
// a second after a wipe, nothing is drawn, because late text may still come, such as tables that
// pass through tee.
void progress_draw(struct progress *progress, const struct schedule_state *state, size_t device,
                   size_t devices);

// Wipes the progress line. Must be called at the end, and before anything else is printed.
void progress_wipe(struct progress *progress);

// A text of several lines, which is redrawn in place above the progress line.
struct live_text {
    FILE *out;      // stream on which the text is drawn; NULL if it is not a terminal
    unsigned lines; // number of lines of the text that are on the screen
};

// Prepares to draw a text on `out`. If `out` is not a terminal, nothing will be drawn.
void live_text_init(struct live_text *live, FILE *out);

// Replaces the drawn text by `text`, which consists of whole lines. If the terminal has too few
// lines or columns for it, only wipes the old text, because the new text could not be wiped later.
// The cursor must be in the first column of the line below the drawn text.
void live_text_draw(struct live_text *live, const char *text);
void live_text_wipe(struct live_text *live);

#endif
