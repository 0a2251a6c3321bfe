// SPDX-License-Identifier: MIT
#include "bench/occupancy/session.h"

#include <math.h>

// A list with an entry "X: Y" for each case that has `param`. Y is the metric `after`. X is the
// metric `before` or, if `before` is NULL, the parameter.
struct kind {
    const char *param, *before, *after;
};

static const struct kind kinds[] = {
    {"values", "registers", "subgroups"},
    {"shared", NULL, "workgroups"},
};

static uint64_t subgroup_of(const struct result *result)
{
    const struct case_value *subgroup = case_find(&result->bench_case, "subgroup");
    return subgroup ? subgroup->uint : 0;
}

static bool is_of(const struct result *result, const struct kind *kind, const char *device)
{
    return result_is_of(result, "occupancy", device) &&
           case_find(&result->bench_case, kind->param) &&
           isfinite(result_median(result, kind->after)) &&
           (!kind->before || isfinite(result_median(result, kind->before)));
}

static const char *describe(struct arena *arena, const struct kind *kind,
                            const struct result *result)
{
    if (kind->before)
        return arena_printf(arena, "%.0f: %.0f", result_median(result, kind->before),
                            result_median(result, kind->after));
    double bytes = (double)case_find(&result->bench_case, kind->param)->uint;
    return arena_printf(arena, "%s: %.0f", unit_text(arena, bytes, UNIT_BYTE),
                        result_median(result, kind->after));
}

// Adds the finding about all results with the subgroup size of `first`, if there are at least two
// such results.
static void report(struct run *run, const struct kind *kind, const struct result *first)
{
    const char *list = "";
    const struct result *last = NULL;
    double fewest = INFINITY;
    size_t count = 0;
    for (size_t i = 0; i < run->result_count; i++) {
        const struct result *result = run->results[i];
        if (!is_of(result, kind, first->device) || subgroup_of(result) != subgroup_of(first))
            continue;
        list = arena_printf(run->arena, "%s%s%s", list, *list ? ", " : "",
                            describe(run->arena, kind, result));
        fewest = fmin(fewest, result_median(result, kind->after));
        last = result;
        count++;
    }
    if (count < 2)
        return;
    const char *what = arena_printf(
        run->arena, "subgroups of %llu threads that fit on a core, by registers per thread",
        (unsigned long long)subgroup_of(first));
    run_add_conclusion(
        run, "occupancy", fewest, first, last, "%s: %s",
        kind->before ? what : "workgroups that fit on a core, by the shared memory of each", list);
}

static bool is_first(const struct run *run, const struct kind *kind, size_t place)
{
    const struct result *result = run->results[place];
    for (size_t i = 0; i < place; i++)
        if (is_of(run->results[i], kind, result->device) &&
            subgroup_of(run->results[i]) == subgroup_of(result))
            return false;
    return true;
}

// Adds up to two findings "occupancy" for each subgroup size: subgroups on a core by registers per
// thread ("96: 20"), and workgroups on a core by shared memory. A list has at least two results.
// Value: the smallest number. Keys: the first and the last case.
void occupancy_conclude(struct run *run, const char *device)
{
    for (size_t k = 0; k < COUNT(kinds); k++)
        for (size_t i = 0; i < run->result_count; i++)
            if (is_of(run->results[i], &kinds[k], device) && is_first(run, &kinds[k], i))
                report(run, &kinds[k], run->results[i]);
}
