// SPDX-License-Identifier: MIT
#include "bench/overlap/scenario.h"

#include <string.h>

#define BIT(workload) (UINT32_C(1) << (workload))

static const struct overlap_workload default_workloads[] = {
    {"compute A", OVERLAP_DIRECT, false, 8, 64, 0},
    {"compute B", OVERLAP_DIRECT, false, 8, 64, BIT(0)},
    {"compute C", OVERLAP_DIRECT, false, 8, 64, BIT(1)},
    {"graphics A", OVERLAP_DIRECT, true, 8, 64, BIT(2)},
    {"compute D", OVERLAP_DIRECT, false, 8, 64, BIT(3)},
    {"async A", OVERLAP_COMPUTE, false, 8, 64, 0},
    {"async B", OVERLAP_COMPUTE, false, 8, 64, BIT(5)},
    {"async C", OVERLAP_COMPUTE, false, 8, 64, BIT(6)},
};

static const struct overlap_workload free_workloads[] = {
    {"compute A", OVERLAP_DIRECT, false, 8, 64, 0}, {"compute B", OVERLAP_DIRECT, false, 8, 64, 0},
    {"compute C", OVERLAP_DIRECT, false, 8, 64, 0}, {"graphics A", OVERLAP_DIRECT, true, 8, 64, 0},
    {"compute D", OVERLAP_DIRECT, false, 8, 64, 0}, {"async A", OVERLAP_COMPUTE, false, 8, 64, 0},
    {"async B", OVERLAP_COMPUTE, false, 8, 64, 0},  {"async C", OVERLAP_COMPUTE, false, 8, 64, 0},
};

// Pettineo's article gives no sizes. B has twice the work of A, so it still runs when C may start.
static const struct overlap_workload three_workloads[] = {
    {"compute A", OVERLAP_DIRECT, false, 8, 64, 0},
    {"compute B", OVERLAP_DIRECT, false, 8, 128, 0},
    {"compute C", OVERLAP_DIRECT, false, 8, 64, BIT(0)},
};

// Four workloads on alternating queues. Each workload after the first waits for the previous
// workload.
static const struct overlap_workload cross_workloads[] = {
    {"direct A", OVERLAP_DIRECT, false, 8, 64, 0},
    {"async B", OVERLAP_COMPUTE, false, 8, 64, BIT(0)},
    {"direct C", OVERLAP_DIRECT, false, 8, 64, BIT(1)},
    {"async D", OVERLAP_COMPUTE, false, 8, 64, BIT(2)},
};

// Two draws, and a dispatch that waits for the second draw. Pettineo has no such scenario.
static const struct overlap_workload draw_workloads[] = {
    {"graphics A", OVERLAP_DIRECT, true, 8, 64, 0},
    {"graphics B", OVERLAP_DIRECT, true, 8, 64, 0},
    {"compute A", OVERLAP_DIRECT, false, 8, 64, BIT(1)},
};

#define WORKLOADS(array) .workloads = (array), .count = COUNT(array)

const struct overlap_scenario overlap_scenarios[] = {
    {.name = "default",
     .help = "two chains, each workload after the one before it",
     WORKLOADS(default_workloads)},
    {.name = "no-barriers",
     .help = "the same workloads, none waits for another",
     WORKLOADS(free_workloads)},
    {.name = "three",
     .help = "C waits for A; B, twice as long, stands between them",
     WORKLOADS(three_workloads)},
    {.name = "three-split",
     .help = "the same with split barriers",
     WORKLOADS(three_workloads),
     .split = true},
    {.name = "high-priority",
     .help = "as default, the compute queue at high priority",
     WORKLOADS(default_workloads),
     .urgent = true},
    {.name = "cross-queue",
     .help = "each workload after the one before it, which is on the other queue",
     WORKLOADS(cross_workloads)},
    {.name = "draws",
     .help = "two draws, none waits for the other, and a dispatch that waits for the second",
     WORKLOADS(draw_workloads)},
};
const size_t overlap_scenario_count = COUNT(overlap_scenarios);

const struct overlap_scenario *overlap_scenario_find(const char *name)
{
    for (size_t i = 0; i < overlap_scenario_count; i++)
        if (strcmp(overlap_scenarios[i].name, name) == 0)
            return &overlap_scenarios[i];
    return NULL;
}

bool overlap_scenario_waits(const struct overlap_scenario *scenario)
{
    for (size_t w = 0; w < scenario->count; w++)
        if (scenario->workloads[w].after)
            return true;
    return false;
}

bool overlap_scenario_waits_for_draw(const struct overlap_scenario *scenario)
{
    for (size_t w = 0; w < scenario->count; w++)
        for (size_t p = 0; p < w; p++)
            if (scenario->workloads[w].after & BIT(p) && scenario->workloads[p].draw)
                return true;
    return false;
}

bool overlap_scenario_stays(const struct overlap_scenario *scenario)
{
    for (size_t w = 0; w < scenario->count; w++)
        for (size_t p = 0; p < w; p++)
            if (scenario->workloads[w].after & BIT(p) &&
                scenario->workloads[w].queue == scenario->workloads[p].queue)
                return true;
    return false;
}

uint32_t overlap_scenario_before(const struct overlap_scenario *scenario, size_t workload)
{
    uint32_t before = scenario->workloads[workload].after, last = 0;
    while (before != last) {
        last = before;
        for (size_t w = 0; w < scenario->count; w++)
            if (before & BIT(w))
                before |= scenario->workloads[w].after;
    }
    return before;
}
