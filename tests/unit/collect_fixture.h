// SPDX-License-Identifier: MIT
// A case of a benchmark with two metrics, whose visits a test makes up.
#ifndef UNIT_COLLECT_FIXTURE_H
#define UNIT_COLLECT_FIXTURE_H

#include "math/random.h"
#include "measure/collect.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define NEAR(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

static const struct metric_info metrics[] = {
    {.name = "bandwidth", .unit = UNIT_BYTE_PER_S, .better = BETTER_HIGHER},
    {.name = "latency", .unit = UNIT_NS, .better = BETTER_LOWER},
};
static const struct benchmark_info info = {.name = "fake", .metrics = metrics, .metric_count = 2};

struct fixture {
    struct arena *arena;
    struct collect *collect;
    struct random random;
};

static inline void begin_with(struct fixture *fixture, const struct collect_rule *rule)
{
    fixture->arena = arena_create();
    fixture->collect = collect_create(fixture->arena, &info, rule);
    random_init(&fixture->random, 11);
}

static inline struct fixture begin(unsigned rounds_max)
{
    struct fixture fixture;
    begin_with(&fixture, &(struct collect_rule){.goal = 0.005, .rounds_max = rounds_max});
    return fixture;
}

static inline struct result end(struct fixture *fixture)
{
    struct result result = {0};
    collect_result(fixture->collect, fixture->arena, &result);
    return result;
}

static inline void visit_with(struct fixture *fixture, const double *values, size_t count,
                              double step)
{
    struct measure_visit *visit = measure_visit_create(fixture->arena);
    visit->device_time_ns = 1000;
    visit_samples(visit, 0, values, count, step);
    collect_visit(fixture->collect, visit);
}

static inline const struct reason *find_reason(const struct result *result, const char *code)
{
    for (size_t i = 0; i < result->reason_count; i++)
        if (strcmp(result->reasons[i].code, code) == 0)
            return &result->reasons[i];
    return NULL;
}

#endif
