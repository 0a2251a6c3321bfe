// SPDX-License-Identifier: MIT
#include "bench/roofline/session.h"

#include <string.h>

enum {
    // Maximum of the parameter `energy`. A longer measurement would end early, because it keeps
    // only a limited number of readings (measure/energy.h).
    ENERGY_SECONDS_MOST = 60
};

static const struct param_info params[] = {
    {.key = "type",
     .type = PARAM_TEXT,
     .quick = "fp32",
     .standard = "fp32,fp64,fp16x2",
     .choices = "fp32|fp64|fp16x2",
     .help = "numbers that are multiplied and added; fp16x2: 16-bit floats packed in pairs"},
    {.key = "intensity",
     .type = PARAM_REAL,
     .quick = "0.0625,1,8,64",
     .standard = "0.0625,0.125,0.25,0.5,1,2,4,8,12,16,24,32,64,128,256,512",
     .full = "0.0625,0.125,0.25,0.5,1,2,3,4,6,8,10,12,14,16,20,24,28,32,48,64,96,128,256,512",
     .help = "floating-point operations per byte read, in multiples of 1/16"},
    {.key = "energy",
     .type = PARAM_REAL,
     .quick = "0",
     .standard = "0.5",
     .full = "1",
     .role = PARAM_DISPLAY,
     .most = ENERGY_SECONDS_MOST,
     .help = "seconds for which the work is repeated to measure the energy of an operation and of "
             "a byte, on devices that count energy; 0: not measured; the standard preset measures "
             "it at every third intensity of the first type"},
    {.key = "together",
     .type = PARAM_TEXT,
     .standard = "auto",
     .role = PARAM_DISPLAY,
     .choices = "auto|yes|no",
     .help = "measure several devices at the same time; auto: if they are different chips"},
};

static const struct metric_info metrics[] = {
    {.name = "rate",
     .unit = UNIT_OP_PER_S,
     .better = BETTER_HIGHER,
     .help = "floating-point operations per second: multiplications and additions",
     .floating = "type=fp32|fp64|fp16x2"},
    {.name = "bandwidth",
     .unit = UNIT_BYTE_PER_S,
     .better = BETTER_HIGHER,
     .help = "bytes read per second of device time"},
    {.name = "energy_op",
     .unit = UNIT_JOULE,
     .better = BETTER_LOWER,
     .help = "energy that the whole card draws for one operation"},
    {.name = "energy_byte",
     .unit = UNIT_JOULE,
     .better = BETTER_LOWER,
     .help = "energy that the whole card draws for one byte read"},
    {.name = "drawn",
     .unit = UNIT_WATT,
     .help = "mean power of the whole card while energy is measured"},
};

static const struct view_info views[] = {
    {.kind = VIEW_CURVE,
     .title = "Arithmetic by intensity",
     .x = "intensity",
     .metric = "rate",
     .group = "type",
     .scale = "log2-log10",
     .sensors = "core_clock,power,temperature"},
    {.kind = VIEW_TABLE,
     .title = "Clock, power and temperature by intensity",
     .x = "intensity",
     .metric = "rate",
     .sensors = "core_clock,power,temperature"},
    {.kind = VIEW_CURVE,
     .title = "Bandwidth by intensity",
     .x = "intensity",
     .metric = "bandwidth",
     .group = "type",
     .scale = "log2-log10"},
    {.kind = VIEW_CURVE,
     .title = "Energy of an operation by intensity",
     .x = "intensity",
     .metric = "energy_op",
     .group = "type",
     .scale = "log2-log10"},
    {.kind = VIEW_CURVE,
     .title = "Power of the card by intensity",
     .x = "intensity",
     .metric = "drawn",
     .group = "type",
     .scale = "log2-linear"},
    {.kind = VIEW_CURVE,
     .title = "Energy of a byte read by intensity",
     .x = "intensity",
     .metric = "energy_byte",
     .group = "type",
     .scale = "log2-log10"},
};

static const struct headline_info headlines[] = {
    {.kind = HEADLINE_BEST, .title = "DRAM read", .metric = "bandwidth"},
    {.kind = HEADLINE_BEST,
     .title = "Energy of an FP32 operation",
     .metric = "energy_op",
     .where = "type=fp32"},
    {.kind = HEADLINE_BEST,
     .title = "Energy of a byte read",
     .metric = "energy_byte",
     .where = "type=fp32"},
};

enum roofline_param { // indices of the array `params`
    ROOFLINE_PARAM_TYPE,
    ROOFLINE_PARAM_INTENSITY,
    ROOFLINE_PARAM_ENERGY
};

// Returns false if the device lacks the type of numbers. In the preset standard, only the first
// type keeps `energy`, at every third intensity, because measuring energy takes about a second.
static bool reach(const struct bench_pick *pick)
{
    const struct bench_request *request = pick->request;
    if (pick->param == ROOFLINE_PARAM_TYPE)
        return !(roofline_numbers[pick->value->choice].caps & ~request->device->caps);
    if (pick->param == ROOFLINE_PARAM_ENERGY && strcmp(request->preset, "standard") == 0 &&
        (pick->at[ROOFLINE_PARAM_TYPE] > 0 || pick->at[ROOFLINE_PARAM_INTENSITY] % 3 > 0))
        pick->value->real = 0;
    return true;
}

static bool has_steps(const struct bench_pick *pick, struct error *err)
{
    struct roofline_case this_case;
    roofline_case_read(&pick->c, &this_case);
    double least = (double)this_case.number->arithmetic / ROOFLINE_THREAD_BYTES;
    return roofline_steps(&this_case) ||
           error_set(err, ERROR_USAGE,
                     "roofline.intensity: expected multiples of %g up to %.0f, not %g", least,
                     least * ROOFLINE_STEPS_MAX, this_case.intensity);
}

static unsigned counted(const struct bench_case *c)
{
    (void)c;
    return MEASURE_COUNT_MEMORY | MEASURE_COUNT_FLOATS;
}

const struct benchmark bench_roofline = {
    .info = {.name = "roofline",
             .version = 2,
             .title = "Roofline: arithmetic on what is read from memory",
             BENCHMARK_TABLE(param, params),
             BENCHMARK_TABLE(metric, metrics),
             BENCHMARK_TABLE(view, views),
             BENCHMARK_TABLE(headline, headlines)},
    .description =
        "Floating-point operations per second by arithmetic intensity: from 1/16 operation per "
        "byte read, where memory is the limit, to 512, where the arithmetic units are. The "
        "intensity is a run-time value. The sum of all results is checked.",
    .slowness = 3,
    .together = true,
    .product = {.reach = reach, .keep = has_steps},
    .open = roofline_open,
    .close = roofline_close,
    .counted = counted,
    .visit = roofline_visit,
    .conclude = roofline_conclude,
};
