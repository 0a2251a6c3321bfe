// SPDX-License-Identifier: MIT
// The cross-API table of a run: one chip, the same cases through each API, and their ratio.
#ifndef REPORT_CROSS_CONSOLE_H
#define REPORT_CROSS_CONSOLE_H

#include "report/screen.h"
#include "results/results.h"

// Nothing where no chip was measured through two APIs. Long tables keep the cases that are apart
// and a summary of all.
void cross_print(struct screen *screen, const struct run *run);

#endif
