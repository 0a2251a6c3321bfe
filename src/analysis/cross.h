// SPDX-License-Identifier: MIT
// Compares the same cases on one chip through several APIs. Devices of one run are the same chip if
// their UUIDs or PCI addresses are equal; all CPU devices are one chip, the host's processors. Only
// equal cases (same key, version and METHOD values) have a ratio.
#ifndef ANALYSIS_CROSS_H
#define ANALYSIS_CROSS_H

#include "analysis/compare.h"

// A ratio is a finding if it lies outside these bounds and the metrics' intervals do not overlap.
// Texts call this "more than 3 %".
#define CROSS_RATIO_LOW  0.97
#define CROSS_RATIO_HIGH 1.03

struct cross_cell {
    const struct result *result; // NULL: not measured through this API
    const struct metric *metric; // NULL if `result` is NULL
    // Ratio to the reference device; NaN in its own cell, and if the cases differ.
    struct ratio ratio;
    bool apart; // true: the ratio is a finding
};

// One metric of one case, with one cell per device of the chip.
struct cross_row {
    const struct result *first; // the first device's result that has the metric
    const struct metric *metric;
    struct cross_cell *cells;
    bool apart; // true if a cell is apart
};

// True if both rows have the same benchmark and the same metric: they are of one group.
bool cross_same_group(const struct cross_row *a, const struct cross_row *b);

struct cross_chip {
    const struct run_device **devices; // each of another API
    size_t device_count;
    size_t reference; // reference device of the ratios (index): CUDA, else OpenCL, else the last
    struct cross_row *rows;
    size_t row_count, row_capacity;
};

// True if row number `row` is the first one of its group in the chip.
bool cross_opens_group(const struct cross_chip *chip, size_t row);

struct cross {
    struct cross_chip *chips; // only chips with at least two devices
    size_t chip_count;
};

// Finds the chips of a run and their rows, in `arena`. A metric in cycles has no row if the result
// has a metric in time of the same work. The run must outlive the returned value.
struct cross cross_of(struct arena *arena, const struct run *run);

// Adds one finding "api-gap" to the run for each device and group of rows in which a cell of the
// device is `apart`.
void cross_add_findings(struct run *run);

#endif
