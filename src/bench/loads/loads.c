// SPDX-License-Identifier: MIT
#include "base/text.h"
#include "bench/loads/session.h"

#include <string.h>

// The last is the first of none: a published row for each way that a load can take.
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
     .help = "what is loaded, in the words of the published tables; natural = known to be aligned"},
    {.key = "pattern",
     .type = PARAM_TEXT,
     .standard = "uniform,linear,random",
     .full = "uniform,linear,random,scattered",
     .choices = "uniform|linear|random|scattered",
     .help = "all threads of a workgroup load the same, neighbours, one of 16 (of 4 texels), or "
             "each at a "
             "random place of its own"},
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
     .help = "threads of a subgroup, where the device offers several; any: the driver's choice"},
    {.key = "layout",
     .type = PARAM_TEXT,
     .standard = "table",
     .role = PARAM_DISPLAY,
     .choices = "table|published",
     .help =
         "on the screen: tables, or the two columns of the published tool, ms of 30 dispatches and "
         "ratio"},
};

static const struct metric_info metrics[] = {
    {.name = "rate",
     .unit = UNIT_OP_PER_S,
     .better = BETTER_HIGHER,
     .help = "loads over device time"},
    {.name = "bandwidth",
     .unit = UNIT_BYTE_PER_S,
     .better = BETTER_HIGHER,
     .help = "bytes that the loads asked for"},
    {.name = "per_core",
     .unit = UNIT_OP_PER_CYCLE,
     .better = BETTER_HIGHER,
     .help = "loads of one core, per cycle of the clock seen during the sample"},
    {.name = "time",
     .unit = UNIT_NS,
     .better = BETTER_LOWER,
     .help = "of 2^28 loads, a dispatch of the published tool"},
    {.name = "ratio",
     .better = BETTER_HIGHER,
     .help = "times as fast as Buffer<RGBA8>.Load random, measured within 0.1 s of it"},
    {.name = "over_control",
     .help = "times as long as the same loop without loads, measured at the case's first visit"},
    {.name = "baseline",
     .unit = UNIT_OP_PER_S,
     .help = "what Buffer<RGBA8>.Load random was then: how far it drifts from case to case"},
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
     .title = "All of it, time of 2^28 loads",
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

enum {
    VALUES = sizeof params / sizeof params[0]
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static enum loads_pattern pattern_of(const char *name)
{
    return strcmp(name, "uniform") == 0  ? LOADS_UNIFORM
           : strcmp(name, "linear") == 0 ? LOADS_LINEAR
           : strcmp(name, "random") == 0 ? LOADS_RANDOM
                                         : LOADS_SCATTERED;
}

void loads_case_read(const struct bench_case *c, struct loads_case *this_case)
{
    *this_case = (struct loads_case){
        .kind = loads_kind_find(case_text(c, "load")),
        .pattern = pattern_of(case_text(c, "pattern")),
        .peak = strcmp(case_text(c, "fidelity"), "peak") == 0,
    };
    const struct case_value *subgroup = case_find(c, "subgroup");
    uint64_t threads = 0;
    if (subgroup && text_parse_uint(subgroup->text, &threads))
        this_case->subgroup_threads = (uint32_t)threads;
}

// What lanes hand each other is the same for all, and push constants take no other index.
// Anisotropic footprints of lanes that lie apart are filtered wrongly by llvmpipe (Mesa 22.3.6),
// whose loop over texels is one for all lanes.
static bool makes_sense(const struct case_value *load, const struct case_value *pattern)
{
    const struct loads_kind *kind = loads_kind_find(load->text);
    enum loads_pattern where = pattern_of(pattern->text);
    if (kind->source == LOADS_FROM_STRETCHED && where == LOADS_SCATTERED)
        return false;
    return !loads_way_of(kind)->uniform || where == LOADS_UNIFORM;
}

bool loads_plan(const struct bench_request *request, struct bench_case_list *list,
                struct error *err)
{
    const struct bench_choice *load = bench_choice_find(request, "load");
    const struct bench_choice *pattern = bench_choice_find(request, "pattern");
    const struct bench_choice *fidelity = bench_choice_find(request, "fidelity");
    const struct bench_choice *layout = bench_choice_find(request, "layout");
    const struct bench_choice *subgroup = bench_choice_find(request, "subgroup");
    if (fidelity->value_count != 1)
        return error_set(err, ERROR_USAGE,
                         "loads.fidelity takes one value: results of both would share their names");
    if (subgroup->value_count != 1)
        return error_set(err, ERROR_USAGE,
                         "loads.subgroup takes one value: results of all would share their names");
    if (layout->value_count != 1)
        return error_set(err, ERROR_USAGE, "loads.layout takes one value: table or published");
    for (size_t l = 0; l < load->value_count; l++)
        for (size_t p = 0; p < pattern->value_count; p++) {
            if (!makes_sense(&load->values[l], &pattern->values[p]))
                continue;
            struct case_value *values = ARENA_ARRAY(request->arena, VALUES, struct case_value);
            values[0] = load->values[l];
            values[1] = pattern->values[p];
            values[2] = fidelity->values[0];
            values[3] = subgroup->values[0];
            values[4] = layout->values[0];
            bench_case_add(request->arena, list,
                           (struct bench_case){.values = values, .value_count = VALUES});
        }
    return true;
}

const struct benchmark bench_loads = {
    .info =
        {
            .name = "loads",
            .version = 3,
            .title = "Which resource type loads fastest",
            .params = params,
            .param_count = COUNT(params),
            .metrics = metrics,
            .metric_count = COUNT(metrics),
            .views = views,
            .view_count = COUNT(views),
            .headlines = headlines,
            .headline_count = COUNT(headlines),
        },
    .description =
        "Loads a second from 16 KiB that every core's cache holds, by each kind of resource that a "
        "shader can choose: typed, raw and structured buffers, constant buffers, textures with and "
        "without a sampler, in nine formats and three patterns. The rows and the ratio are those "
        "of sebbbi's perftest, whose faults METHOD.md names; every sum of every thread is checked, "
        "and the same loop without loads is timed beside each case.",
    .plan = loads_plan,
    .open = loads_open,
    .close = loads_close,
    .visit = loads_visit,
    .conclude = loads_conclude,
};
