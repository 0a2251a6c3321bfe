// SPDX-License-Identifier: MIT
// Prints what a check found: as text for people, and as metrics for Prometheus.
#ifndef REPORT_CHECK_H
#define REPORT_CHECK_H

#include "results/check.h"

#include <stdio.h>

// Prints one line per device: id, name, verdict, cause, remarks. A device without expected values
// cannot be judged; its figures follow in the next line.
void check_console(const struct run *run, FILE *stream);

// Writes the results of the check as metrics in the text format of Prometheus (exposition format
// 0.0.4), in base units. `now_s` is the end of the check. `success_s` is the end of the latest
// check that found every device healthy; 0 if no check did. Both are in seconds since 1970.
void check_prometheus(const struct run *run, double now_s, double success_s, FILE *stream);

#endif
