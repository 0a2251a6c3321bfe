// SPDX-License-Identifier: MIT
// Values of cases and results that a test writes by hand.
#ifndef CASE_TEXT_H
#define CASE_TEXT_H

#include "bench/bench.h"

#include <stdlib.h>
#include <string.h>

// The value `text` of a parameter with its choice, as a benchmark reads it.
static inline struct case_value case_text_of(const struct benchmark *benchmark, const char *key,
                                             const char *text)
{
    const struct param_info *param = benchmark_param(&benchmark->info, key);
    struct case_value value = case_value_of(param);
    if (!case_value_set_text(&value, param, text))
        abort();
    return value;
}

// Adds a copy of `made` to the run, with copies of its values and metrics. The key is made from the
// values.
static inline void case_result_add(struct run *run, const struct result *made)
{
    const struct bench_case *c = &made->bench_case;
    struct result *result = run_add_result(run);
    *result = *made;
    result->bench_case.values = ARENA_ARRAY(run->arena, c->value_count, struct case_value);
    memcpy(result->bench_case.values, c->values, c->value_count * sizeof *c->values);
    result->metrics = ARENA_ARRAY(run->arena, made->metric_count, struct metric);
    memcpy(result->metrics, made->metrics, made->metric_count * sizeof *made->metrics);
    result->key = case_key(run->arena, made->benchmark, &result->bench_case);
}

#endif
