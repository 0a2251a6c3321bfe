// SPDX-License-Identifier: MIT
// What a core's arithmetic comes to, and where memory ends to be the bound, as findings.
#ifndef ANALYSIS_ARITHMETIC_H
#define ANALYSIS_ARITHMETIC_H

#include "results/results.h"

// For each device and each operation of a benchmark that draws cycles as a heat map over two whole
// numbers (chains, subgroups): a finding "operation" whose value is the latency in cycles (of one
// chain of one subgroup) and whose text adds the most results a cycle, and how many units that
// means: the next power of two, where the results come within 5 % of it. Operations without
// both are left out. Keys: the case of the latency, then the case of the throughput.
//
// For each device and each kind of number of a benchmark that draws operations a second and bytes a
// second over the same intensity: a finding "ridge" whose value is the intensity where the two
// bounds meet: the median rate of the intensities well above it over the median bandwidth of those
// well below it (four times, or else twice), with the interval of that quotient in the text. Only
// where both bounds are there to be seen: intensities from half the ridge down to twice it up.
// Keys: the cases with most bytes and with most operations a second.
//
// Nothing is added for a device that has such findings.
void arithmetic_add_findings(struct run *run);

#endif
