// SPDX-License-Identifier: MIT
// Scenarios that people write, as JSON:
//
//   { "name": "two chains",                      what it is called; optional
//     "priority": "high",                        of the compute queue; optional: "medium"
//     "workloads": [                             1 … 16, in the order in which they are recorded
//       { "name": "A", "iterations": 128 },
//       { "name": "B",
//         "queue": "compute",                    or "direct", the default
//         "kind": "dispatch",                    the default, or "draw": see METHOD.md
//         "groups": 8,                           1 … 256, of 1024 threads each; 8 by default
//         "iterations": 64,                      1 … 128; 64 by default
//         "after": ["A"],                        names of earlier workloads, of either queue
//         "enabled": false } ] }                 leaves it out, and what others wait for of it
#ifndef BENCH_OVERLAP_SCENARIO_FILE_H
#define BENCH_OVERLAP_SCENARIO_FILE_H

#include "base/arena.h"
#include "base/error.h"
#include "bench/overlap/scenario.h"

// The built-in scenario of that name, else the one in that file, in `arena`. NULL with ERROR_USAGE
// naming the place in the file ("workloads[3].after"), or with ERROR_IO where it cannot be read.
const struct overlap_scenario *overlap_scenario_get(struct arena *arena, const char *name,
                                                    struct error *err);

// As above, from memory; `file` is for messages.
const struct overlap_scenario *overlap_scenario_parse(struct arena *arena, const char *text,
                                                      const char *file, struct error *err);

#endif
