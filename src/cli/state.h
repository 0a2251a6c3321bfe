// SPDX-License-Identifier: MIT
// The folder in which runs are kept for which no file was given: `fathom` below $XDG_STATE_HOME, or
// below ~/.local/state. It keeps the last STATE_RUNS runs, and only their owner can read them. If
// there is no home, or the folder cannot be written, no run is kept, and there is no message.
#ifndef CLI_STATE_H
#define CLI_STATE_H

#include "results/results.h"

enum {
    STATE_RUNS = 20
};

// Saves the run, and removes the oldest ones beyond STATE_RUNS. Returns the path of the run, in
// `arena`; NULL if it was not saved.
const char *state_keep(struct arena *arena, const struct run *run);

// Returns the path of the newest kept run, in `arena`; NULL if there is none.
const char *state_last(struct arena *arena);

#endif
