// SPDX-License-Identifier: MIT
// What runs in a frame: workloads, the queue of each, and which wait for which. The built-in ones
// are the experiments of "Breaking Down Barriers, Part 6: Experimenting With Overlap and
// Preemption" (M. Pettineo, 2018), with its eight default workloads.
#ifndef BENCH_OVERLAP_SCENARIO_H
#define BENCH_OVERLAP_SCENARIO_H

#include "base/arena.h"

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

// What stands between a workload and one that waits for it. In the order of the choices.
enum overlap_barrier {
    OVERLAP_BARRIER_MEMORY,
    OVERLAP_BARRIER_EXECUTION,
    OVERLAP_BARRIER_BUFFER,
    OVERLAP_BARRIER_IMAGE, // of an image that nobody uses
    OVERLAP_BARRIER_FULL,
    OVERLAP_BARRIER_SPLIT,     // set right after the one, waited for right before the other
    OVERLAP_BARRIER_SEMAPHORE, // submissions of their own: a point of a timeline between them
    OVERLAP_BARRIER_TARGET,    // after a draw, of its target's colours; after a dispatch BUFFER
    OVERLAP_BARRIER_NONE,      // nothing waits
    OVERLAP_BARRIER_COUNT
};

struct overlap_workload {
    const char *name;
    enum overlap_queue queue;
    bool draw;           // every thread is a pixel; a dispatch where draws are not to be had
    uint32_t blocks;     // of OVERLAP_BLOCK_THREADS threads
    uint32_t iterations; // of the work loop, each as long as another
    uint32_t after;      // bit set of earlier workloads that it waits for, on either queue
};

struct overlap_scenario {
    const char *name, *help;
    const struct overlap_workload *workloads;
    size_t count; // 1 … OVERLAP_WORKLOADS_MAX
    bool split;   // split barriers only
    bool urgent;  // its compute queue has high priority
};

extern const struct overlap_scenario overlap_scenarios[];
extern const size_t overlap_scenario_count;

const struct overlap_scenario *overlap_scenario_find(const char *name); // NULL: none of that name

// Does any workload wait for a draw?
bool overlap_scenario_waits_for_draw(const struct overlap_scenario *scenario);

const char *overlap_barrier_name(enum overlap_barrier barrier); // "memory"

// Does any workload wait for another?
bool overlap_scenario_waits(const struct overlap_scenario *scenario);

// Does any workload wait for one of the other queue? Between queues only semaphores can stand.
bool overlap_scenario_crosses(const struct overlap_scenario *scenario);

// Does any wait for one of its own queue?
bool overlap_scenario_stays(const struct overlap_scenario *scenario);

// A copy in which none waits, in `arena`.
const struct overlap_scenario *overlap_scenario_free(struct arena *arena,
                                                     const struct overlap_scenario *scenario);

// Every workload that must be done before `workload` begins, by way of others too: a bit set.
uint32_t overlap_scenario_before(const struct overlap_scenario *scenario, size_t workload);

#endif
