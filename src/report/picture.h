// SPDX-License-Identifier: MIT
// Draws a summary of each device: its name, the rows of the card, the levels of memory and what
// stands out. The report page begins with this summary (HTML with drawings in SVG). `--svg` writes
// it, too. The summary needs no script, so readers see it in mail, in print, and before the script
// has drawn the charts.
#ifndef REPORT_PICTURE_H
#define REPORT_PICTURE_H

#include "results/results.h"

#include <stdio.h>

// Writes a <section> with an <article> for each device that has results. If no run has results,
// each device gets an article. An article has the rows of the card (analysis/card.h) and what
// stands out, if the card has rows. If the run shows at least two levels of memory, it also has a
// pyramid of them. The attribute data-subject numbers the articles from 0. Horizontal positions are
// percentages, so the drawings follow the width of the page. After the section come the charts of
// all benchmarks (report/chart.h), within <noscript>.
void picture_write(const struct run *const *runs, size_t count, FILE *stream);

// Writes the summary of one device into an <svg> that is `width` pixels wide: its name, the rows of
// the card, the levels of memory and what stands out. The summary begins at the coordinate y.
// Returns its height and the gap below it, in pixels. If the card has no rows, writes nothing and
// returns 0.
// picture_style is the summary's style sheet (CSS); a document needs it once, in a <style> element.
double picture_put(struct arena *arena, const struct run *run, const char *device, double y,
                   double width, FILE *stream);
extern const char picture_style[];

#endif
