// SPDX-License-Identifier: MIT
// A run that uses every member of results.h at least once, for tests of what reads and writes runs.
// Its file is tests/golden/rich.json.
#ifndef GOLDEN_RICH_RUN_H
#define GOLDEN_RICH_RUN_H

#include "results/check.h"
#include "results/results.h"

#include <math.h>

static const struct param_info rich_params[] = {
    {.key = "path",
     .type = PARAM_TEXT,
     .unit = UNIT_NONE,
     .role = PARAM_AXIS,
     .choices = "vector|scalar",
     .help = "Hardware route of the load."},
    {.key = "bytes",
     .type = PARAM_BYTES,
     .unit = UNIT_BYTE,
     .role = PARAM_AXIS,
     .help = "Size of the region."},
    {.key = "density",
     .type = PARAM_REAL,
     .unit = UNIT_NONE,
     .role = PARAM_AXIS,
     .help = "Share of lines touched."},
    {.key = "laps",
     .type = PARAM_UINT,
     .unit = UNIT_NONE,
     .role = PARAM_METHOD,
     .help = "Warm laps before measuring."},
};
static const struct metric_info rich_metrics[] = {
    {.name = "latency",
     .unit = UNIT_NS,
     .better = BETTER_LOWER,
     .help = "Time of one dependent load."},
    {.name = "latency_cycles",
     .unit = UNIT_CYCLE,
     .better = BETTER_LOWER,
     .help = "The same in cycles of the core clock.",
     .cycles_of = "latency"},
};
static const struct view_info rich_views[] = {
    {.kind = VIEW_CURVE,
     .title = "Latency by size",
     .x = "bytes",
     .metric = "latency",
     .group = "path,density",
     .scale = "log2-linear",
     .where = "laps=1"},
    {.kind = VIEW_HEATMAP,
     .title = "Latency by size and path",
     .x = "bytes",
     .y = "path",
     .metric = "latency_cycles"},
};
static const struct headline_info rich_headlines[] = {
    {.kind = HEADLINE_LEVELS,
     .title = "Latency of each memory level",
     .metric = "latency",
     .where = "path=vector|scalar",
     .by = "bytes"},
};
static const struct benchmark_info rich_benchmark = {.name = "latency",
                                                     .version = 3,
                                                     .title = "Latency of dependent loads",
                                                     .params = rich_params,
                                                     .param_count = 4,
                                                     .metrics = rich_metrics,
                                                     .metric_count = 2,
                                                     .headlines = rich_headlines,
                                                     .headline_count = 1,
                                                     .views = rich_views,
                                                     .view_count = 2};

static inline struct bench_case rich_case(struct arena *arena, const char *path, uint64_t bytes)
{
    struct case_value values[] = {
        {.key = "path", .type = PARAM_TEXT, .role = PARAM_AXIS, .text = path},
        {.key = "bytes", .type = PARAM_BYTES, .role = PARAM_AXIS, .uint = bytes},
        {.key = "density", .type = PARAM_REAL, .role = PARAM_AXIS, .real = 0.1},
        {.key = "laps", .type = PARAM_UINT, .role = PARAM_METHOD, .uint = 1},
    };
    struct bench_case bench_case = {.values = ARENA_ARRAY(arena, 4, struct case_value),
                                    .value_count = 4};
    for (size_t i = 0; i < 4; i++)
        bench_case.values[i] = values[i];
    return bench_case;
}

static inline struct result *rich_result(struct run *run, const char *path, uint64_t bytes)
{
    struct arena *arena = run->arena;
    struct result *result = run_add_result(run);
    result->bench_case = rich_case(arena, path, bytes);
    result->key = case_key(arena, "latency", &result->bench_case);
    result->benchmark = "latency";
    result->version = 3;
    result->device = "vulkan:0";
    return result;
}

static inline void rich_measure(struct arena *arena, struct result *result, double ns)
{
    static const double shape[5] = {0.99, 1.0, 1.0 + 1.0 / 3, 0.97, 1.01};
    result->metric_count = 2;
    result->metrics = ARENA_ARRAY(arena, 2, struct metric);
    double *rounds = ARENA_ARRAY(arena, 5, double);
    for (size_t i = 0; i < 5; i++)
        rounds[i] = ns * shape[i];
    result->metrics[0] = (struct metric){.name = "latency",
                                         .unit = UNIT_NS,
                                         .better = BETTER_LOWER,
                                         .median = ns,
                                         .ci95 = {ns * 0.97, ns * 1.01},
                                         .n = 320,
                                         .limit = NAN,
                                         .round_medians = rounds,
                                         .round_count = 5};
    result->metrics[1] = (struct metric){.name = "latency_cycles",
                                         .unit = UNIT_CYCLE,
                                         .better = BETTER_LOWER,
                                         .median = ns * 1.98,
                                         .ci95 = {NAN, NAN},
                                         .n = 320,
                                         .limit = 28};
    static struct named_text details[] = {{"shape", "grid 1 × 32"}, {"chain", "pointer"}};
    static struct named_number sensors[] = {{"core_clock", UNIT_HZ, 1.98e9},
                                            {"power", UNIT_WATT, 123.456}};
    result->details = details;
    result->detail_count = 2;
    result->sensors = sensors;
    result->sensor_count = 2;
    result->kernel = (struct kernel_info){.hash = "0123abcd",
                                          .source = "bench/latency/latency.comp",
                                          .registers = 18,
                                          .spill_bytes = 0,
                                          .loads = NAN};
}

static inline void rich_head(struct run *run)
{
    static const char *command[] = {"fathom", "run", "latency", "-o", "rich.json"};
    static struct named_text host[] = {{"os", "Linux 6.1"}, {"cpu", "Epyc \"9654\""}};
    run->status = RUN_COMPLETE;
    run->tool_version = "0.1.0";
    run->tool_commit = "b886688";
    run->tool_build = "gcc 12.2 RelWithDebInfo";
    run->started = "2026-01-02T03:04:05Z";
    run->preset = "quick";
    run->command = command;
    run->command_count = 5;
    run->host = host;
    run->host_count = 2;
    static struct named_number limits[] = {{"dram_bandwidth", UNIT_BYTE_PER_S, 4.8e12},
                                           {"core_count", UNIT_NONE, 132}};
    *run_add_device(run) = (struct run_device){.id = "vulkan:0",
                                               .name = "NVIDIA H200",
                                               .vendor = "NVIDIA",
                                               .architecture = "Hopper",
                                               .driver = "580.0",
                                               .api_version = "1.4.312",
                                               .kind = "discrete",
                                               .uuid = "00112233445566778899aabbccddeeff",
                                               .pci = "0000:1b:00.0",
                                               .limits = limits,
                                               .limit_count = 2};
    *run_add_device(run) = (struct run_device){.id = "opencl:0", .name = "plain"};
    run_add_benchmark(run, &rich_benchmark);
}

static inline void rich_check(struct run *run)
{
    static const char *remarks[] = {"expectation from 3 cards"};
    static struct check_figure figures[2];
    figures[0] = (struct check_figure){.metric = CHECK_DRAM_READ,
                                       .unit = UNIT_BYTE_PER_S,
                                       .peer = NAN,
                                       .value = 3.1e12,
                                       .low = 3.09e12,
                                       .high = 3.11e12,
                                       .noise = 0.002,
                                       .expected = 4.6e12,
                                       .expected_low = 4.5e12,
                                       .cards = 3,
                                       .basis = CHECK_BASIS_REFERENCE,
                                       .judgement = CHECK_FIGURE_SLOW};
    figures[1] = check_figure_empty(CHECK_PEER);
    figures[1].peer = 0;
    struct check *check = run_add_check(run);
    check->device = "vulkan:0";
    check->index = 1;
    check->uuid = "00112233445566778899aabbccddeeff";
    check->pci = "0000:1b:00.0";
    check->verdict = CHECK_SLOW;
    check->code = CHECK_MEMORY_CLOCK;
    check->cause = "DRAM 3.1 of 4.6 TB/s: memory clock 1593 of 3201 MHz";
    check->remarks = remarks;
    check->remark_count = 1;
    check->shared_check = true;
    check->figures = figures;
    check->figure_count = 2;
    check->state = (struct check_state){.core_clock_hz = 1.98e9,
                                        .memory_clock_hz = 1.593e9,
                                        .power_w = 312.5,
                                        .power_limit_w = 700,
                                        .temperature_c = 41,
                                        .link_width = 8,
                                        .link_width_max = 16,
                                        .link_generation = 4,
                                        .link_generation_max = 5,
                                        .ecc_corrected = 0,
                                        .ecc_uncorrected = 0,
                                        .link_replays = 2,
                                        .nvlink_replays = 3,
                                        .nvlink_recoveries = 1,
                                        .nvlinks = 18,
                                        .nvlinks_active = 17,
                                        .ecc_enabled = 1,
                                        .remapped_rows = 4,
                                        .remap_pending = 1,
                                        .remap_failed = 0,
                                        .retired_pages = 5,
                                        .throttle = "none",
                                        .vbios = "96.00.74.00.01"};
    run_add_check(run);
}

static inline struct run *rich_run(void)
{
    struct run *run = run_create();
    rich_head(run);
    struct result *ok = rich_result(run, "vector", 32768);
    rich_measure(run->arena, ok, 16.3);
    static const char *columns[] = {"time", "clock"};
    static double data[] = {0, 1.98e9, 0.001, NAN, 0.002, 1.7e9};
    static struct series series[] = {{"clock", columns, 2, data, 3}};
    ok->series = series;
    ok->series_count = 1;

    struct result *suspect = rich_result(run, "vector", 4294967296);
    rich_measure(run->arena, suspect, 335.1);
    result_flag(run->arena, suspect, VERDICT_SUSPECT, "correlated",
                "samples follow each other (lag-1 %.2f)", 0.42);
    struct result *skipped = rich_result(run, "scalar", 32768);
    result_flag(run->arena, skipped, VERDICT_SKIPPED, "unsupported", "no scalar loads here");
    struct result *failed = rich_result(run, "scalar", 65536);
    result_flag(run->arena, failed, VERDICT_FAILED, "mismatch", "hop 12 is at 7, not at 9");

    static const char *keys[] = {"latency/path=vector/bytes=32768/density=0.1"};
    *run_add_finding(run) = (struct finding){.code = "level",
                                             .text = "L1 ends at 230 KiB",
                                             .device = "vulkan:0",
                                             .value = 235520,
                                             .keys = keys,
                                             .key_count = 1};
    *run_add_finding(run) =
        (struct finding){.code = "note", .text = "one clock seen", .value = NAN};
    rich_check(run);
    return run;
}

#endif
