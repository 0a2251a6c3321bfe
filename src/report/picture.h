// SPDX-License-Identifier: MIT
// Draws a summary of each device: its name, the rows of the card, the levels of memory and what
// stands out. The report page begins with this summary (HTML with drawings in SVG), and `--svg`
// writes it. The summary needs no script. So readers also see it in mail, in print, and before the
// script has drawn the charts.
#ifndef REPORT_PICTURE_H
#define REPORT_PICTURE_H

#include "results/results.h"

#include <stdio.h>

// Writes a <section> with an <article> for each device that has results. If no run has results,
// each device of all runs gets an article. An article has the rows of the card (analysis/card.h)
// and what stands out. If the run shows at least two levels of memory, it also has these levels as
// a pyramid. data-subject counts the articles from 0. The drawings follow the width of the page,
// because horizontal positions are percentages. After the section come the charts of all benchmarks
// (report/chart.h), within <noscript>.
void picture_write(const struct run *const *runs, size_t count, FILE *stream);

// Writes the name, the rows of the card, the levels of memory and what stands out of one device.
// They become a part of an <svg> that is `width` pixels wide, and begin at the coordinate y.
// Returns their height in pixels. If the card has no rows, writes nothing and returns 0.
// picture_style is the style sheet of this drawing as text for a <style> element, which a document
// needs once.
double picture_put(struct arena *arena, const struct run *run, const char *device, double y,
                   double width, FILE *stream);
extern const char picture_style[];

#endif
