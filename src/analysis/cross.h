// SPDX-License-Identifier: MIT
// Compares the same cases on one chip through several APIs. Devices of one run are the same chip if
// their UUIDs or PCI addresses are equal; all CPU devices are one chip, the host's processors. Only
// equal cases (same key, version and METHOD values) have a ratio.
#ifndef ANALYSIS_CROSS_H
#define ANALYSIS_CROSS_H

#include "analysis/compare.h"

// Bounds of the ratio of one metric, measured through two APIs on the same chip. A ratio outside
// the bounds is a finding, if the intervals of the two values do not overlap. Texts call this "more
// than 3 %".
#define CROSS_RATIO_LOW  0.97
#define CROSS_RATIO_HIGH 1.03

struct cross_cell {
    // Result of the row's case through one API; NULL if it was not measured through this API.
    const struct result *result;
    const struct metric *metric; // metric of `result`; NULL if `result` is NULL
    // This metric's value divided by its value on the reference device (the same chip through
    // another API). NaN for the reference device itself, and if the two cases are not equal.
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
    // chips that the run measured through at least two APIs, each as a device of its own
    struct cross_chip *chips;
    size_t chip_count;
};

// Returns the chips of a run that were measured through several APIs, with their rows, in `arena`.
// A metric in cycles gets no row if the result has a metric in time for the same work. The run must
// outlive the returned value.
struct cross cross_of(struct arena *arena, const struct run *run);

// Adds findings "api-gap" to the run. A group of rows has the same benchmark and metric. There is
// one finding for each device and group with at least one ratio that is too far from 1
// (cross_cell.apart).
void cross_add_findings(struct run *run);

#endif
