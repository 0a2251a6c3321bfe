// SPDX-License-Identifier: MIT
// The time lines of a run as one self-contained SVG, without a script: for each result a row a lane
// with arrows from a span to those that waited for it, how many spans there were at once, what ran
// on each core, and a scale. Titles are tool-tips; colours suit light and dark pages.
#ifndef REPORT_SVG_H
#define REPORT_SVG_H

#include "results/results.h"

#include <stdio.h>

MUST_CHECK bool svg_write(const struct run *run, FILE *stream, struct error *err);

// Writes the file whole or leaves the former one (results/save.h).
MUST_CHECK bool svg_save(const struct run *run, const char *path, struct error *err);

#endif
