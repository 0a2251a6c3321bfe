// SPDX-License-Identifier: MIT
// Formats text for a terminal: widths, padding, safe quotation, bars, and the unit that a column of
// numbers shares.
#ifndef REPORT_SCREEN_H
#define REPORT_SCREEN_H

#include "base/arena.h"
#include "results/results.h"

#include <stdio.h>

enum {
    SCREEN_COLUMNS = 100,
    SCREEN_COLUMNS_MIN = 40
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
    FILE *stream;        // stream that collects the text of the screen in `memory`
    struct arena *arena; // arena of texts that are made for the screen; screen_finish destroys it
    bool colour;
    unsigned columns; // width of the screen, in columns
    struct text_stream memory;
};

// Starts a screen, which collects text in memory. It is `columns` wide, but at least
// SCREEN_COLUMNS_MIN; 0 means SCREEN_COLUMNS. screen_finish writes the text to `stream`, without
// blanks at the ends of lines, and destroys the arena. Characters of text_is_control except
// newlines, and bytes that are not UTF-8, become "?". On a screen narrower than SCREEN_COLUMNS,
// lines that are wider than the screen are broken at blanks, and go on indented. (A pipe counts as
// SCREEN_COLUMNS wide. Its lines stay whole, for programs that read them.)
void screen_init(struct screen *screen, bool colour, unsigned columns);
void screen_finish(struct screen *screen, FILE *stream);

// Returns the width of a text in columns. It is the number of code points: texts in scripts with
// double-width characters are not expected.
size_t screen_width(const char *text);

// If the text is wider than *columns, sets *columns to its width.
void screen_widen(size_t *columns, const char *text);

// Returns `wanted` columns; on a screen narrower than SCREEN_COLUMNS, at most the part 1 / `parts`
// of the screen.
size_t screen_part(const struct screen *screen, size_t wanted, size_t parts);

// Returns the text, cut to at most `columns` columns. A text that was cut ends with an ellipsis,
// unless `columns` is 0. Each character of text_is_control, and each byte that is not UTF-8, is
// replaced by "?".
const char *screen_quote(struct arena *arena, const char *text, size_t columns);

// Appends " · ", `what` and `value` to `list`, as in "vulkan:0 · driver 580.1", and returns the
// result. If `list` is "", omits the " · ". If `value` is NULL or "", returns `list`.
const char *screen_also(struct arena *arena, const char *list, const char *what, const char *value);

// Returns `text` repeated `count` times.
const char *screen_repeat(struct arena *arena, const char *text, size_t count);

// screen_left writes a text and then blanks, up to a width of `columns`; screen_right writes the
// blanks first.
void screen_left(struct screen *screen, const char *text, size_t columns);
void screen_right(struct screen *screen, const char *text, size_t columns);

// screen_paint and the next two functions write a text. If the screen has colours, the text has a
// colour or style. screen_paint_left then adds blanks up to a width of `columns`;
// screen_paint_right writes them first.
void screen_paint(struct screen *screen, enum screen_paint paint, const char *text);
void screen_paint_left(struct screen *screen, enum screen_paint paint, const char *text,
                       size_t columns);
void screen_paint_right(struct screen *screen, enum screen_paint paint, const char *text,
                        size_t columns);

// Writes an empty line, and a line with a title in bold.
void screen_title(struct screen *screen, const char *title);

// Writes a text as a point of a list: "  • TEXT", in lines as screen_wrap writes them.
void screen_point(struct screen *screen, const char *text);

// Writes a text in lines broken at spaces, and a newline at its end. The first line begins at the
// cursor, which is in column `first_column`; all other lines begin with `indent` spaces. A word
// that is longer than a line is cut (screen_quote).
void screen_wrap(struct screen *screen, const char *text, size_t first_column, size_t indent);

// How a column of numbers is printed. All its numbers share a unit and mostly a number of decimals
// (screen_number makes exceptions).
struct screen_scale {
    double factor; // the printed number is value × factor
    int decimals;
    const char *unit; // name of the unit: "TB/s"
};

// Returns the scale that suits the geometric mean of the values without their signs. If one value
// is much larger, the scale may have fewer decimals. Values that are 0 or not finite are ignored.
struct screen_scale screen_scale_of(const double *values, size_t count, enum unit unit);

// Returns the value in the scale's unit as text: "4614.2", or "–" if it is not finite. A small
// value gets more decimals than the scale has, and a huge one an exponent.
const char *screen_number(struct arena *arena, double value, const struct screen_scale *scale);

// Returns a value for readers, with its unit: "4.72 TB/s", or "–" if it is not finite. It has three
// significant digits, but no fewer digits than the whole number; below 1e-4 also an exponent.
const char *screen_short(struct arena *arena, double value, enum unit unit);

// Returns the metric's median with its unit, such as "17.19 ns", or "≥ 1.910 ms" if it is a lower
// bound. Returns `absent` if `metric` is NULL or its median is not finite.
const char *screen_median(struct arena *arena, const struct metric *metric, const char *absent);

// Returns half of the interval's width as a share of the median, such as "±0.4%", at most "±999%".
// Returns "" if the interval is not known or the median is 0.
const char *screen_margin(struct arena *arena, double median, const double ci95[2]);

// Returns the number of results by verdict, such as "5 ok · 2 suspect". Returns "" if there are no
// results.
const char *screen_counts(struct arena *arena, const struct run_counts *counts);

// Returns a bar that fills the share (0 … 1) of `columns` columns, in steps of an eighth of a
// column. No blanks follow it.
const char *screen_bar(struct arena *arena, double share, size_t columns);

// Converts `utc`, a UTC time as in run files, to this machine's time zone (TZ):
// "2026-01-02T04:04:05+01:00", or with "Z" at the end if the zone then equals UTC. Returns any
// other text unchanged, and "" for NULL.
const char *screen_time(struct arena *arena, const char *utc);

// Returns a block whose height shows the share, from ▁ (0) to █ (1).
const char *screen_block(double share);

// Draws a curve as blocks, one for each value, from ▁ (lowest) to █ (highest); all ▁ if these two
// differ by less than 2 %. With more than `columns` values, a block shows the last of several
// neighbours. A value that is not finite, or ≤ 0 if `logarithmic` is true, repeats the block before
// it, or is blank at the beginning. The text ends after the last drawn value.
const char *screen_spark(struct arena *arena, const double *values, size_t count, size_t columns,
                         bool logarithmic);

#endif
