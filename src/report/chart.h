// SPDX-License-Identifier: MIT
// Draws what the benchmarks of a run found, as small SVG drawings without a script. They are for
// the page without JavaScript and for `--svg`. Each drawing can be read alone: it says what it
// shows, and names the device, the driver and the version of fathom.
#ifndef REPORT_CHART_H
#define REPORT_CHART_H

#include "analysis/levels.h"
#include "results/results.h"

#include <stdio.h>

enum {
    CHART_WIDTH = 372, // width of every drawing, in pixels
    CHART_LINES_MAX = 6,
    CHART_BARS_MAX = 8
};

struct chart_line {
    const char *label;
    // value of the line at each x of the chart; not finite where the line has no value
    const double *values;
    // For each x of the chart: true if the line's value there is not trusted.
    const bool *flagged;
};

struct chart_bar {
    const char *label, *text; // label: name of the bar; text: its value with the unit
    double value;
    bool flagged;
};

// The data of one drawing. It shows bars or, if bar_count is 0, lines over a numeric x axis.
struct chart {
    const char *title;  // title of the drawing, which says the main result
    const char *about;  // subtitle, which says what the drawing shows
    const char *origin; // where the values are from: device, driver, version of fathom, date
    const char *metric; // name of the metric that is drawn
    enum unit unit;     // unit of the metric that is drawn
    const char *x_name; // name of the x axis, if the drawing has lines
    enum unit x_unit;
    bool log_x, log_y;
    const double *xs; // x values of the lines, ascending
    size_t x_count;
    struct chart_line *lines; // lines of the chart, at most CHART_LINES_MAX
    size_t line_count;
    struct chart_bar *bars; // bars of the chart, at most CHART_BARS_MAX
    size_t bar_count;
};

// The style sheet (CSS) of the drawings that chart_put writes, as text for a <style> element. A
// document needs the style sheet only once.
extern const char chart_style[];

// Writes the drawing as an <svg> element. In an outer <svg>, it lies at x and y. Returns the
// drawing's height in pixels.
double chart_put(struct arena *arena, const struct chart *chart, double x, double y, FILE *stream);

// Returns the width in pixels that a text of this font size needs at most in the usual fonts.
double chart_text_width(const char *text, double size);

// Returns the charts of a device, in the order of the run's benchmarks, and sets *count. A
// benchmark has at most one chart: of its first view with an x parameter and numbers (curves, bars
// and heat maps before other views). Lines or bars that do not fit are left out. `curve` is the
// device's longest latency curve (analysis/levels.h), or NULL. If it shows at least two levels of
// memory, they are the title of its chart.
const struct chart *charts_of(struct arena *arena, const struct run *run, const char *device,
                              const struct level_curve *curve, size_t *count);

#endif
