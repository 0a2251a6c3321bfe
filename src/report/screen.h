// SPDX-License-Identifier: MIT
// Formats text for a terminal: widths, padding, safe quotation, one unit per column of numbers,
// bars.
#ifndef REPORT_SCREEN_H
#define REPORT_SCREEN_H

#include "base/arena.h"
#include "results/results.h"

#include <stdio.h>

enum {
    SCREEN_COLUMNS = 100,
    SCREEN_COLUMNS_MIN = 60
};

enum screen_paint {
    PAINT_NONE,
    PAINT_BOLD,
    PAINT_DIM,
    PAINT_GREEN,
    PAINT_YELLOW,
    PAINT_RED
};

struct screen {
    FILE *stream;        // writes to `memory`
    struct arena *arena; // for texts that the caller builds; lives until screen_finish
    bool colour;
    unsigned columns; // largest width of a line
    struct text_stream memory;
};

// Starts a screen that gathers text in memory. It is SCREEN_COLUMNS wide if `columns` is 0, and
// never narrower than SCREEN_COLUMNS_MIN. screen_finish writes the text to `stream` without blanks
// at the ends of lines, and destroys the arena.
void screen_init(struct screen *screen, bool colour, unsigned columns);
void screen_finish(struct screen *screen, FILE *stream);

// Returns the width of a text in columns: the number of its code points (no double-width script is
// expected).
size_t screen_width(const char *text);

// Raises *columns to the width of the text if *columns is less.
void screen_widen(size_t *columns, const char *text);

// Returns the text, cut to at most `columns` columns; a cut text ends in an ellipsis. Each control
// character becomes "?".
const char *screen_quote(struct arena *arena, const char *text, size_t columns);

// Returns `text` repeated `count` times.
const char *screen_repeat(struct arena *arena, const char *text, size_t count);

// Write a text and pad it with blanks to `columns`: screen_left aligns it to the left, screen_right
// to the right.
void screen_left(struct screen *screen, const char *text, size_t columns);
void screen_right(struct screen *screen, const char *text, size_t columns);

// Write a text in a colour if the screen has colours; the last two functions also pad it to
// `columns`.
void screen_paint(struct screen *screen, enum screen_paint paint, const char *text);
void screen_paint_left(struct screen *screen, enum screen_paint paint, const char *text,
                       size_t columns);
void screen_paint_right(struct screen *screen, enum screen_paint paint, const char *text,
                        size_t columns);

// Writes a text, broken at spaces into lines, and a newline at the end. The first line begins at
// column `first_column`, where the cursor is; all other lines begin with `indent` spaces.
void screen_wrap(struct screen *screen, const char *text, size_t first_column, size_t indent);

// The unit and the number of decimals that all numbers of a column share.
struct screen_scale {
    double factor; // the number shown is value × factor
    int decimals;
    const char *unit; // "TB/s"
};

// Returns a scale that suits the geometric mean of the values. Values that are 0 or not finite do
// not count.
struct screen_scale screen_scale_of(const double *values, size_t count, enum unit unit);

// Returns the value in the unit of the scale, such as "4614.2"; "–" if it is not finite.
const char *screen_number(struct arena *arena, double value, const struct screen_scale *scale);

// Returns a value with its unit and three significant digits, to be read rather than calculated
// with: "4.72 TB/s"; "–" if it is not finite.
const char *screen_short(struct arena *arena, double value, enum unit unit);

// Returns the metric's median with its unit, such as "17.19 ns"; `absent` if `metric` is NULL or
// its median is not finite.
const char *screen_median(struct arena *arena, const struct metric *metric, const char *absent);

// Returns half of the interval's width as a share of the median, such as "±0.4%"; "" if there is no
// interval.
const char *screen_margin(struct arena *arena, double median, const double ci95[2]);

// Returns the number of results by verdict, such as "5 ok · 2 suspect"; "" if there are no results.
const char *screen_counts(struct arena *arena, const struct run_counts *counts);

// Returns a bar that fills the share (0 … 1) of `columns` columns, in steps of one eighth of a
// column.
const char *screen_bar(struct arena *arena, double share, size_t columns);

// Returns a time in this machine's zone (TZ), as "2026-01-02T04:04:05+01:00"; it ends in "Z" if the
// zone is UTC. `utc` is a time in UTC as run files have it. Any other text is returned unchanged,
// NULL as "".
const char *screen_time(struct arena *arena, const char *utc);

// Returns a block whose height is the share, from ▁ (0) to █ (1).
const char *screen_block(double share);

// Returns one block per value, from ▁ (lowest) to █ (highest), at most `columns` blocks. A value
// that cannot be drawn (not finite, or ≤ 0 with `logarithmic`) repeats the block before it; before
// the first drawn value it is a blank. The text ends after the last drawn value. If the lowest and
// the highest value differ by less than 2 % of the highest, all blocks are ▁.
const char *screen_spark(struct arena *arena, const double *values, size_t count, size_t columns,
                         bool logarithmic);

#endif
