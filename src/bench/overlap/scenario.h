// SPDX-License-Identifier: MIT
// A scenario lists the workloads of a frame. For each workload, the scenario names a queue, and the
// workloads that must end before this workload starts. Most built-in scenarios are experiments of
// "Breaking Down Barriers, Part 6: Experimenting With Overlap and Preemption" (M. Pettineo, 2018).
// Three of them have the eight default workloads of that article.
#ifndef BENCH_OVERLAP_SCENARIO_H
#define BENCH_OVERLAP_SCENARIO_H

#include "base/arena.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    OVERLAP_WORKLOADS_MAX = 16,
    OVERLAP_QUEUES_MAX = 2
};

enum overlap_queue {
    OVERLAP_DIRECT,
    OVERLAP_COMPUTE
};

// The kind of barrier between a workload and another workload that waits for it. The members have
// the order of the choices of the parameter `barrier`.
enum overlap_barrier {
    OVERLAP_BARRIER_MEMORY,
    OVERLAP_BARRIER_EXECUTION,
    OVERLAP_BARRIER_BUFFER,
    OVERLAP_BARRIER_IMAGE, // a barrier of an image that no workload uses
    OVERLAP_BARRIER_FULL,  // a barrier of all pipeline stages and all memory accesses
    // A split barrier: a signal after the awaited workload, and a wait before the waiting one.
    OVERLAP_BARRIER_SPLIT,
    OVERLAP_BARRIER_SEMAPHORE, // a timeline semaphore between separate submissions
    // a barrier of the render target after a draw, and of the buffer of results after a dispatch
    OVERLAP_BARRIER_TARGET,
    OVERLAP_BARRIER_NONE // no barrier: no workload waits for another
};

struct overlap_workload {
    const char *name;
    enum overlap_queue queue;
    // True: the workload is a draw with one pixel per thread. (overlap_scenario_settle may make it
    // a dispatch.) False: the workload is a dispatch.
    bool draw;
    uint32_t blocks; // size of the workload in blocks of OVERLAP_BLOCK_THREADS threads
    // Number of iterations of the work loop; all iterations do the same amount of work.
    uint32_t iterations;
    // Bit p is set if this workload waits for the earlier workload p, on either queue.
    uint32_t after;
};

struct overlap_scenario {
    const char *name, *help;
    const struct overlap_workload *workloads;
    size_t count; // number of workloads: 1 … OVERLAP_WORKLOADS_MAX
    bool split;   // true: all barriers of the scenario are split barriers
    bool urgent;  // true: the benchmark asks the driver for high priority of the compute queue
    bool stable;  // true: the benchmark asks the driver to hold the device's clocks stable
};

extern const struct overlap_scenario overlap_scenarios[];
extern const size_t overlap_scenario_count;

// Returns the built-in scenario called `name`; NULL if there is none.
const struct overlap_scenario *overlap_scenario_find(const char *name);

// True if any workload waits for a draw.
bool overlap_scenario_waits_for_draw(const struct overlap_scenario *scenario);

// True if any workload of the scenario waits for another workload.
bool overlap_scenario_waits(const struct overlap_scenario *scenario);

// True if any workload waits for a workload on its own queue.
bool overlap_scenario_stays(const struct overlap_scenario *scenario);

// Returns the bit set of all workloads that must end before `workload` starts: `workload` waits for
// them directly or through other workloads. If `workload` can never start, the set contains it,
// too.
uint32_t overlap_scenario_before(const struct overlap_scenario *scenario, size_t workload);

// ---------------------------------------------------------------- files (scenario_file.c)

// Users write scenarios as JSON files:
//
//   { "name": "two chains",                      a title; optional
//     "priority": "high",                        the compute queue's; optional, default "medium"
//     "clock": "stable",                         the driver holds it; optional, default "free"
//     "workloads": [                             1 … 16, in the order in which they are recorded
//       { "name": "A", "iterations": 128 },
//       { "name": "B",
//         "queue": "compute",                    or "direct", the default
//         "kind": "dispatch",                    the default, or "draw": see METHOD.md
//         "groups": 8,                           1 … 256, of 1024 threads each; 8 by default
//         "iterations": 64,                      1 … 128; 64 by default
//         "after": ["A"],                        names of earlier workloads, on either queue
//         "enabled": false } ] }                 leaves this workload out; default true
//
// The parameter `scenario` takes the name of such a file. If its value begins with '{', the value
// is the JSON text itself.

// Returns the built-in scenario called `name`. If there is none, reads a scenario into `arena`:
// from `name` itself if it begins with '{', else from the file `name`. Returns NULL with ERROR_IO
// if the file cannot be read. Returns NULL with ERROR_USAGE if the scenario is wrong; the message
// names the wrong member ("workloads[3].after") or line.
const struct overlap_scenario *overlap_scenario_get(struct arena *arena, const char *name,
                                                    struct error *err);

// Reads a scenario from a JSON text. `file` becomes the name of the scenario, and errors mention
// it. Returns NULL with `err` on failure.
const struct overlap_scenario *overlap_scenario_parse(struct arena *arena, const char *text,
                                                      const char *file, struct error *err);

// Writes all built-in scenarios as JSON. This is the function put_scenarios of struct benchmark.
struct json_out;
void overlap_scenarios_put(struct json_out *out);

#endif
