// SPDX-License-Identifier: MIT
// Text on a terminal: widths, padding, safe quotation, one unit for a column of numbers, bars.
#ifndef REPORT_SCREEN_H
#define REPORT_SCREEN_H

#include "base/arena.h"
#include "results/units.h"

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
    FILE *stream;        // in memory
    struct arena *arena; // for the texts that are put together on the way
    bool colour;
    unsigned columns; // never more than this many in a line
    char *text;       // what the stream gathered
    size_t bytes;
};

// A screen that gathers what is written, SCREEN_COLUMNS wide if `columns` is 0 and never narrower
// than SCREEN_COLUMNS_MIN. screen_finish sends the text to `stream` without blanks at the ends of
// lines, and destroys the arena.
void screen_init(struct screen *screen, bool colour, unsigned columns);
void screen_finish(struct screen *screen, FILE *stream);

// Columns that a text takes: its code points (no double-width script is expected).
size_t screen_width(const char *text);

// Raises *columns to the width of the text.
void screen_widen(size_t *columns, const char *text);

// The text on one line of at most `columns`, cut with an ellipsis; control characters become "?".
const char *screen_quote(struct arena *arena, const char *text, size_t columns);

// `text` so many times.
const char *screen_repeat(struct arena *arena, const char *text, size_t count);

// Writes a text, padded to `columns`.
void screen_left(struct screen *screen, const char *text, size_t columns);
void screen_right(struct screen *screen, const char *text, size_t columns);

// Writes text in a colour where the screen has any, and as a padded text.
void screen_paint(struct screen *screen, enum screen_paint paint, const char *text);
void screen_paint_left(struct screen *screen, enum screen_paint paint, const char *text,
                       size_t columns);
void screen_paint_right(struct screen *screen, enum screen_paint paint, const char *text,
                        size_t columns);

// Words broken at spaces into lines; lines after the first begin with `indent` spaces.
void screen_wrap(struct screen *screen, const char *text, size_t first_column, size_t indent);

// One unit and number of decimals for a column.
struct screen_scale {
    double factor; // value × factor is shown
    int decimals;
    const char *unit; // "TB/s"
};

// Fit for most of the values (about their geometric mean); non-finite ones do not count.
struct screen_scale screen_scale_of(const double *values, size_t count, enum unit unit);

// "4614.2" by a scale; "–" for a non-finite value.
const char *screen_number(struct arena *arena, double value, const struct screen_scale *scale);

// Half the interval against the value: "±0.4%"; "" where there is none.
const char *screen_margin(struct arena *arena, double median, const double ci95[2]);

// A bar of `share` (0 … 1) of `columns`, in eighths.
const char *screen_bar(struct arena *arena, double share, size_t columns);

// One block per value, ▁ lowest to █ highest, at most `columns`. A gap shows the value before it;
// before the first and after the last value are blanks. Values within 2 % of each other are all ▁.
const char *screen_spark(struct arena *arena, const double *values, size_t count, size_t columns,
                         bool logarithmic);

#endif
