// SPDX-License-Identifier: MIT
#include "analysis/launches.h"

#include "math/line.h"

#include <math.h>
#include <string.h>

enum {
    POINTS_MIN = 5,
    UNIT_TEXT = 32
};
static const double volume_least = 65536, volume_most = 20e6;
static const double bound_share = 0.9; // of a row's time in the host's call

// The benchmark, and its metrics' names.
struct subject {
    const struct benchmark_info *benchmark;
    const char *x, *time, *bandwidth;
};

static const struct metric_info *metric_of(const struct benchmark_info *benchmark,
                                           const struct view_info *view, enum unit unit)
{
    for (size_t i = 0; i < benchmark->metric_count; i++)
        if (strcmp(benchmark->metrics[i].name, view->metric) == 0)
            return benchmark->metrics[i].unit == unit ? &benchmark->metrics[i] : NULL;
    return NULL;
}

static bool is_subject(const struct benchmark_info *benchmark, struct subject *subject)
{
    *subject = (struct subject){.benchmark = benchmark};
    if (benchmark->metric_count == 0 || benchmark->metrics[0].unit != UNIT_NS)
        return false;
    for (size_t i = 0; i < benchmark->view_count; i++) {
        const struct view_info *view = &benchmark->views[i];
        if (view->kind != VIEW_CURVE || (subject->x && strcmp(subject->x, view->x) != 0))
            continue;
        const struct metric_info *time = metric_of(benchmark, view, UNIT_NS);
        const struct metric_info *bandwidth = metric_of(benchmark, view, UNIT_BYTE_PER_S);
        if (time || bandwidth)
            subject->x = view->x;
        subject->time = time ? time->name : subject->time;
        subject->bandwidth = bandwidth ? bandwidth->name : subject->bandwidth;
    }
    return subject->time && subject->bandwidth;
}

// Same in all but x.
static bool is_alike(const struct subject *subject, const struct result *a, const struct result *b)
{
    if (strcmp(a->device, b->device) != 0 || a->bench_case.value_count != b->bench_case.value_count)
        return false;
    for (size_t i = 0; i < a->bench_case.value_count; i++) {
        const struct case_value *value = &a->bench_case.values[i];
        const struct case_value *other = case_find(&b->bench_case, value->key);
        if (strcmp(value->key, subject->x) == 0)
            continue;
        if (!other || !value->text || !other->text || strcmp(value->text, other->text) != 0)
            return false;
    }
    return true;
}

static bool is_of(const struct subject *subject, const struct result *result)
{
    return strcmp(result->benchmark, subject->benchmark->name) == 0 &&
           case_find(&result->bench_case, subject->x) && result_metric(result, subject->time) &&
           result_metric(result, subject->bandwidth);
}

static bool is_told(const struct run *run, const char *code, const char *device)
{
    for (size_t i = 0; i < run->finding_count; i++)
        if (strcmp(run->findings[i].code, code) == 0 && run->findings[i].device &&
            strcmp(run->findings[i].device, device) == 0)
            return true;
    return false;
}

// "mode=replay" of what is text in a case.
static const char *way_of(struct arena *arena, const struct subject *subject,
                          const struct result *result)
{
    const char *way = "";
    for (size_t i = 0; i < result->bench_case.value_count; i++) {
        const struct case_value *value = &result->bench_case.values[i];
        if (strcmp(value->key, subject->x) != 0 && value->text)
            way = arena_printf(arena, "%s%s%s=%s", way, *way ? ", " : "", value->key, value->text);
    }
    return way;
}

static void tell(struct run *run, const struct subject *subject, const struct line *line,
                 const struct result *first, const struct result *last)
{
    char cost[UNIT_TEXT], half[UNIT_TEXT], rate[UNIT_TEXT];
    unit_format(line->intercept, UNIT_NS, cost, sizeof cost);
    unit_format(line->intercept_half, UNIT_NS, half, sizeof half);
    unit_format(1e9 / line->slope, UNIT_BYTE_PER_S, rate, sizeof rate);
    const char **keys = ARENA_ARRAY(run->arena, 2, const char *);
    keys[0] = first->key;
    keys[1] = last->key;
    *run_add_finding(run) = (struct finding){
        .code = "launch-fit",
        .text = arena_printf(run->arena, "%s: a kernel takes %s (± %s) + its bytes / %s (%s)",
                             first->device, cost, half, rate, way_of(run->arena, subject, first)),
        .device = first->device,
        .value = line->intercept,
        .keys = keys,
        .key_count = 2,
    };
}

// The fit through all results like `first`, which is the first of them.
static void fit(struct run *run, const struct subject *subject, size_t first)
{
    struct arena *arena = arena_create();
    double *volumes = ARENA_ARRAY(arena, run->result_count, double);
    double *times = ARENA_ARRAY(arena, run->result_count, double);
    const struct result *begin = run->results[first], *least = NULL, *most = NULL;
    size_t count = 0;
    for (size_t i = first; i < run->result_count; i++) {
        const struct result *result = run->results[i];
        if (!is_of(subject, result) || !is_alike(subject, begin, result))
            continue;
        double time_ns = result_metric(result, subject->time)->median;
        double volume = result_metric(result, subject->bandwidth)->median * time_ns / 1e9;
        if (!(volume >= 0.99 * volume_least && volume <= volume_most))
            continue;
        volumes[count] = volume;
        times[count++] = time_ns;
        least = least ? least : result;
        most = result;
    }
    struct line line;
    if (count >= POINTS_MIN && line_fit_relative(volumes, times, count, &line) && line.slope > 0 &&
        line.intercept > 0)
        tell(run, subject, &line, least, most);
    arena_destroy(arena);
}

// ---------------------------------------------------------------- barriers

static const struct result *row_with(const struct run *run, const char *device, const char *between)
{
    for (size_t i = 0; i < run->result_count; i++) {
        const struct result *result = run->results[i];
        if (strcmp(result->benchmark, "launch") == 0 && strcmp(result->device, device) == 0 &&
            case_says(&result->bench_case, "mode", "batch") &&
            case_says(&result->bench_case, "between", between) && result_metric(result, "time"))
            return result;
    }
    return NULL;
}

static double half_of(const struct result *result)
{
    const struct metric *time = result_metric(result, "time");
    double half = (time->ci95[1] - time->ci95[0]) / 2;
    return isfinite(half) ? half : 0;
}

// "memory 3.850 µs ± 12.00 ns": what a kind adds, with the intervals of both rows.
static const char *addition(struct arena *arena, const char *kind, double ns, double half_ns)
{
    char cost[UNIT_TEXT], half[UNIT_TEXT];
    unit_format(ns, UNIT_NS, cost, sizeof cost);
    unit_format(half_ns, UNIT_NS, half, sizeof half);
    if (fabs(ns) < half_ns)
        return arena_printf(arena, "%s nothing to be seen (± %s)", kind, half);
    return half_ns > 0 ? arena_printf(arena, "%s %s ± %s", kind, cost, half)
                       : arena_printf(arena, "%s %s", kind, cost);
}

static void tell_barriers(struct run *run, const char *device)
{
    static const char *const kinds[] = {"memory", "execution", "buffer", "full", "split"};
    const struct result *none = row_with(run, device, "nothing"), *shown = NULL;
    const char *list = "";
    double value = NAN;
    for (size_t k = 0; none && k < sizeof kinds / sizeof *kinds; k++) {
        const struct result *one = row_with(run, device, kinds[k]);
        if (!one)
            continue;
        double ns = result_metric(one, "time")->median - result_metric(none, "time")->median;
        list = arena_printf(run->arena, "%s%s%s", list, *list ? ", " : "",
                            addition(run->arena, kinds[k], ns, half_of(one) + half_of(none)));
        value = shown ? value : ns;
        shown = shown ? shown : one;
    }
    if (!shown)
        return;
    const char **keys = ARENA_ARRAY(run->arena, 2, const char *);
    keys[0] = none->key;
    keys[1] = shown->key;
    *run_add_finding(run) = (struct finding){
        .code = "barriers",
        .text =
            arena_printf(run->arena, "%s: between empty kernels a barrier adds: %s", device, list),
        .device = device,
        .value = value,
        .keys = keys,
        .key_count = 2,
    };
}

// ---------------------------------------------------------------- who is the bound

// Rows that are no faster than the host can submit them tell of the host.
static void tell_bound(struct run *run, const char *device)
{
    const struct result *row = row_with(run, device, "order");
    const struct metric *host = row ? result_metric(row, "host") : NULL;
    const struct metric *time = row ? result_metric(row, "time") : NULL;
    char call[UNIT_TEXT], whole[UNIT_TEXT];
    if (!host || host->median < bound_share * time->median)
        return;
    unit_format(host->median, UNIT_NS, call, sizeof call);
    unit_format(time->median, UNIT_NS, whole, sizeof whole);
    const char **keys = ARENA_ARRAY(run->arena, 1, const char *);
    keys[0] = row->key;
    *run_add_finding(run) = (struct finding){
        .code = "launch-bound",
        .text = arena_printf(run->arena,
                             "%s: the host is the bound of rows of empty kernels: its call takes "
                             "%s of %s for each",
                             device, call, whole),
        .device = device,
        .value = host->median,
        .keys = keys,
        .key_count = 1,
    };
}

// ---------------------------------------------------------------- all of them

static bool is_first(const struct run *run, const struct subject *subject, size_t place)
{
    for (size_t i = 0; i < place; i++)
        if (is_of(subject, run->results[i]) &&
            is_alike(subject, run->results[i], run->results[place]))
            return false;
    return true;
}

void launches_add_findings(struct run *run)
{
    struct subject subject;
    size_t benchmark = 0;
    while (benchmark < run->benchmark_count && !is_subject(run->benchmarks[benchmark], &subject))
        benchmark++;
    if (benchmark == run->benchmark_count)
        return;
    for (size_t d = 0; d < run->device_count; d++) {
        const char *device = run->devices[d].id;
        if (!is_told(run, "barriers", device))
            tell_barriers(run, device);
        if (!is_told(run, "launch-bound", device))
            tell_bound(run, device);
        if (is_told(run, "launch-fit", device))
            continue;
        for (size_t i = 0; i < run->result_count; i++)
            if (strcmp(run->results[i]->device, device) == 0 && is_of(&subject, run->results[i]) &&
                is_first(run, &subject, i))
                fit(run, &subject, i);
    }
}
