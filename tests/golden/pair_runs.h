// SPDX-License-Identifier: MIT
// Pairs of runs with known effects, for tests of what compares runs.
#ifndef GOLDEN_PAIR_RUNS_H
#define GOLDEN_PAIR_RUNS_H

#include "math/random.h"
#include "math/stats.h"
#include "results/results.h"

#include <math.h>
#include <string.h>

enum {
    PAIR_ROUNDS_MAX = 64
};

// How an invented chip behaves. "0: 20" means that 0 stands for 20.
struct pair_desc {
    uint64_t seed;
    size_t cases;     // 0: 20
    size_t rounds;    // 0: 10
    double noise;     // standard deviation of a round, relative; 0: 0.003
    double work;      // factor on the cycles of the work; 0: 1
    double clock_hz;  // 0: 2 GHz
    unsigned version; // of the benchmark; 0: 1
    uint64_t laps;    // a METHOD value; 0: 1
    const char *device_id, *device_name, *uuid;
};

static const struct param_info pair_params[] = {
    {.key = "bytes", .type = PARAM_BYTES, .unit = UNIT_BYTE, .role = PARAM_AXIS},
    {.key = "laps", .type = PARAM_UINT, .role = PARAM_METHOD},
};
static const struct metric_info pair_metrics[] = {
    {.name = "latency", .unit = UNIT_NS, .better = BETTER_LOWER},
    {.name = "latency_cycles", .cycles_of = "latency", .unit = UNIT_CYCLE, .better = BETTER_LOWER},
    {.name = "bandwidth", .unit = UNIT_BYTE_PER_S, .better = BETTER_HIGHER},
    {
        .name = "depth",
    },
};

// The sum of twelve uniform numbers is close enough to a normal one.
static inline double pair_normal(struct random *random)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += random_unit(random);
    return sum;
}

static inline void pair_metric(struct run *run, struct result *result, size_t which,
                               const double *rounds, size_t count, double factor)
{
    double values[PAIR_ROUNDS_MAX];
    struct metric *metric = &result->metrics[result->metric_count++];
    for (size_t i = 0; i < count; i++)
        values[i] = rounds[i] * factor;
    *metric = (struct metric){.name = pair_metrics[which].name,
                              .unit = pair_metrics[which].unit,
                              .better = pair_metrics[which].better,
                              .n = 16 * count,
                              .limit = NAN,
                              .round_medians = ARENA_ARRAY(run->arena, count, double),
                              .round_count = count};
    memcpy(metric->round_medians, values, count * sizeof *values);
    struct interval interval = interval_of_median(values, count, 0.95);
    metric->median = interval.median;
    metric->ci95[0] = interval.low;
    metric->ci95[1] = interval.high;
}

static inline void pair_case(struct run *run, const struct pair_desc *desc, struct random *random,
                             uint64_t bytes)
{
    struct arena *arena = run->arena;
    struct result *result = run_add_result(run);
    struct case_value values[] = {
        {.key = "bytes", .type = PARAM_BYTES, .role = PARAM_AXIS, .uint = bytes},
        {.key = "laps", .type = PARAM_UINT, .role = PARAM_METHOD, .uint = desc->laps}};
    result->bench_case.values = ARENA_ARRAY(arena, 2, struct case_value);
    memcpy(result->bench_case.values, values, sizeof values);
    result->bench_case.value_count = 2;
    result->key = case_key(arena, "pair", &result->bench_case);
    result->benchmark = "pair";
    result->version = desc->version;
    result->device = desc->device_id;
    result->metrics = ARENA_ARRAY(arena, 4, struct metric);
    double cycles[PAIR_ROUNDS_MAX], rates[PAIR_ROUNDS_MAX];
    for (size_t i = 0; i < desc->rounds; i++) {
        cycles[i] = 30 * log2((double)bytes) * desc->work * (1 + desc->noise * pair_normal(random));
        rates[i] = 1 / cycles[i];
    }
    pair_metric(run, result, 0, cycles, desc->rounds, 1e9 / desc->clock_hz);
    pair_metric(run, result, 1, cycles, desc->rounds, 1);
    pair_metric(run, result, 2, rates, desc->rounds, 1e15);
    pair_metric(run, result, 3, cycles, desc->rounds, 0.01);
}

// Adds a device and its cases to the run.
static inline void pair_device(struct run *run, struct pair_desc desc)
{
    desc.cases = desc.cases ? desc.cases : 20;
    desc.rounds = desc.rounds ? desc.rounds : 10;
    desc.noise = desc.noise > 0 ? desc.noise : 0.003;
    desc.work = desc.work > 0 ? desc.work : 1;
    desc.clock_hz = desc.clock_hz > 0 ? desc.clock_hz : 2e9;
    desc.version = desc.version ? desc.version : 1;
    desc.laps = desc.laps ? desc.laps : 1;
    desc.device_id = desc.device_id ? desc.device_id : "vulkan:0";
    desc.device_name = desc.device_name ? desc.device_name : "Made-up GPU";
    *run_add_device(run) = (struct run_device){.id = desc.device_id,
                                               .name = desc.device_name,
                                               .driver = "1.0",
                                               .kind = "discrete",
                                               .uuid = desc.uuid};
    struct random random;
    random_init(&random, desc.seed);
    for (size_t i = 0; i < desc.cases; i++)
        pair_case(run, &desc, &random, 1024 + 512 * i);
}

static inline struct run *pair_run(struct pair_desc desc)
{
    struct run *run = run_create();
    struct benchmark_info *info = ARENA_NEW(run->arena, struct benchmark_info);
    *info = (struct benchmark_info){.name = "pair",
                                    .version = desc.version ? desc.version : 1,
                                    .title = "Pairs",
                                    .params = pair_params,
                                    .param_count = 2,
                                    .metrics = pair_metrics,
                                    .metric_count = 4};
    run->status = RUN_COMPLETE;
    run->started = "2026-01-02T03:04:05Z";
    run_add_benchmark(run, info);
    pair_device(run, desc);
    return run;
}

#endif
