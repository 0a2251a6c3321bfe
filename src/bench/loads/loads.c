// SPDX-License-Identifier: MIT
#include "bench/loads/session.h"

// The rows that the preset quick measures: one or two for each of the main types of resource.
static const char quick_loads[] =
    "Buffer<RGBA8>.Load,Buffer<RGBA32f>.Load,ByteAddressBuffer.Load,ByteAddressBuffer.Load4,"
    "StructuredBuffer<float4>.Load,cbuffer{float4} load,Texture2D<RGBA8>.Load,"
    "Texture2D<RGBA8>.Sample(bilinear)";

static const struct param_info params[] = {
    {.key = "load",
     .type = PARAM_TEXT,
     .quick = quick_loads,
     .standard = loads_labels_published + 1,
     .full = loads_labels_all + 1,
     .choices = loads_choices + 1,
     .help = "what a load reads, by the names of the published tables; natural: the compiler knows "
             "the alignment"},
    {.key = "pattern",
     .type = PARAM_TEXT,
     .standard = "uniform,linear,random",
     .full = "uniform,linear,random,scattered",
     .choices = "uniform|linear|random|scattered",
     .help = "where the threads of a workgroup load: all the same element, neighbours, one of 16 "
             "elements (of 4 texels), or each at a random place of its own"},
    {.key = "fidelity",
     .type = PARAM_TEXT,
     .standard = "peak",
     .role = PARAM_METHOD,
     .choices = "peak|original",
     .help = "peak: eight loads share their address arithmetic; original: the loop of the "
             "published tool"},
    {.key = "subgroup",
     .type = PARAM_TEXT,
     .standard = "any",
     .role = PARAM_METHOD,
     .choices = "any|4|8|16|32|64|128",
     .help = "threads of a subgroup, on devices that offer several sizes; any: the driver chooses"},
    {.key = "layout",
     .type = PARAM_TEXT,
     .standard = "table",
     .role = PARAM_DISPLAY,
     .choices = "table|published",
     .help = "on the screen: tables, or the two columns of the published tool: ms of 30 "
             "dispatches, and the ratio"},
};

static const struct metric_info metrics[] = {
    {.name = "rate",
     .unit = UNIT_OP_PER_S,
     .better = BETTER_HIGHER,
     .help = "loads per second of device time"},
    {.name = "bandwidth",
     .unit = UNIT_BYTE_PER_S,
     .better = BETTER_HIGHER,
     .help = "bytes that the loads ask for, per second of device time"},
    {.name = "per_core",
     .unit = UNIT_OP_PER_CYCLE,
     .better = BETTER_HIGHER,
     .help = "loads of one core per cycle of the core clock seen during the sample"},
    {.name = "time",
     .unit = UNIT_NS,
     .better = BETTER_LOWER,
     .help = "time of 2^28 loads, which one dispatch of the published tool makes"},
    {.name = "ratio",
     .better = BETTER_HIGHER,
     .help = "how many times as fast as Buffer<RGBA8>.Load random, which is measured within 0.1 s "
             "of the case"},
    {.name = "over_control",
     .help = "how many times as long as the same loop without loads, which is measured at the "
             "first visit of the case"},
    {.name = "baseline",
     .unit = UNIT_OP_PER_S,
     .help = "rate of Buffer<RGBA8>.Load random measured beside this case: shows how far the "
             "device drifts"},
};

static const struct view_info views[] = {
    {.kind = VIEW_HEATMAP,
     .title = "Times as fast as Buffer<RGBA8>.Load random",
     .x = "pattern",
     .y = "load",
     .metric = "ratio"},
    {.kind = VIEW_HEATMAP,
     .title = "Loads a core and cycle",
     .x = "pattern",
     .y = "load",
     .metric = "per_core"},
    {.kind = VIEW_TABLE,
     .title = "Rate of every load",
     .x = "pattern",
     .metric = "rate",
     .group = "load"},
    {.kind = VIEW_LINES,
     .title = "Performance compared to Buffer<RGBA8>.Load random",
     .x = "pattern",
     .y = "load",
     .metric = "time,ratio",
     .scale = "30",
     .where = "layout=published"},
};

static const struct headline_info headlines[] = {
    {.kind = HEADLINE_BEST,
     .title = "Loads of four floats",
     .metric = "rate",
     .where = "load=StructuredBuffer<float4>.Load,pattern=linear"},
    {.kind = HEADLINE_BEST,
     .title = "Bilinear samples of RGBA8",
     .metric = "rate",
     .where = "load=Texture2D<RGBA8>.Sample(bilinear),pattern=linear"},
};

// Returns false for combinations that are not measured. Broadcasts, shuffles and push constants
// have only the pattern uniform: all lanes get the same elements. llvmpipe (Mesa 22.3.6) filters
// wrongly if lanes of anisotropic samples read texels that are far apart.
static bool makes_sense(const struct bench_pick *pick, struct error *err)
{
    struct loads_case this_case;
    (void)err;
    loads_case_read(&pick->c, &this_case);
    if (this_case.kind->source == LOADS_FROM_STRETCHED && this_case.pattern == LOADS_SCATTERED)
        return false;
    return !loads_traits_of(this_case.kind)->uniform || this_case.pattern == LOADS_UNIFORM;
}

static unsigned counted(const struct bench_case *c)
{
    (void)c;
    return MEASURE_COUNT_MEMORY | MEASURE_COUNT_TEXTURES | MEASURE_COUNT_UNITS;
}

const struct benchmark bench_loads = {
    .info = {.name = "loads",
             .version = 3,
             .title = "Which resource type loads fastest",
             BENCHMARK_TABLE(param, params),
             BENCHMARK_TABLE(metric, metrics),
             BENCHMARK_TABLE(view, views),
             BENCHMARK_TABLE(headline, headlines)},
    .description =
        "Loads per second from 16 KiB, which the cache of every core holds, by each kind of "
        "resource that a shader can use: typed, raw and structured buffers, constant buffers, and "
        "textures with and without a sampler, in nine formats and three patterns. The rows and the "
        "ratio are those of sebbbi's perftest; METHOD.md names its faults. The sum of every thread "
        "is checked, and the same loop without loads is timed beside each case.",
    .product = {.keep = makes_sense},
    .open = loads_open,
    .programs = loads_programs,
    .close = loads_close,
    .counted = counted,
    .visit = loads_visit,
    .conclude = loads_conclude,
};
