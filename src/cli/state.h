// SPDX-License-Identifier: MIT
// The folder where a run is kept that was not given a file: fathom below $XDG_STATE_HOME, or below
// ~/.local/state. It keeps the last STATE_RUNS runs, readable by their owner only. Without a home,
// or if the folder cannot be written, no run is kept, without a message.
#ifndef CLI_STATE_H
#define CLI_STATE_H

#include "results/results.h"

enum {
    STATE_RUNS = 20
};

// Keeps the run and removes the oldest ones. Returns its path, in `arena`; NULL if it was not kept.
const char *state_keep(struct arena *arena, const struct run *run);

// The path of the run that was kept last, in `arena`; NULL if there is none.
const char *state_last(struct arena *arena);

#endif
