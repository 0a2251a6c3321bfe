// SPDX-License-Identifier: MIT
// Writes the first screen of the page: what each device is like, as HTML with drawings in SVG. It
// needs no script, so readers also see it in mail, on paper, and before the charts are drawn.
#ifndef REPORT_PICTURE_H
#define REPORT_PICTURE_H

#include "results/results.h"

#include <stdio.h>

// Writes a <section> with an <article> for each device that has results; if no run has results, for
// each device of all runs. An article has the rows of the card (analysis/card.h), the levels of
// memory as a pyramid if the run shows any, and what stands out. data-subject counts the articles
// from 0. The drawings follow the width of the page: horizontal positions are percentages. The
// section is followed by the charts of all benchmarks (report/chart.h), within <noscript>.
void picture_write(const struct run *const *runs, size_t count, FILE *stream);

#endif
