// SPDX-License-Identifier: MIT
#include "bench/roofline/session.h"

#include <string.h>

static const struct param_info params[] = {
    {"type", PARAM_TEXT, UNIT_NONE, "fp32", "fp32,fp64,fp16x2", NULL, PARAM_AXIS,
     "fp32|fp64|fp16x2", "numbers that are multiplied and added; fp16x2: packed in pairs"},
    {"intensity", PARAM_REAL, UNIT_NONE, "0.0625,1,8,64",
     "0.0625,0.125,0.25,0.5,1,2,4,8,12,16,24,32,64,128,256,512",
     "0.0625,0.125,0.25,0.5,1,2,3,4,6,8,10,12,14,16,20,24,28,32,48,64,96,128,256,512", PARAM_AXIS,
     NULL, "arithmetic operations a byte read, in multiples of 1/16"},
    {"energy", PARAM_REAL, UNIT_NONE, "0", "1", "1", PARAM_DISPLAY, NULL,
     "seconds, at least, of steady repeats for the energy of each operation and byte, on devices "
     "that count it; 0: none; the standard preset takes ten intensities of the first type"},
    {"together", PARAM_TEXT, UNIT_NONE, NULL, "auto", NULL, PARAM_DISPLAY, "auto|yes|no",
     "several devices at the same time: auto where they are different chips"},
};

static const struct metric_info metrics[] = {
    {"rate", UNIT_OP_PER_S, BETTER_HIGHER, "multiplications and additions a second"},
    {"bandwidth", UNIT_BYTE_PER_S, BETTER_HIGHER, "bytes read a second"},
    {"energy_op", UNIT_JOULE, BETTER_LOWER, "that the whole card draws for each operation"},
    {"energy_byte", UNIT_JOULE, BETTER_LOWER, "that the whole card draws for each byte read"},
    {"drawn", UNIT_WATT, BETTER_NONE, "mean power of the whole card in that time"},
};

static const struct view_info views[] = {
    {VIEW_CURVE, "Arithmetic by intensity", "intensity", NULL, "rate", "type", "log2-log10", NULL},
    {VIEW_CURVE, "Bandwidth by intensity", "intensity", NULL, "bandwidth", "type", "log2-log10",
     NULL},
    {VIEW_CURVE, "Energy of an operation by intensity", "intensity", NULL, "energy_op", "type",
     "log2-log10", NULL},
    {VIEW_CURVE, "Energy of a byte read by intensity", "intensity", NULL, "energy_byte", "type",
     "log2-log10", NULL},
};

enum {
    ENERGY_POINTS = 10
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

// Whether the device lacks what the numbers need; what a user asked for is skipped with the reason.
static bool is_reachable(const struct bench_request *request, const struct bench_choice *type,
                         const struct roofline_case *this_case)
{
    return type->from_user || !(this_case->number->caps & ~request->device->caps);
}

// Ten of the first type's intensities, spread over all of them, in the standard preset; all where
// the user or another preset says so.
static double energy_of(const struct bench_request *request, size_t type, size_t at, size_t count)
{
    const struct bench_choice *energy = bench_choice_find(request, "energy");
    bool sparing = !energy->from_user && strcmp(request->preset, "standard") == 0;
    bool chosen = at == 0 || at * ENERGY_POINTS / count != (at - 1) * ENERGY_POINTS / count;
    return sparing && (type > 0 || !chosen) ? 0 : energy->values[0].real;
}

bool roofline_plan(const struct bench_request *request, struct bench_case_list *list,
                   struct error *err)
{
    const struct bench_choice *type = bench_choice_find(request, "type");
    const struct bench_choice *intensity = bench_choice_find(request, "intensity");
    for (size_t t = 0; t < type->value_count; t++)
        for (size_t i = 0; i < intensity->value_count; i++) {
            struct case_value *values = ARENA_ARRAY(request->arena, 4, struct case_value);
            const struct bench_case made = {.values = values, .value_count = 4};
            struct roofline_case this_case;
            values[0] = type->values[t];
            values[1] = intensity->values[i];
            values[2] = bench_choice_find(request, "energy")->values[0];
            values[2].real = energy_of(request, t, i, intensity->value_count);
            values[3] = bench_choice_find(request, "together")->values[0];
            roofline_case_read(&made, &this_case);
            if (!roofline_steps(&this_case))
                return error_set(err, ERROR_USAGE,
                                 "roofline.intensity: expected multiples of 1/16, not %g",
                                 this_case.intensity);
            if (is_reachable(request, type, &this_case))
                bench_case_add(request->arena, list, made);
        }
    return true;
}

const struct benchmark bench_roofline = {
    .info =
        {
            .name = "roofline",
            .version = 1,
            .title = "Roofline: arithmetic on what is read from memory",
            .params = params,
            .param_count = COUNT(params),
            .metrics = metrics,
            .metric_count = COUNT(metrics),
            .views = views,
            .view_count = COUNT(views),
        },
    .description =
        "What the chip computes a second by how much it computes on each byte that it reads from "
        "memory: from 1/16 operation a byte, where memory is the bound, to 512, where the units "
        "are. The intensity is a run-time value; the sum of all results is checked.",
    .together = true,
    .plan = roofline_plan,
    .open = roofline_open,
    .close = roofline_close,
    .visit = roofline_visit,
};
