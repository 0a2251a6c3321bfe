// SPDX-License-Identifier: MIT
// Compares the same cases on one chip through several APIs. Devices of one run are the same chip if
// their UUIDs or PCI addresses are equal; all CPU devices are one chip, the host's processors. Only
// equal cases (same key, version and METHOD values) have a ratio.
#ifndef ANALYSIS_CROSS_H
#define ANALYSIS_CROSS_H

#include "analysis/compare.h"

// A ratio of the values that two APIs measured on one chip is a finding if it is outside these
// bounds and the intervals of the two values do not overlap. Texts say "more than 3 %".
#define CROSS_RATIO_LOW  0.97
#define CROSS_RATIO_HIGH 1.03

struct cross_cell {
    // Result of the row's case through one API; NULL if it has no value of the row's metric in the
    // same unit.
    const struct result *result;
    const struct metric *metric; // metric of `result`; NULL if `result` is NULL
    // The metric's value divided by its value on the reference device, the same chip through
    // another API. NaN for the reference device itself. Also NaN if a value is missing or if the
    // cases are not equal.
    struct ratio ratio;
    bool apart; // true if the ratio is so far from 1 that it is reported as a finding
};

// One metric of one case, with a cell for each device of the chip. These devices are the same chip
// through several APIs.
struct cross_row {
    const struct result *first; // result of the first device that has the metric
    const struct metric *metric;
    struct cross_cell *cells;
    bool apart; // true if the ratio of at least one cell is reported as a finding
};

// Returns true if both rows have the same benchmark and metric, and so belong to one group.
bool cross_same_group(const struct cross_row *a, const struct cross_row *b);

struct cross_chip {
    const struct run_device **devices; // the devices that are this chip, one for each API
    size_t device_count;
    // Index of the reference device. The values of the other devices are divided by its values. It
    // is the CUDA device, else the OpenCL device, else the last one.
    size_t reference;
    struct cross_row *rows;
    size_t row_count, row_capacity;
};

// A group is all rows of the chip with the same benchmark and metric. Returns true if this row is
// the first one of its group.
bool cross_opens_group(const struct cross_chip *chip, size_t row);

struct cross {
    // the chips that the run measured through at least two APIs
    struct cross_chip *chips;
    size_t chip_count;
};

// Returns the chips of a run that were measured through several APIs, with their rows, in `arena`.
// If a result has a metric in time, its metric in cycles for the same work gets no row. The run
// must outlive the returned value.
struct cross cross_of(struct arena *arena, const struct run *run);

// Adds a finding "api-gap" for each device and each group of rows (same benchmark and metric) that
// has a ratio too far from 1 (cross_cell.apart). The text says how many of these rows have a
// suspect result; the finding's value comes from another row if there is one.
void cross_add_findings(struct run *run);

#endif
