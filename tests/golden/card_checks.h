// SPDX-License-Identifier: MIT
// Checks of invented cards, for tests of the verdict on a card.
#ifndef GOLDEN_CARD_CHECKS_H
#define GOLDEN_CARD_CHECKS_H

#include "analysis/expectation.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define DRAM_READ                                                                                  \
    "bandwidth/op=read/path=global/scope=device/access=apart/bytes=1073741824/width=16/type=float"
#define L2_READ                                                                                    \
    "bandwidth/op=read/path=global/scope=device/access=apart/bytes=8388608/width=16/type=float"
#define TO_DEVICE "transfer/direction=h2d/memory=pinned/by=copy/mode=row/bytes=268435456"

static inline struct case_value text_value(const char *key, const char *text)
{
    return (struct case_value){.key = key, .type = PARAM_TEXT, .text = text};
}

static inline struct bench_case case_of_key(struct arena *arena, const char *key)
{
    struct bench_case made = {.values = ARENA_ARRAY(arena, 16, struct case_value)};
    char *copy = arena_strdup(arena, key), *save = NULL;
    for (char *part = strtok_r(copy, "/", &save); part; part = strtok_r(NULL, "/", &save)) {
        char *equals = strchr(part, '=');
        if (!equals)
            continue;
        *equals = '\0';
        struct case_value value = text_value(part, equals + 1);
        if (strcmp(part, "bytes") == 0)
            value = (struct case_value){
                .key = part, .type = PARAM_BYTES, .uint = strtoull(equals + 1, NULL, 10)};
        made.values[made.value_count++] = value;
    }
    return made;
}

static inline struct result *add_result(struct run *run, const char *key, double value)
{
    struct result *result = run_add_result(run);
    char *benchmark = arena_strdup(run->arena, key);
    benchmark[strcspn(benchmark, "/")] = '\0';
    result->key = key;
    result->benchmark = benchmark;
    result->version = 1;
    result->device = run->devices[run->device_count - 1].id;
    result->bench_case = case_of_key(run->arena, key);
    result->metrics = ARENA_NEW(run->arena, struct metric);
    result->metrics[0] = (struct metric){.name = "bandwidth",
                                         .unit = UNIT_BYTE_PER_S,
                                         .better = BETTER_HIGHER,
                                         .median = value,
                                         .ci95 = {value * 0.999, value * 1.001},
                                         .limit = NAN};
    result->metric_count = 1;
    result->sensors = ARENA_ARRAY(run->arena, 4, struct named_number);
    return result;
}

static inline void add_sensor(struct result *result, const char *name, double value)
{
    result->sensors[result->sensor_count++] = (struct named_number){name, UNIT_HZ, value};
}

// Adds an H200 to the run, with one result whose clocks are as they should be.
static inline struct result *add_card(struct run *run, const char *uuid, const char *key,
                                      double value)
{
    struct run_device *device = run_add_device(run);
    device->id = arena_printf(run->arena, "cuda:%zu", run->device_count - 1);
    device->name = "NVIDIA H200";
    device->kind = "discrete";
    device->uuid = uuid;
    struct result *result = add_result(run, key, value);
    add_sensor(result, "core_clock", 1980e6);
    add_sensor(result, "card_memory_clock", 3201e6);
    return result;
}

// Creates a run of `count` other cards. Their values differ by steps of `step` × `value`.
static inline struct run *cards(size_t count, const char *key, double value, double step)
{
    struct run *run = run_create();
    for (size_t i = 0; i < count; i++)
        add_card(run, arena_printf(run->arena, "%032zx", i + 1), key,
                 value * (1 + step * ((double)i - (double)(count - 1) / 2)));
    return run;
}

// The check of a card, with the runs that it is made from.
struct outcome {
    struct run *run, *others, *references;
    struct result *result;
    struct check *check;
};

static inline struct outcome begin(struct run *others, const char *key, double value)
{
    struct outcome o = {.run = run_create(), .others = others};
    o.result = add_card(o.run, "ffffffffffffffffffffffffffffffff", key, value);
    o.check = run_add_check(o.run);
    o.check->device = "cuda:0";
    return o;
}

static inline void judge(struct outcome *o)
{
    const struct expectation expectation = {.runs = &o->others,
                                            .run_count = 1,
                                            .basis = CHECK_BASIS_REFERENCE,
                                            .references = o->references};
    check_take_figures(o->run, o->check);
    expectation_judge(o->run, &expectation, o->check);
}

static inline void assert_outcome(const struct outcome *o, enum check_verdict verdict,
                                  enum check_code code, const char *cause)
{
    assert_int_equal(o->check->verdict, verdict);
    assert_int_equal(o->check->code, code);
    if (cause)
        assert_string_equal(o->check->cause, cause);
}

static inline void end(struct outcome *o)
{
    run_destroy(o->run);
    run_destroy(o->others);
    run_destroy(o->references);
}

#endif
