// SPDX-License-Identifier: MIT
#include "bench/incore/session.h"

#include <math.h>
#include <string.h>

enum {
    UNIT_TEXT = 32
};
static const double units_least = 0.95; // share of the units that the results must show

// A case of that operation (NULL: any) on the device.
static bool is_of(const struct result *result, const char *device, const char *op)
{
    const struct case_value *value = case_find(&result->bench_case, "op");
    return result_is_of(result, "incore", device) && value && value->text &&
           (!op || strcmp(value->text, op) == 0);
}

static uint64_t number_of(const struct result *result, const char *key)
{
    const struct case_value *value = case_find(&result->bench_case, key);
    return value ? value->uint : 0;
}

static double units_of(double per_cycle)
{
    double units = exp2(ceil(log2(per_cycle) - 1e-3));
    return per_cycle >= units_least * units ? units : 0;
}

static void report(struct run *run, const char *device, const char *op)
{
    const struct result *alone = NULL, *full = NULL; // one chain of one subgroup; the most results
    char latency[UNIT_TEXT], results[UNIT_TEXT];
    for (size_t i = 0; i < run->result_count; i++) {
        const struct result *result = run->results[i];
        if (!is_of(result, device, op))
            continue;
        if (!alone && number_of(result, "ilp") == 1 && number_of(result, "subgroups") == 1 &&
            isfinite(result_median(result, "cycles")))
            alone = result;
        double per_core = result_median(result, "per_core");
        if (isfinite(per_core) && (!full || per_core > result_median(full, "per_core")))
            full = result;
    }
    if (!alone || !full)
        return;
    double cycles = result_median(alone, "cycles"), per_core = result_median(full, "per_core");
    unit_format(cycles, UNIT_CYCLE, latency, sizeof latency);
    number_format(per_core, results, sizeof results);
    const char *text = arena_printf(run->arena, "%s: latency %s, %s results per cycle and core", op,
                                    latency, results);
    if (units_of(per_core) > 0)
        text = arena_printf(run->arena, "%s: %.0f units", text, units_of(per_core));
    run_add_conclusion(run, &(struct finding){.code = "operation", .text = text, .value = cycles},
                       alone, full);
}

// For each operation a finding "operation" whose value is the latency in cycles (of one chain of
// one subgroup) and whose text adds the most results a cycle, and how many units that means: the
// next power of two, where the results come within 5 % of it. Operations without both are left out.
// Keys: the case of the latency, then the case of the throughput.
void incore_conclude(struct run *run, const char *device)
{
    for (size_t i = 0; i < run->result_count; i++) {
        if (!is_of(run->results[i], device, NULL))
            continue;
        const char *op = case_text(&run->results[i]->bench_case, "op");
        bool known = false;
        for (size_t j = 0; j < i && !known; j++)
            known = is_of(run->results[j], device, op);
        if (!known)
            report(run, device, op);
    }
}
