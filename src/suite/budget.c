// SPDX-License-Identifier: MIT
#include "suite/budget.h"

#include "base/clock.h"
#include "measure/collect.h"

#include <string.h>

static const struct {
    const char *preset;
    struct budget budget;
} presets[] = {
    // With at least 4 samples a visit, a result usually has 20 when the stop rule first decides,
    // after 5 rounds (COLLECT_ROUNDS_MIN). With `quick` it has 12, which is enough, because most
    // cases repeat within 0.1 %.
    {"quick",
     {.samples = 4,
      .sample_ns = NS_PER_MS,
      .timeout_ns = 5 * NS_PER_S,
      .rounds_min = 3,
      .rounds_max = 6,
      .case_ns = NS_PER_S,
      .time_ns = 5 * NS_PER_S,
      .time_most_ns = 12 * NS_PER_S}},
    // 240 s are enough for the benchmark preempt, which has 47 cases with 300 deadlines each, 90
    // deadlines per second.
    {"standard",
     {.samples = 4,
      .sample_ns = 2 * NS_PER_MS,
      .timeout_ns = 10 * NS_PER_S,
      .rounds_max = 40,
      .case_ns = 10 * NS_PER_S,
      .time_ns = 12 * NS_PER_S,
      .time_most_ns = 240 * NS_PER_S}},
    // `fathom map` has many cases. Half of them are known to 0.2 % after four rounds; a fifth round
    // takes 2 s of 20.
    {"map",
     {.samples = 4,
      .sample_ns = NS_PER_MS,
      .timeout_ns = 10 * NS_PER_S,
      .rounds_min = 4,
      .rounds_max = 5,
      .case_ns = NS_PER_S,
      .time_ns = 10 * NS_PER_S,
      .time_most_ns = 30 * NS_PER_S}},
    // `fathom check` should take 20 s, or 5 s with --quick, with all devices in parallel but for
    // the host link. check_plan_s (suite/check.h) computes the maximum time from time_most_ns.
    {"check",
     {.samples = 4,
      .sample_ns = 2 * NS_PER_MS,
      .timeout_ns = 5 * NS_PER_S,
      .rounds_max = 8,
      .case_ns = NS_PER_S,
      .time_ns = 3 * NS_PER_S / 2,
      .time_most_ns = 2 * NS_PER_S}},
    {"check-quick",
     {.samples = 4,
      .sample_ns = 2 * NS_PER_MS,
      .timeout_ns = 5 * NS_PER_S,
      .rounds_max = 5,
      .case_ns = NS_PER_S / 2,
      .time_ns = NS_PER_S / 2,
      .time_most_ns = 3 * NS_PER_S / 5}},
    {"check-at-once",
     {.samples = 4,
      .sample_ns = 2 * NS_PER_MS,
      .timeout_ns = 5 * NS_PER_S,
      .rounds_max = 5,
      .case_ns = NS_PER_S,
      .time_ns = 3 * NS_PER_S,
      .time_most_ns = 4 * NS_PER_S}},
    {"full",
     {.samples = 8, .sample_ns = 4 * NS_PER_MS, .timeout_ns = 20 * NS_PER_S, .rounds_max = 160}},
};

static const uint64_t cpu_timeout_ns = 30 * NS_PER_S;

void budget_of(const char *preset, const struct gpu_info *device, struct budget *budget)
{
    *budget = presets[1].budget;
    for (size_t i = 0; i < sizeof presets / sizeof *presets; i++)
        if (strcmp(presets[i].preset, preset) == 0)
            *budget = presets[i].budget;
    if (!budget->rounds_min)
        budget->rounds_min = COLLECT_ROUNDS_MIN;
    bool hurried = strcmp(preset, "quick") == 0 || strcmp(preset, "map") == 0 ||
                   strncmp(preset, "check", strlen("check")) == 0;
    if (device->kind == GPU_KIND_CPU && hurried)
        budget->sample_ns = NS_PER_MS / 2;
    // A CPU's driver may compile a kernel only when the kernel runs, and the host may be busy.
    if (device->kind == GPU_KIND_CPU && budget->timeout_ns < cpu_timeout_ns)
        budget->timeout_ns = cpu_timeout_ns;
    if (!(device->caps & GPU_CAP(VIRTUAL_TIME)))
        return;
    // Nothing disturbs a simulated GPU, so its samples may be short; host time does not matter.
    budget->time_ns = budget->time_most_ns = 0;
    budget->timeout_ns = 600 * NS_PER_S;
    // With four rounds, a map of the model of an H200 left the end of the near L2 open.
    if (budget->rounds_min < budget->rounds_max && strcmp(preset, "map") == 0)
        budget->rounds_min = budget->rounds_max;
    if (hurried)
        budget->sample_ns = NS_PER_MS / 2;
}

double budget_goal(const struct benchmark *benchmark)
{
    const struct benchmark_info *info = &benchmark->info;
    if (info->distribution)
        return 0.05;
    // Rates of the link to the host vary more than other rates, so their goal is wider.
    if (benchmark->link)
        return 0.02;
    enum unit unit = info->metric_count ? info->metrics[0].unit : UNIT_NONE;
    bool is_latency = unit == UNIT_NS || unit == UNIT_CYCLE;
    return is_latency ? 0.01 : 0.005;
}
