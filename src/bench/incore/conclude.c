// SPDX-License-Identifier: MIT
#include "bench/incore/session.h"

#include <math.h>

enum {
    UNIT_TEXT = 32
};
// A core has n arithmetic units if it gives at least 0.95 n results per cycle.
static const double units_least = 0.95;

static bool is_of(const struct result *result, const char *device, const char *op)
{
    const struct bench_case *c = &result->bench_case;
    return result_is_of(result, "incore", device) &&
           (op ? case_says(c, "op", op) : case_find(c, "op") != NULL);
}

// Returns the number of arithmetic units of a core that gives `per_cycle` results per cycle. This
// is the next power of two above `per_cycle` (0.07 % more than a power of two still count as this
// power). Returns 0 if the next power is more than 5 % away.
static double units_of(double per_cycle)
{
    double units = exp2(ceil(log2(per_cycle) - 1e-3));
    return per_cycle >= units_least * units ? units : 0;
}

static void report(struct run *run, const char *device, const char *op)
{
    // alone: first result of one chain in one subgroup; full: the most results per cycle
    const struct result *alone = NULL, *full = NULL;
    char results[UNIT_TEXT];
    for (size_t i = 0; i < run->result_count; i++) {
        const struct result *result = run->results[i];
        if (!is_of(result, device, op))
            continue;
        if (!alone && case_matches(&result->bench_case, "ilp=1,subgroups=1") &&
            isfinite(result_median(result, "cycles")))
            alone = result;
        double per_core = result_median(result, "per_core");
        if (isfinite(per_core) && (!full || per_core > result_median(full, "per_core")))
            full = result;
    }
    if (!alone || !full)
        return;
    double cycles = result_median(alone, "cycles"), per_core = result_median(full, "per_core");
    const char *units = "";
    if (units_of(per_core) > 0)
        units = arena_printf(run->arena, ": %.0f units", units_of(per_core));
    run_add_conclusion(run, "operation", cycles, alone, full,
                       "%s: latency %s, %s results per cycle and core%s", op,
                       unit_text(run->arena, cycles, UNIT_CYCLE),
                       number_format(per_core, results, sizeof results), units);
}

// Adds a finding "operation" for each operation with a latency and a throughput. Its value is the
// latency in cycles of one chain in one subgroup. Its keys are the case of the latency and the case
// of the throughput.
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
