// SPDX-License-Identifier: MIT
// What the benchmarks of a run found, as small drawings in SVG that need no script: for the page
// without JavaScript, for paper, and for `--svg`. Each says what it shows, and of which device,
// driver and version.
#ifndef REPORT_CHART_H
#define REPORT_CHART_H

#include "analysis/levels.h"
#include "results/results.h"

#include <stdio.h>

enum {
    CHART_WIDTH = 372, // of every drawing, in pixels
    CHART_LINES_MAX = 6,
    CHART_BARS_MAX = 8
};

struct chart_line {
    const char *label;
    const double *values; // one per x of the chart; not finite: none
    const bool *doubted;  // one per x: the value is not trusted
};

struct chart_bar {
    const char *label, *text; // what it is of, its value with the unit
    double value;
    bool doubted;
};

// Lines over numbers or, with a bar_count, bars.
struct chart {
    const char *title;  // what came out
    const char *about;  // what is drawn
    const char *origin; // device, driver, version
    const char *metric; // what the values are
    enum unit unit;     // of the values
    const char *x_name; // what the numbers of lines are
    enum unit x_unit;
    bool log_x, log_y;
    const double *xs; // ascending
    size_t x_count;
    struct chart_line *lines; // at most CHART_LINES_MAX
    size_t line_count;
    struct chart_bar *bars; // at most CHART_BARS_MAX
    size_t bar_count;
};

// The style sheet of the drawings, as the text of a <style> element: once in a document.
extern const char chart_style[];

// Writes the drawing as an <svg> element that stands at x, y if it is within another. Returns its
// height in pixels.
double chart_put(struct arena *arena, const struct chart *chart, double x, double y, FILE *stream);

// The width in pixels that a text of this size needs at most, in any usual font.
double chart_text_width(const char *text, double size);

// A chart for each benchmark that has a number on this device, in the order of the run: the first
// of its views with numbers, cut to what fits, with a title that says what came out. `curve`: the
// device's longest curve (analysis/levels.h), whose levels the title of its chart says; NULL: none.
// Sets *count.
const struct chart *charts_of(struct arena *arena, const struct run *run, const char *device,
                              const struct level_curve *curve, size_t *count);

#endif
