// SPDX-License-Identifier: MIT
// Prints what a check found: as text for people, and as metrics for Prometheus.
#ifndef REPORT_CHECK_H
#define REPORT_CHECK_H

#include "results/check.h"

#include <stdio.h>

// Prints one line per device: id, name, verdict, cause, remarks. If nothing is known by which the
// device can be judged, its figures follow.
void check_console(const struct run *run, FILE *stream);

// Writes the text format of Prometheus (exposition format 0.0.4), in base units. `now_s` is the
// time of the check, `success_s` the time of the last check with a healthy result (0: there was
// none).
void check_prometheus(const struct run *run, double now_s, double success_s, FILE *stream);

#endif
