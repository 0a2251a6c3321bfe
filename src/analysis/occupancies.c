// SPDX-License-Identifier: MIT
#include "analysis/occupancies.h"

#include <math.h>
#include <string.h>

enum {
    UNIT_TEXT = 32
};

// What is listed: a case's parameter, the number before the colon and the one after it.
struct kind {
    const char *param, *before, *after;
};

static const struct kind kinds[] = {
    {"values", "registers", "subgroups"},
    {"shared", NULL, "workgroups"},
};

static double median_of(const struct result *result, const char *name)
{
    const struct metric *metric = result_metric(result, name);
    return metric ? metric->median : NAN;
}

static uint64_t subgroup_of(const struct result *result)
{
    const struct case_value *subgroup = case_find(&result->bench_case, "subgroup");
    return subgroup ? subgroup->uint : 0;
}

static bool is_of(const struct result *result, const struct kind *kind, const char *device)
{
    return strcmp(result->benchmark, "occupancy") == 0 && strcmp(result->device, device) == 0 &&
           result->verdict <= VERDICT_SUSPECT && case_find(&result->bench_case, kind->param) &&
           isfinite(median_of(result, kind->after)) &&
           (!kind->before || isfinite(median_of(result, kind->before)));
}

static const char *describe(struct arena *arena, const struct kind *kind,
                            const struct result *result)
{
    char number[UNIT_TEXT];
    if (kind->before)
        return arena_printf(arena, "%.0f: %.0f", median_of(result, kind->before),
                            median_of(result, kind->after));
    unit_format((double)case_find(&result->bench_case, kind->param)->uint, UNIT_BYTE, number,
                sizeof number);
    return arena_printf(arena, "%s: %.0f", number, median_of(result, kind->after));
}

// All results with the subgroups of the first one.
static void tell(struct run *run, const struct kind *kind, const struct result *first)
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
        fewest = fmin(fewest, median_of(result, kind->after));
        last = result;
        count++;
    }
    if (count < 2)
        return;
    const char **keys = ARENA_ARRAY(run->arena, 2, const char *);
    keys[0] = first->key;
    keys[1] = last->key;
    const char *what = arena_printf(run->arena,
                                    "subgroups of %llu threads on a core, by registers "
                                    "of a thread",
                                    (unsigned long long)subgroup_of(first));
    *run_add_finding(run) = (struct finding){
        .code = "occupancy",
        .text = arena_printf(
            run->arena, "%s: %s: %s", first->device,
            kind->before ? what : "workgroups on a core, by the shared memory of each", list),
        .device = first->device,
        .value = fewest,
        .keys = keys,
        .key_count = 2,
    };
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

static bool is_told(const struct run *run, const char *device)
{
    for (size_t i = 0; i < run->finding_count; i++)
        if (strcmp(run->findings[i].code, "occupancy") == 0 && run->findings[i].device &&
            strcmp(run->findings[i].device, device) == 0)
            return true;
    return false;
}

void occupancies_add_findings(struct run *run)
{
    for (size_t d = 0; d < run->device_count; d++) {
        const char *device = run->devices[d].id;
        if (is_told(run, device))
            continue;
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
            for (size_t i = 0; i < run->result_count; i++)
                if (is_of(run->results[i], &kinds[k], device) && is_first(run, &kinds[k], i))
                    tell(run, &kinds[k], run->results[i]);
    }
}
