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

// The sizes of these are not published: B is twice as long, so that it is still at work when C
// could begin.
static const struct overlap_workload three_workloads[] = {
    {"compute A", OVERLAP_DIRECT, false, 8, 64, 0},
    {"compute B", OVERLAP_DIRECT, false, 8, 128, 0},
    {"compute C", OVERLAP_DIRECT, false, 8, 64, BIT(0)},
};

#define WORKLOADS(array) (array), sizeof(array) / sizeof((array)[0])

const struct overlap_scenario overlap_scenarios[] = {
    {"default", "two chains, each workload after the one before it", WORKLOADS(default_workloads)},
    {"no-barriers", "the same workloads, none waits for another", WORKLOADS(free_workloads)},
    {"three", "C waits for A; B, twice as long, stands between them", WORKLOADS(three_workloads)},
};
const size_t overlap_scenario_count = sizeof overlap_scenarios / sizeof *overlap_scenarios;

const struct overlap_scenario *overlap_scenario_find(const char *name)
{
    for (size_t i = 0; i < overlap_scenario_count; i++)
        if (strcmp(overlap_scenarios[i].name, name) == 0)
            return &overlap_scenarios[i];
    return NULL;
}

uint32_t overlap_scenario_before(const struct overlap_scenario *scenario, size_t workload)
{
    uint32_t before = scenario->workloads[workload].after;
    for (size_t w = workload; w-- > 0;)
        if (before & BIT(w))
            before |= scenario->workloads[w].after;
    return before;
}
