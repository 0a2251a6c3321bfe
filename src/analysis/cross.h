// SPDX-License-Identifier: MIT
// One chip through several APIs: the same case side by side. Devices of one run are the same chip
// by UUID or PCI address, and CPU devices are all the host's processors; ratios stand only between
// equal cases (same key, version and METHOD values).
#ifndef ANALYSIS_CROSS_H
#define ANALYSIS_CROSS_H

#include "analysis/compare.h"

// A ratio is a finding if it lies outside these bounds and the intervals do not overlap. Texts call
// this "more than 3 %".
#define CROSS_RATIO_LOW  0.97
#define CROSS_RATIO_HIGH 1.03

struct cross_cell {
    const struct result *result; // NULL: not measured through this API
    const struct metric *metric; // NULL likewise
    struct ratio ratio;          // to the reference; NaN where cases are not equal
    bool apart;                  // a finding
};

// A metric of a case, one cell for each device of the chip.
struct cross_row {
    const struct result *first; // of those that measured it: key and benchmark
    const struct metric *metric;
    struct cross_cell *cells;
    bool apart; // one of its cells is
};

// True if both rows are of one metric of one benchmark.
bool cross_same_group(const struct cross_row *a, const struct cross_row *b);

struct cross_chip {
    const struct run_device **devices; // each through another API
    size_t device_count;
    size_t reference; // index of the device that ratios refer to: CUDA, else OpenCL, else the last
    struct cross_row *rows;
    size_t row_count, row_capacity;
};

// True if no earlier row of the chip is of the same group.
bool cross_opens_group(const struct cross_chip *chip, size_t row);

struct cross {
    struct cross_chip *chips; // with at least two devices
    size_t chip_count;
};

// A metric in cycles has no row if the metric in time of the same work has one. The run must
// outlive the result.
struct cross cross_of(struct arena *arena, const struct run *run);

// Adds a finding "api-gap" to the run for each benchmark, metric and device that is apart.
void cross_add_findings(struct run *run);

#endif
