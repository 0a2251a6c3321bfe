// SPDX-License-Identifier: MIT
// How many workgroups fit on a core, in words, as findings.
#ifndef ANALYSIS_OCCUPANCIES_H
#define ANALYSIS_OCCUPANCIES_H

#include "results/results.h"

// For each device and each subgroup size of `occupancy`: a finding "occupancy" that lists subgroups
// on a core by the registers of a thread that the driver told ("96 registers: 20"), and one that
// lists workgroups on a core by their shared memory. Only where there are two such results. Value:
// the fewest of them; keys: the first case and the last. Nothing is added for a device that has
// such findings.
void occupancies_add_findings(struct run *run);

#endif
