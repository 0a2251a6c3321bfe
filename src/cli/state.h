// SPDX-License-Identifier: MIT
// The folder of kept runs: runs that were measured without -o and --json, or that could not be
// written at last to their file (-o) or to the standard output (--json). It is the folder `fathom`
// in $XDG_STATE_HOME, or in ~/.local/state if $XDG_STATE_HOME is not an absolute path. It keeps the
// newest STATE_RUNS runs, which only their owner can read. If the folder cannot be created or
// written, no run is kept, and `run` says so at its end.
#ifndef CLI_STATE_H
#define CLI_STATE_H

#include "results/results.h"

enum {
    STATE_RUNS = 20
};

// Saves the run in the folder of kept runs. If the folder then has more than STATE_RUNS runs,
// removes the oldest of the other runs. Returns the path of the saved run, in `arena`; NULL if the
// run was not saved.
const char *state_keep(struct arena *arena, const struct run *run);

// Returns the path of the newest kept run, in `arena`; NULL if no run is kept.
const char *state_last(struct arena *arena);

#endif
