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

// Returns true if the stream is a terminal.
bool terminal_is(FILE *stream);

// Returns how to print tables to the stream. They are coloured if the stream is a terminal and the
// environment variable NO_COLOR (no-color.org) is unset or empty. They are as wide as the terminal,
// but at most SCREEN_COLUMNS wide, as without a terminal.
struct console_desc terminal_console(FILE *stream);

// Writes a text to the file of `stream`, past the stream's buffer, which must have been flushed. If
// the file is a full pipe, waits for room. A signal ends the wait, and two earlier signals prevent
// it: the rest of the text is dropped, and the function returns false. If writing fails, the rest
// is also dropped, but the function returns true, and ferror(stream) is true.
bool terminal_write(FILE *stream, const char *text, size_t bytes, struct interrupt *interrupt);

enum {
    // maximum number of benchmarks per device that get a progress line in a log file (struct
    // progress)
    PROGRESS_LOGGED = 32
};

// Shows the progress of a run. A terminal gets one line, which is redrawn in place and wiped at the
// end. Any other output, such as a log file, gets one line per benchmark, printed when the
// benchmark begins.
struct progress {
    FILE *out;
    // drawn_in_place: `out` is a terminal. drawn: the progress line is on the screen at present.
    bool drawn_in_place, drawn;
    // time in ns when the line was last drawn or wiped; 0 if that never happened
    uint64_t changed_ns;
    // Benchmarks whose progress lines were printed for the device with index `device`. Used only if
    // `out` is not a terminal.
    const struct benchmark *logged[PROGRESS_LOGGED];
    size_t logged_count, device;
};

// Prepares `progress` to show the progress of a run on `out`.
void progress_init(struct progress *progress, FILE *out);

// Shows the progress. On a terminal, draws the line at most ten times a second, and not in the
// tenth of a second after it was wiped: other text may reach the terminal late, through another
// program such as tee.
void progress_draw(struct progress *progress, const struct schedule_state *state, size_t device,
                   size_t devices);

// Wipes the progress line. Must be called at the end, and before anything else is printed.
void progress_wipe(struct progress *progress);

// A text of several lines that is redrawn in place, above the progress line.
struct live_text {
    FILE *out;      // where the text is drawn; NULL if nothing is drawn
    unsigned lines; // number of lines of the text that are on the screen
};

// Prepares to draw a text on `out`. If `out` is not a terminal, nothing will be drawn.
void live_text_init(struct live_text *live, FILE *out);

// Wipes the text that was drawn before and draws `text`, the whole lines of a screen
// (report/screen.h). If `text` has at least as many lines as the terminal, or the terminal is
// narrower than any screen, draws nothing, because such a text could not be wiped again. The cursor
// must be in the first column of the line below the drawn text.
void live_text_draw(struct live_text *live, const char *text);
void live_text_wipe(struct live_text *live);

#endif
