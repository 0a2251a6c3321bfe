// SPDX-License-Identifier: MIT
// Compares the same cases on one chip through several APIs. Devices of one run are the same chip if
// their UUIDs or PCI addresses are equal; all CPU devices are one chip, the host's processors. Only
// equal cases (same key, version and METHOD values) have a ratio.
#ifndef ANALYSIS_CROSS_H
#define ANALYSIS_CROSS_H

#include "analysis/compare.h"

// Bounds of the ratio of a metric through two APIs. A ratio outside the bounds is a finding, if the
// intervals of the two values do not overlap. Texts call this "more than 3 %".
#define CROSS_RATIO_LOW  0.97
#define CROSS_RATIO_HIGH 1.03

struct cross_cell {
    // Result of the case through one API; NULL: not measured through it.
    const struct result *result;
    const struct metric *metric; // metric of `result`; NULL if `result` is NULL
    // Ratio of the metric to that of the reference device. NaN for the reference device itself, and
    // if the two cases are not equal.
    struct ratio ratio;
    bool apart; // true: the ratio is reported as a finding
};

// One metric of one case, with one cell per device of the chip.
struct cross_row {
    const struct result *first; // result of the first device that has the metric
    const struct metric *metric;
    struct cross_cell *cells;
    bool apart; // true: the ratio of at least one cell is reported as a finding
};

// Returns true if both rows belong to one group: benchmark and metric are equal.
bool cross_same_group(const struct cross_row *a, const struct cross_row *b);

struct cross_chip {
    const struct run_device **devices; // the devices of the chip, one for each API
    size_t device_count;
    // Index of the device to which ratios refer: CUDA, else OpenCL, else the last one.
    size_t reference;
    struct cross_row *rows;
    size_t row_count, row_capacity;
};

// Returns true if this row is the first one of its group in the chip.
bool cross_opens_group(const struct cross_chip *chip, size_t row);

struct cross {
    struct cross_chip *chips; // chips that at least two of the run's devices share
    size_t chip_count;
};

// Returns the chips of a run and their rows, in `arena`. A metric in cycles gets no row if the
// result has a metric in time for the same work. The run must outlive the returned value.
struct cross cross_of(struct arena *arena, const struct run *run);

// Adds findings "api-gap" to the run: one for each device and each group of rows (one benchmark and
// metric) in which a ratio of the device is a finding (`apart`).
void cross_add_findings(struct run *run);

#endif
