// SPDX-License-Identifier: MIT
// The first screen of the page: what each device is like, as HTML with drawings in SVG. It needs no
// script, so it is what readers see in mail, on paper, and before the charts are drawn.
#ifndef REPORT_PICTURE_H
#define REPORT_PICTURE_H

#include "results/results.h"

#include <stdio.h>

// Writes a <section> with an <article> for each device that has results; for all devices of all
// runs if none has. An article has the rows of the card (analysis/card.h), the levels of memory as
// a pyramid if the run shows any, and what stands out. data-subject is the number of the device in
// that order, from 0. The drawings follow the width of the page: positions across are percentages.
// Behind it, within <noscript>, stand the charts of all benchmarks (report/chart.h).
void picture_write(const struct run *const *runs, size_t count, FILE *stream);

#endif
