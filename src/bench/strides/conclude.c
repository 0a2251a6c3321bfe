// SPDX-License-Identifier: MIT
#include "analysis/banks.h"
#include "bench/strides/session.h"

#include <math.h>

static bool is_of_banks(const struct result *result, const char *device)
{
    return result_is_of(result, "strides", device) &&
           case_says(&result->bench_case, "pattern", "banks") &&
           isfinite(result_median(result, "time"));
}

// Adds a finding "shared-banks" if the times show the number of banks of shared memory. Value: that
// number. Keys: the case with the smallest stride, and the case with the stride at which all
// threads use the same bank.
void strides_conclude(struct run *run, const char *device)
{
    struct arena *arena = arena_create();
    double *strides = ARENA_ARRAY(arena, run->result_count, double);
    double *times = ARENA_ARRAY(arena, run->result_count, double);
    const struct result **cases = ARENA_ARRAY(arena, run->result_count, const struct result *);
    size_t count = 0;
    for (size_t i = 0; i < run->result_count; i++) {
        if (!is_of_banks(run->results[i], device))
            continue;
        double stride = (double)case_uint(&run->results[i]->bench_case, "stride");
        size_t at = count++;
        for (; at > 0 && strides[at - 1] > stride; at--) {
            strides[at] = strides[at - 1];
            times[at] = times[at - 1];
            cases[at] = cases[at - 1];
        }
        strides[at] = stride;
        times[at] = result_median(run->results[i], "time");
        cases[at] = run->results[i];
    }
    unsigned banks = banks_count(&(struct banks_curve){strides, times, count});
    for (size_t i = 0; banks && i < count; i++)
        if (strides[i] == banks)
            run_add_conclusion(run, "shared-banks", banks, cases[0], cases[i],
                               "shared memory has %u banks, counted in words of 4 bytes: threads "
                               "%u words apart all use the same bank",
                               banks, banks);
    arena_destroy(arena);
}
