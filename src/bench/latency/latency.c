// SPDX-License-Identifier: MIT
// Declares the parameters, metrics and views of the benchmark latency. METHOD.md explains how it
// measures.
#include "analysis/levels.h"
#include "bench/latency/session.h"

static const struct param_info params[LATENCY_PARAM_COUNT] = {
    [LATENCY_PARAM_PATH] = {.key = "path",
                            .type = PARAM_TEXT,
                            .standard = "vector,scalar,shared,constant,texel,image,atomic,"
                                        "atomic-shared",
                            .choices = "vector|scalar|shared|constant|texel|image|atomic|"
                                       "atomic-shared",
                            .help = "route of the load: a buffer through the vector or the scalar "
                                    "unit, shared memory, a constant buffer, a typed buffer, an "
                                    "image without sampler, an atomic add that returns a value"},
    [LATENCY_PARAM_CHAIN] = {.key = "chain",
                             .type = PARAM_TEXT,
                             .standard = "pointer,index",
                             .choices = "pointer|index",
                             .help =
                                 "links are 64-bit addresses, or indices, which cost arithmetic"},
    [LATENCY_PARAM_ORDER] = {.key = "order",
                             .type = PARAM_TEXT,
                             .standard = "random,plru",
                             .quick = "random",
                             .full = "random,plru,page",
                             .choices = "random|plru|page",
                             .help =
                                 "random: lines in random order; plru: few pages at a time, for "
                                 "any line size; page: one line in each page, for the TLB"},
    [LATENCY_PARAM_BYTES] = {.key = "bytes",
                             .type = PARAM_BYTES,
                             .unit = UNIT_BYTE,
                             .quick = "1KiB..max/1",
                             .standard = "1KiB..max/4",
                             .full = "1KiB..max/12",
                             .least = 32, // two nodes with the least pitch
                             .takes_max = true,
                             .help = "size of the region that the chain covers"},
    [LATENCY_PARAM_LOAD] = {.key = "load",
                            .type = PARAM_TEXT,
                            .standard = "idle",
                            .choices = "idle|keep-awake",
                            .help = "keep-awake: another core is busy, so that the memory clock "
                                    "rises"},
    [LATENCY_PARAM_PITCH] = {.key = "pitch",
                             .type = PARAM_BYTES,
                             .unit = UNIT_BYTE,
                             .standard = "128",
                             .role = PARAM_METHOD,
                             .least = 16,
                             .most = LATENCY_STRIDE_MAX,
                             .multiple = 16,
                             .help = "stride of random and page: bytes from one line to the next"},
    [LATENCY_PARAM_PAGE] = {.key = "page",
                            .type = PARAM_BYTES,
                            .unit = UNIT_BYTE,
                            .standard = "2MiB",
                            .role = PARAM_METHOD,
                            .least = 1,
                            .most = (uint64_t)1 << 31,
                            .power_of_two = true,
                            .help = "page: bytes from one page to the next"},
};

static const struct metric_info metrics[LATENCY_METRIC_COUNT] = {
    [LATENCY_METRIC_NS] = {.name = "latency",
                           .unit = UNIT_NS,
                           .better = BETTER_LOWER,
                           .help = "time from one dependent load to the next"},
    [LATENCY_METRIC_CYCLES] = {.name = "latency_cycles",
                               .unit = UNIT_CYCLE,
                               .better = BETTER_LOWER,
                               .help = "latency in cycles of the core clock; absent if the core's "
                                       "counter counts another clock",
                               .cycles_of = "latency"},
    [LATENCY_METRIC_CONTROL_NS] = {.name = "control",
                                   .unit = UNIT_NS,
                                   .help = "index chains: time of the address arithmetic of a hop, "
                                           "measured without the load; latency includes it"},
    [LATENCY_METRIC_CONTROL_CYCLES] = {.name = "control_cycles",
                                       .unit = UNIT_CYCLE,
                                       .help = "control in cycles of the core clock",
                                       .cycles_of = "control"},
};

static const struct view_info views[] = {
    {.kind = VIEW_CURVE,
     .title = "Latency by working set",
     .x = "bytes",
     .metric = "latency",
     .group = "path,chain,order,load",
     .scale = "log2-linear"},
    {.kind = VIEW_CURVE,
     .title = "Latency by working set, in core cycles",
     .x = "bytes",
     .metric = "latency_cycles",
     .group = "path,chain,order,load",
     .scale = "log2-linear"},
    {.kind = VIEW_CURVE,
     .title = "Address arithmetic of an index chain",
     .x = "bytes",
     .metric = "control",
     .group = "path,order",
     .scale = "log2-linear",
     .where = "chain=index"},
};

static const struct headline_info headlines[] = {
    {.kind = HEADLINE_LEVELS,
     .title = "Latency of each memory level",
     .metric = "latency",
     .where = "path=vector,load=idle",
     .by = "bytes",
     .section = CARD_LATENCY,
     .row = "latency"},
    {.kind = HEADLINE_BEST,
     .title = "Latency of shared memory",
     .metric = "latency",
     .where = "path=shared"},
};

static unsigned counted(const struct bench_case *c)
{
    struct latency_case this_case;
    latency_case_read(c, &this_case);
    enum latency_path path = this_case.path;
    if (latency_on_chip(path))
        return MEASURE_COUNT_MEMORY | MEASURE_COUNT_SHARED;
    bool is_texture = path == LATENCY_TEXEL || path == LATENCY_IMAGE;
    return MEASURE_COUNT_MEMORY | (is_texture ? MEASURE_COUNT_TEXTURES : 0);
}

const struct benchmark bench_latency = {
    .info = {.name = "latency",
             .version = 2,
             .title = "Latency of dependent loads",
             BENCHMARK_TABLE(param, params),
             BENCHMARK_TABLE(metric, metrics),
             BENCHMARK_TABLE(view, views),
             BENCHMARK_TABLE(headline, headlines)},
    .description =
        "One subgroup follows a chain of links through a region of memory: each load returns the "
        "address of the next. The core's own cycle counter times windows of hops inside the "
        "kernel. Small regions show the latency of the first cache, larger regions that of the "
        "next levels, for every route that a load can take. The order of the chain decides whether "
        "address translation is included. A closed formula checks where each chase ends.",
    .plan = latency_plan,
    .open = latency_open,
    .programs = latency_programs,
    .close = latency_close,
    .counted = counted,
    .visit = latency_visit,
    .conclude = levels_add_findings,
};
