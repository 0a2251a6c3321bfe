// SPDX-License-Identifier: MIT
// The folder for runs that the user did not write to a file: `fathom` below $XDG_STATE_HOME, or
// below ~/.local/state. It keeps the last STATE_RUNS runs, readable only by their owner. If there
// is no home, or the folder cannot be written, no run is kept, and no message is printed.
#ifndef CLI_STATE_H
#define CLI_STATE_H

#include "results/results.h"

enum {
    STATE_RUNS = 20
};

// Saves the run in the folder of kept runs, and removes the oldest runs if there are more than
// STATE_RUNS. Returns the path of the saved run, in `arena`; NULL if it was not saved.
const char *state_keep(struct arena *arena, const struct run *run);

// Returns the path of the newest kept run, in `arena`; NULL if no run is kept.
const char *state_last(struct arena *arena);

#endif
