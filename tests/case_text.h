// SPDX-License-Identifier: MIT
// Values of cases that a test writes by hand.
#ifndef CASE_TEXT_H
#define CASE_TEXT_H

#include "bench/bench.h"

#include <stdlib.h>

// The value of a parameter as a benchmark reads it: with its choice.
static inline struct case_value case_text_of(const struct benchmark *benchmark, const char *key,
                                             const char *text)
{
    const struct param_info *param = benchmark_param(&benchmark->info, key);
    struct case_value value = case_value_of(param);
    if (!case_value_set_text(&value, param, text))
        abort();
    return value;
}

#endif
