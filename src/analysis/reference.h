// SPDX-License-Identifier: MIT
// Which reference run answers "is this number plausible?" for a run.
#ifndef ANALYSIS_REFERENCE_H
#define ANALYSIS_REFERENCE_H

#include "results/index.h"
#include "results/results.h"

// The entry for a device of the run: its name holds the entry's match and its API is the entry's.
// Of several the longest match wins, then the run's own preset, then "full", "standard", "quick".
// Published tables are never chosen. ERROR_USAGE where no entry fits any device: the message names
// the devices that there are references for.
MUST_CHECK bool reference_choose(struct arena *arena, const struct run_index *index,
                                 const struct run *run, const struct index_entry **entry,
                                 struct error *err);

#endif
