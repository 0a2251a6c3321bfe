// SPDX-License-Identifier: MIT
#include "synthetic.h"
#include "math/random.h"

#include <math.h>
#include <string.h>

// What a healthy card reaches, how much cards differ, and how much measurements of one card differ.
static const struct truth {
    enum unit unit;
    double value, spread, interval;
    bool core; // depends on the core clock
    bool late; // measured after the first 2 s
} truths[CHECK_METRIC_COUNT] = {
    [CHECK_DRAM_READ] = {UNIT_BYTE_PER_S, 4.71e12, 0.003, 0.001, false, false},
    [CHECK_L2_READ] = {UNIT_BYTE_PER_S, 9.82e12, 0.003, 0.001, true, true},
    [CHECK_FP32] = {UNIT_OP_PER_S, 66.2e12, 0.007, 0.002, true, false},
    [CHECK_FP64] = {UNIT_OP_PER_S, 33.3e12, 0.007, 0.002, true, true},
    [CHECK_FP16] = {UNIT_OP_PER_S, 132e12, 0.007, 0.002, true, true},
    [CHECK_MATRIX_FP16] = {UNIT_OP_PER_S, 962e12, 0.007, 0.003, true, true},
    [CHECK_LATENCY_L1] = {UNIT_NS, 16.2, 0.002, 0.0005, true, true},
    [CHECK_LATENCY_L2] = {UNIT_NS, 142, 0.003, 0.001, true, true},
    [CHECK_LATENCY_DRAM] = {UNIT_NS, 347, 0.003, 0.001, false, false},
    [CHECK_HOST_TO_DEVICE] = {UNIT_BYTE_PER_S, 55.5e9, 0.003, 0.001, false, false},
    [CHECK_DEVICE_TO_HOST] = {UNIT_BYTE_PER_S, 55.3e9, 0.003, 0.001, false, false},
    [CHECK_LINK_BOTH] = {UNIT_BYTE_PER_S, 101e9, 0.003, 0.002, false, false},
    [CHECK_PEER] = {UNIT_BYTE_PER_S, 394e9, 0.003, 0.001, false, false},
    [CHECK_PEER_ALL] = {UNIT_BYTE_PER_S, 2.7e12, 0.003, 0.002, false, false},
};

// The Box-Muller method.
static double normal(struct random *random)
{
    double radius = sqrt(-2 * log(1 - random_unit(random)));
    return radius * cos(6.283185307179586 * random_unit(random));
}

const char *synthetic_host(struct arena *arena, size_t machine)
{
    return arena_printf(arena, "r%02zun%02zu", machine / 20, machine % 20);
}

static const struct synthetic_plant *plant_of(const struct synthetic *fleet, size_t machine,
                                              size_t index)
{
    static const struct synthetic_plant none = {.fault = FAULT_NONE};
    for (size_t i = 0; i < fleet->plant_count; i++)
        if (fleet->plants[i].machine == machine && fleet->plants[i].index == index)
            return &fleet->plants[i];
    return &none;
}

// By how much a fault makes a metric worse.
static double loss_of(const struct synthetic_plant *plant, enum check_metric metric)
{
    bool is_link = check_metric_is_host_link(metric);
    switch (plant->fault) {
    case FAULT_DRAM:
        return metric == CHECK_DRAM_READ ? 0.03 : 0;
    case FAULT_LINK:
        return is_link ? 0.5 : 0;
    case FAULT_THROTTLED:
        return truths[metric].core && truths[metric].late ? 0.12 : 0;
    case FAULT_BUSY:
        return is_link ? 0 : 0.3;
    case FAULT_SMALLEST:
        return metric == plant->metric ? plant->loss : 0;
    case FAULT_NONE:
    case FAULT_WRONG:
    case FAULT_HUNG:
    case FAULT_NOISY:
    case FAULT_COUNT:
        break;
    }
    return 0;
}

static void add_figure(struct check *check, enum check_metric metric, double peer, double worse,
                       double noise, const struct synthetic *fleet, struct random *random)
{
    const struct truth *truth = &truths[metric];
    double factor = (1 - worse) * (1 + truth->spread * normal(random));
    bool lower = check_metric_better(metric) == BETTER_LOWER;
    struct check_figure *figure = &check->figures[check->figure_count++];
    *figure = check_figure_empty(metric);
    figure->unit = truth->unit;
    figure->peer = peer;
    figure->value = lower ? truth->value / factor : truth->value * factor;
    double half = truth->interval * figure->value * (0.5 + random_unit(random));
    figure->low = figure->value - half;
    figure->high = figure->value + half;
    figure->noise = noise * truth->interval * exp(0.3 * normal(random));
    if (!fleet->expected)
        return;
    figure->expected = truth->value;
    figure->expected_low = lower ? truth->value * 1.06 : truth->value * 0.94;
    figure->cards = 3;
    figure->basis = CHECK_BASIS_REFERENCE;
    bool slow = lower ? figure->value > figure->expected_low : figure->value < figure->expected_low;
    figure->judgement = slow ? CHECK_FIGURE_SLOW : CHECK_FIGURE_OK;
}

static void add_figures(struct run *run, struct check *check, const struct synthetic *fleet,
                        const struct synthetic_plant *plant, struct random *random)
{
    check->figures =
        ARENA_ARRAY(run->arena, CHECK_METRIC_COUNT + SYNTHETIC_CARDS, struct check_figure);
    for (unsigned m = 0; m < CHECK_METRIC_COUNT; m++)
        for (size_t peer = 0; truths[m].value > 0 && peer < (m == CHECK_PEER ? SYNTHETIC_CARDS : 1);
             peer++) {
            enum check_metric metric = (enum check_metric)m;
            double noise = plant->fault == FAULT_NOISY && m == CHECK_DRAM_READ ? 30 : 2;
            if (m != CHECK_PEER || peer != check->index)
                add_figure(check, metric, m == CHECK_PEER ? (double)peer : NAN,
                           loss_of(plant, metric), noise, fleet, random);
        }
}

static void add_state(struct check *check, const struct synthetic_plant *plant,
                      struct random *random)
{
    struct check_state *state = &check->state;
    state->core_clock_hz = 1.98e9 - 15e6 * (double)random_below(random, 2);
    state->memory_clock_hz = 3.201e9;
    state->temperature_c = 45 + round(4 * normal(random));
    state->power_w = 480 + 15 * normal(random);
    state->power_limit_w = 700;
    state->link_width = state->link_width_max = 16;
    state->link_generation = state->link_generation_max = 5;
    if (plant->fault == FAULT_DRAM && check->index % 2)
        state->memory_clock_hz *= 0.97;
    if (plant->fault == FAULT_LINK)
        state->link_width = 8;
    if (plant->fault == FAULT_THROTTLED) {
        state->core_clock_hz = 1.74e9;
        state->temperature_c = 91;
        state->throttle = "thermal";
    }
}

// The verdict of a check that has no other cards to compare with.
static void add_verdict(struct check *check, const struct synthetic_plant *plant, bool expected)
{
    static const struct {
        enum check_verdict verdict;
        enum check_code code;
        const char *cause;
    } verdicts[FAULT_COUNT] = {
        [FAULT_LINK] = {CHECK_SLOW, CHECK_LINK_WIDTH, "PCIe x8 instead of x16"},
        [FAULT_THROTTLED] = {CHECK_SLOW, CHECK_THERMAL, "core clock 1740 of 1980 MHz: too hot"},
        [FAULT_WRONG] = {CHECK_BROKEN, CHECK_WRONG_RESULTS,
                         "FP64: a kernel computed wrong results"},
        [FAULT_HUNG] = {CHECK_BROKEN, CHECK_HUNG, "no answer for 20 s"},
        [FAULT_BUSY] = {CHECK_UNKNOWN, CHECK_BUSY, "busy: pid 4711 python"},
    };
    bool always =
        plant->fault == FAULT_WRONG || plant->fault == FAULT_HUNG || plant->fault == FAULT_BUSY;
    check->verdict = expected ? CHECK_HEALTHY : CHECK_UNKNOWN;
    check->code = expected ? CHECK_OK : CHECK_NO_EXPECTATION;
    if (!verdicts[plant->fault].cause || !(expected || always))
        return;
    check->verdict = verdicts[plant->fault].verdict;
    check->code = verdicts[plant->fault].code;
    check->cause = verdicts[plant->fault].cause;
}

static void add_card(struct run *run, const struct synthetic *fleet, size_t machine, size_t index)
{
    struct random random;
    random_init(&random, fleet->seed * 1000003 + machine * SYNTHETIC_CARDS + index);
    const struct synthetic_plant *plant = plant_of(fleet, machine, index);
    struct run_device *device = run_add_device(run);
    device->id = arena_printf(run->arena, "cuda:%zu", index);
    device->name = "NVIDIA H200";
    device->driver = "NVIDIA 580.159.04";
    device->uuid = arena_printf(run->arena, "%016zx%016zx", machine, index);
    struct check *check = run_add_check(run);
    check->device = device->id;
    check->uuid = device->uuid;
    check->index = index;
    add_verdict(check, plant, fleet->expected);
    if (plant->fault == FAULT_WRONG || plant->fault == FAULT_HUNG)
        return;
    add_figures(run, check, fleet, plant, &random);
    add_state(check, plant, &random);
}

struct run *synthetic_run(const struct synthetic *fleet, size_t machine)
{
    struct run *run = run_create();
    run->status = RUN_COMPLETE;
    run->tool_version = "0.1.0";
    run->started = "2026-11-23T06:00:00Z";
    run->host = ARENA_ARRAY(run->arena, 1, struct named_text);
    run->host[run->host_count++] = (struct named_text){"name", synthetic_host(run->arena, machine)};
    for (size_t i = 0; i < SYNTHETIC_CARDS; i++)
        add_card(run, fleet, machine, i);
    return run;
}

const char *synthetic_remark(const struct fleet *fleet, const char *name)
{
    for (size_t i = 0; i < fleet->remark_count; i++)
        if (strcmp(fleet->remarks[i].name, name) == 0)
            return fleet->remarks[i].text;
    return NULL;
}
