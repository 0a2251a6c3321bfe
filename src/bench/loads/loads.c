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
    {"load", PARAM_TEXT, UNIT_NONE, quick_loads, loads_labels_published + 1, loads_labels_all + 1,
     PARAM_AXIS, loads_choices + 1,
     "what is loaded, in the words of the published tables; natural = known to be aligned"},
    {"pattern", PARAM_TEXT, UNIT_NONE, NULL, "uniform,linear,random",
     "uniform,linear,random,scattered", PARAM_AXIS, "uniform|linear|random|scattered",
     "all threads of a workgroup load the same, neighbours, one of 16 (of 4 texels), or each at a "
     "random place of its own"},
    {"fidelity", PARAM_TEXT, UNIT_NONE, NULL, "peak", NULL, PARAM_METHOD, "peak|original",
     "peak: eight loads share their address arithmetic; original: the loop of the published tool"},
    {"subgroup", PARAM_TEXT, UNIT_NONE, NULL, "any", NULL, PARAM_METHOD, "any|4|8|16|32|64|128",
     "threads of a subgroup, where the device offers several; any: the driver's choice"},
    {"layout", PARAM_TEXT, UNIT_NONE, NULL, "table", NULL, PARAM_DISPLAY, "table|published",
     "on the screen: tables, or the two columns of the published tool, ms of 30 dispatches and "
     "ratio"},
};

static const struct metric_info metrics[] = {
    {"rate", UNIT_OP_PER_S, BETTER_HIGHER, "loads over device time"},
    {"bandwidth", UNIT_BYTE_PER_S, BETTER_HIGHER, "bytes that the loads asked for"},
    {"per_core", UNIT_OP_PER_CYCLE, BETTER_HIGHER,
     "loads of one core, per cycle of the clock seen during the sample"},
    {"time", UNIT_NS, BETTER_LOWER, "of 2^28 loads, a dispatch of the published tool"},
    {"ratio", UNIT_NONE, BETTER_HIGHER,
     "times as fast as Buffer<RGBA8>.Load random, measured within 0.1 s of it"},
    {"over_control", UNIT_NONE, BETTER_NONE,
     "times as long as the same loop without loads, measured at the case's first visit"},
    {"baseline", UNIT_OP_PER_S, BETTER_NONE,
     "what Buffer<RGBA8>.Load random was then: how far it drifts from case to case"},
};

static const struct view_info views[] = {
    {VIEW_HEATMAP, "Times as fast as Buffer<RGBA8>.Load random", "pattern", "load", "ratio", NULL,
     NULL, NULL},
    {VIEW_HEATMAP, "Loads a core and cycle", "pattern", "load", "per_core", NULL, NULL, NULL},
    {VIEW_TABLE, "All of it, time of 2^28 loads", "pattern", NULL, "rate", "load", NULL, NULL},
    {VIEW_LINES, "Performance compared to Buffer<RGBA8>.Load random", "pattern", "load",
     "time,ratio", NULL, "30", "layout=published"},
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
};
