// SPDX-License-Identifier: MIT
// A run as tidy CSV: one metric a row, one column for each parameter of any benchmark (empty where
// a case has none). Fields are quoted as in RFC 4180, lines end with LF, numbers have a decimal
// point and every bit, an absent number is an empty field. R and pandas read it as it is. A case
// without a number (skipped, failed) has one row with empty metric fields.
//
// Columns: device, device_name, benchmark, version, key, one for each parameter, verdict, reasons
// (codes, divided by spaces), metric, unit, better, median, ci95_low, ci95_high, n, limit,
// of_limit, preset, started, tool_version. Columns may be added behind these.
#ifndef REPORT_CSV_H
#define REPORT_CSV_H

#include "results/results.h"

#include <stdio.h>

// ERROR_IO where the stream refuses.
MUST_CHECK bool csv_write(const struct run *run, FILE *stream, struct error *err);

// Writes the file whole or leaves the former one (results/save.h).
MUST_CHECK bool csv_save(const struct run *run, const char *path, struct error *err);

#endif
