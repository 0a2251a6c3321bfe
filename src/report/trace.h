// SPDX-License-Identifier: MIT
// The time lines of a run in the JSON that Perfetto (ui.perfetto.dev) and chrome://tracing read
// (tests/web/perfetto.test.mjs opens one in Perfetto 20.1 and asks it what it understood):
// for each result one process a queue, with a track a lane and arrows from a span to those that
// waited for it; one process for the cores, with tracks for what ran on each; a counter of how many
// spans there were at once. All results begin at 1 us.
#ifndef REPORT_TRACE_H
#define REPORT_TRACE_H

#include "results/results.h"

#include <stdio.h>

MUST_CHECK bool trace_write(const struct run *run, FILE *stream, struct error *err);

// Writes the file whole or leaves the former one (results/save.h).
MUST_CHECK bool trace_save(const struct run *run, const char *path, struct error *err);

#endif
