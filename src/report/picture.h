// SPDX-License-Identifier: MIT
// Draws a summary of each device: its name, the rows of the card, the levels of memory and what
// stands out. The report page begins with this summary (HTML with drawings in SVG). `--svg` writes
// it, too. The summary needs no script, so readers see it in mail, in print, and before the script
// has drawn the charts.
#ifndef REPORT_PICTURE_H
#define REPORT_PICTURE_H

#include "results/results.h"

#include <stdio.h>

// Writes a <section> with an <article> for each device that has results (if none has, for each
// device), numbered by data-subject from 0. An article has the rows of the card (analysis/card.h),
// what stands out, and a pyramid of the levels of memory if there are at least two. Horizontal
// positions are percentages, so the drawings follow the width of the page. After the section come
// the charts of all benchmarks (report/chart.h), within <noscript>.
void picture_write(const struct run *const *runs, size_t count, FILE *stream);

// Writes the summary of one device into an <svg> that is `width` pixels wide, from the coordinate y
// on: its name, the rows of the card, the levels of memory and what stands out. Returns its height
// and the gap below it, in pixels; 0 if the card has no rows. A document needs picture_style (CSS)
// once, in a <style> element.
double picture_put(struct arena *arena, const struct run *run, const char *device, double y,
                   double width, FILE *stream);
extern const char picture_style[];

#endif
