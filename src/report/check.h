// SPDX-License-Identifier: MIT
// Prints what a check found: for people, and as metrics for Prometheus.
#ifndef REPORT_CHECK_H
#define REPORT_CHECK_H

#include "results/check.h"

#include <stdio.h>

// One line a device: id, name, verdict, cause, remarks. Without an expectation the figures follow.
void check_console(const struct run *run, FILE *stream);

// The text format of Prometheus (exposition format 0.0.4), in base units. `now_s` is the time of
// the check; `success_s` that of the last healthy one, 0: never.
void check_prometheus(const struct run *run, double now_s, double success_s, FILE *stream);

#endif
