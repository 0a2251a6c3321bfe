// SPDX-License-Identifier: MIT
#include "analysis/banks.h"

#include <math.h>
#include <string.h>

static const double conflict_least = 2; // over the time of stride 1
static const double alike = 1.25;       // times that differ by less are one

static bool is_power(double value)
{
    int exponent;
    return frexp(value, &exponent) == 0.5;
}

// The time at a stride; NaN where it was not measured.
static double time_at(const struct banks_curve *curve, double stride)
{
    for (size_t i = 0; i < curve->count; i++)
        if (curve->strides[i] == stride)
            return curve->times[i];
    return NAN;
}

static bool odd_strides_are_free(const struct banks_curve *curve, double free)
{
    for (size_t i = 0; i < curve->count; i++)
        if (fmod(curve->strides[i], 2) == 1 && curve->times[i] > alike * free)
            return false;
    return true;
}

unsigned banks_count(const struct banks_curve *curve)
{
    double free = time_at(curve, 1), longest = 0, banks = 0, last = 0;
    for (size_t i = 0; i < curve->count; i++)
        if (is_power(curve->strides[i])) {
            longest = fmax(longest, curve->times[i]);
            last = curve->strides[i];
        }
    if (!(longest >= conflict_least * free) || !odd_strides_are_free(curve, free))
        return 0;
    for (size_t i = curve->count; i-- > 0;)
        if (is_power(curve->strides[i]) && curve->times[i] * alike >= longest)
            banks = curve->strides[i];
    // From there on it stays, and there is a stride beyond.
    for (unsigned stride = (unsigned)banks; stride && stride <= last; stride *= 2)
        if (time_at(curve, stride) * alike < longest)
            return 0;
    return banks < last ? (unsigned)banks : 0;
}

// ---------------------------------------------------------------- from a run

static const char *const axis = "stride";

static bool is_of_banks(const struct result *result)
{
    const struct case_value *stride = case_find(&result->bench_case, axis);
    return case_says(&result->bench_case, "pattern", "banks") && stride &&
           stride->type == PARAM_UINT;
}

static const struct benchmark_info *find_benchmark(const struct run *run)
{
    for (size_t i = 0; i < run->benchmark_count; i++)
        for (size_t v = 0; v < run->benchmarks[i]->view_count; v++) {
            const struct view_info *view = &run->benchmarks[i]->views[v];
            if (view->kind == VIEW_CURVE && view->x && strcmp(view->x, axis) == 0 && view->where &&
                strcmp(view->where, "pattern=banks") == 0)
                return run->benchmarks[i];
        }
    return NULL;
}

static const struct metric *time_of(const struct result *result)
{
    for (size_t i = 0; i < result->metric_count; i++)
        if (result->metrics[i].unit == UNIT_NS && isfinite(result->metrics[i].median))
            return &result->metrics[i];
    return NULL;
}

static bool is_told(const struct run *run, const char *device)
{
    for (size_t i = 0; i < run->finding_count; i++)
        if (strcmp(run->findings[i].code, "shared-banks") == 0 && run->findings[i].device &&
            strcmp(run->findings[i].device, device) == 0)
            return true;
    return false;
}

static void tell(struct run *run, const char *device, unsigned banks, const char *const keys[2])
{
    const char **copy = ARENA_ARRAY(run->arena, 2, const char *);
    memcpy(copy, keys, 2 * sizeof *keys);
    *run_add_finding(run) = (struct finding){
        .code = "shared-banks",
        .text = arena_printf(run->arena,
                             "%s: shared memory has %u banks, as words of 4 bytes see them: "
                             "threads %u words apart all meet in one",
                             device, banks, banks),
        .device = device,
        .value = banks,
        .keys = copy,
        .key_count = 2,
    };
}

// The curve of one device, in the order of strides; `keys` of stride 1 and of each in turn.
static void look_at(struct run *run, const char *benchmark, const char *device)
{
    struct arena *arena = arena_create();
    double *strides = ARENA_ARRAY(arena, run->result_count, double);
    double *times = ARENA_ARRAY(arena, run->result_count, double);
    const char **keys = ARENA_ARRAY(arena, run->result_count, const char *);
    size_t count = 0;
    for (size_t i = 0; i < run->result_count; i++) {
        const struct result *result = run->results[i];
        const struct metric *time = time_of(result);
        if (strcmp(result->benchmark, benchmark) != 0 || strcmp(result->device, device) != 0 ||
            !is_of_banks(result) || !time)
            continue;
        double stride = (double)case_uint(&result->bench_case, axis);
        size_t at = count++;
        for (; at > 0 && strides[at - 1] > stride; at--) {
            strides[at] = strides[at - 1];
            times[at] = times[at - 1];
            keys[at] = keys[at - 1];
        }
        strides[at] = stride;
        times[at] = time->median;
        keys[at] = result->key;
    }
    unsigned banks = banks_count(&(struct banks_curve){strides, times, count});
    for (size_t i = 0; banks && i < count; i++)
        if (strides[i] == banks)
            tell(run, device, banks, (const char *const[]){keys[0], keys[i]});
    arena_destroy(arena);
}

void banks_add_findings(struct run *run)
{
    const struct benchmark_info *benchmark = find_benchmark(run);
    for (size_t d = 0; benchmark && d < run->device_count; d++)
        if (!is_told(run, run->devices[d].id))
            look_at(run, benchmark->name, run->devices[d].id);
}
