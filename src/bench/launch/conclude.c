// SPDX-License-Identifier: MIT
#include "bench/launch/session.h"
#include "math/line.h"

#include <math.h>

enum {
    POINTS_MIN = 5,
    UNIT_TEXT = 32
};
static const double volume_least = 65536, volume_most = 20e6;
static const double bound_share = 0.9; // of a row's time in the host's call

// ---------------------------------------------------------------- a launch and a volume

// A kernel that scales elements, with its time and bandwidth.
static bool is_scale(const struct result *result, const char *device)
{
    return result_is_of(result, "launch", device) && case_find(&result->bench_case, "elements") &&
           result_metric(result, "time") && result_metric(result, "bandwidth");
}

// Same in all but the elements.
static bool is_alike(const struct result *a, const struct result *b)
{
    if (a->bench_case.value_count != b->bench_case.value_count)
        return false;
    for (size_t i = 0; i < a->bench_case.value_count; i++) {
        const struct case_value *value = &a->bench_case.values[i];
        if (value->text && !case_says(&b->bench_case, value->key, value->text))
            return false;
    }
    return true;
}

// "mode=replay": the values of a case that are text.
static const char *way_of(struct arena *arena, const struct result *result)
{
    const char *way = "";
    for (size_t i = 0; i < result->bench_case.value_count; i++) {
        const struct case_value *value = &result->bench_case.values[i];
        if (value->text)
            way = arena_printf(arena, "%s%s%s=%s", way, *way ? ", " : "", value->key, value->text);
    }
    return way;
}

static void report(struct run *run, const struct line *line, const struct result *first,
                   const struct result *last)
{
    char cost[UNIT_TEXT], half[UNIT_TEXT], rate[UNIT_TEXT];
    unit_format(line->intercept, UNIT_NS, cost, sizeof cost);
    unit_format(line->intercept_half, UNIT_NS, half, sizeof half);
    unit_format(1e9 / line->slope, UNIT_BYTE_PER_S, rate, sizeof rate);
    const char *text =
        arena_printf(run->arena, "a kernel takes %s (± %s) plus its bytes at %s (%s)", cost, half,
                     rate, way_of(run->arena, first));
    run_add_conclusion(
        run, &(struct finding){.code = "launch-fit", .text = text, .value = line->intercept}, first,
        last);
}

// The fit through all results like `first`, which is the first of them.
static void fit(struct run *run, const char *device, size_t first)
{
    struct arena *arena = arena_create();
    double *volumes = ARENA_ARRAY(arena, run->result_count, double);
    double *times = ARENA_ARRAY(arena, run->result_count, double);
    const struct result *begin = run->results[first], *least = NULL, *most = NULL;
    size_t count = 0;
    for (size_t i = first; i < run->result_count; i++) {
        const struct result *result = run->results[i];
        if (!is_scale(result, device) || !is_alike(begin, result))
            continue;
        double time_ns = result_median(result, "time");
        double volume = result_median(result, "bandwidth") * time_ns / 1e9;
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
        report(run, &line, least, most);
    arena_destroy(arena);
}

// ---------------------------------------------------------------- barriers

static const struct result *row_with(const struct run *run, const char *device, const char *between)
{
    for (size_t i = 0; i < run->result_count; i++) {
        const struct result *result = run->results[i];
        if (result_is_of(result, "launch", device) &&
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

// "memory 3.850 µs ± 12.00 ns": what this kind of barrier adds, and half the interval of that.
static const char *addition(struct arena *arena, const char *kind, double ns, double half_ns)
{
    char cost[UNIT_TEXT], half[UNIT_TEXT];
    unit_format(ns, UNIT_NS, cost, sizeof cost);
    unit_format(half_ns, UNIT_NS, half, sizeof half);
    if (fabs(ns) < half_ns)
        return arena_printf(arena, "%s below the noise (%s)", kind, half);
    return half_ns > 0 ? arena_printf(arena, "%s %s ± %s", kind, cost, half)
                       : arena_printf(arena, "%s %s", kind, cost);
}

static void report_barriers(struct run *run, const char *device)
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
    if (shown)
        run_add_conclusion(
            run,
            &(struct finding){
                .code = "barriers",
                .text =
                    arena_printf(run->arena, "what a barrier adds between empty kernels: %s", list),
                .value = value},
            none, shown);
}

// ---------------------------------------------------------------- who is the bound

// A row that takes hardly longer than the call that submits it measures the host, not the device.
static void report_bound(struct run *run, const char *device)
{
    const struct result *row = row_with(run, device, "order");
    const struct metric *host = row ? result_metric(row, "host") : NULL;
    const struct metric *time = row ? result_metric(row, "time") : NULL;
    char call[UNIT_TEXT], whole[UNIT_TEXT];
    if (!host || host->median < bound_share * time->median)
        return;
    unit_format(host->median, UNIT_NS, call, sizeof call);
    unit_format(time->median, UNIT_NS, whole, sizeof whole);
    const char *text = arena_printf(
        run->arena, "the host limits rows of empty kernels: its call takes %s of %s per kernel",
        call, whole);
    run_add_conclusion(
        run, &(struct finding){.code = "launch-bound", .text = text, .value = host->median}, row,
        NULL);
}

// ---------------------------------------------------------------- all of them

static bool is_first(const struct run *run, const char *device, size_t place)
{
    for (size_t i = 0; i < place; i++)
        if (is_scale(run->results[i], device) && is_alike(run->results[i], run->results[place]))
            return false;
    return true;
}

// What a launch costs, apart from what the kernel moves: the fit T = a + V / b through kernels of
// growing volume (the model of RRZE's gpu-benches, "gpu-small-kernels").
//   barriers      lists what each kind of barrier adds to an empty kernel. Value: what a memory
//                 barrier adds, in ns, or else the first of the list; keys: nothing between, and
//                 that one
//   launch-bound  a row of empty kernels took hardly longer than the host's call that submits it: a
//                 faster device would not launch faster. Value: the call's ns a kernel
//   launch-fit    for each way of launching; value: a in ns, keys: the smallest and the largest
//                 kernel of the fit (volumes from 64 KiB to 20 MB, where caches hold them; at least
//                 five)
void launch_conclude(struct run *run, const char *device)
{
    report_barriers(run, device);
    report_bound(run, device);
    for (size_t i = 0; i < run->result_count; i++)
        if (is_scale(run->results[i], device) && is_first(run, device, i))
            fit(run, device, i);
}
