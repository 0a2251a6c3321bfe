// SPDX-License-Identifier: MIT
#include "bench/launch/session.h"
#include "math/line.h"
#include "measure/visit.h"

#include <math.h>

enum {
    POINTS_MIN = 5
};
static const double volume_least = 65536, volume_most = 20e6;

// ---------------------------------------------------------------- a launch and a volume

// Returns true if the result is of launch's scaling kernels, and has a time and a bandwidth.
static bool is_scale(const struct result *result, const char *device)
{
    return result_is_of(result, "launch", device) && case_find(&result->bench_case, "elements") &&
           result_metric(result, "time") && result_metric(result, "bandwidth");
}

// Returns true if the cases of two results differ at most in the number of elements.
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

// Returns the text values of a case, for example "work=scale, mode=replay".
static const char *text_values(struct arena *arena, const struct result *result)
{
    const char *text = "";
    for (size_t i = 0; i < result->bench_case.value_count; i++) {
        const struct case_value *value = &result->bench_case.values[i];
        if (value->text)
            text =
                arena_printf(arena, "%s%s%s=%s", text, *text ? ", " : "", value->key, value->text);
    }
    return text;
}

// Returns the number of bytes that one kernel reads and writes in the result's case.
static double volume_of(const struct result *result)
{
    return result_median(result, "bandwidth") * result_median(result, "time") / 1e9;
}

// Returns true if the host limits the rate of kernels, or the time of its call is not known.
static bool is_host_bound(const struct result *result)
{
    return !(result_median(result, "host") < MEASURE_HOST_BOUND * result_median(result, "time"));
}

// Adds the finding launch-fit. `line` has the bytes that a kernel moves on x, and its time on y.
static void report(struct run *run, const struct line *line, const struct result *first,
                   const struct result *last)
{
    run_add_conclusion(run, "launch-fit", line->intercept, first, last,
                       "a kernel takes %s (± %s) plus its bytes at %s (%s)",
                       unit_text(run->arena, line->intercept, UNIT_NS),
                       unit_text(run->arena, line->intercept_half, UNIT_NS),
                       unit_text(run->arena, 1e9 / line->slope, UNIT_BYTE_PER_S),
                       text_values(run->arena, first));
}

// Adds the finding launch-bound for one mode, from the mode's first result to its last result that
// the host limits.
static void report_slow_host(struct run *run, const struct result *first, const struct result *last)
{
    double host_ns = result_median(last, "host");
    if (isfinite(host_ns))
        run_add_conclusion(run, "launch-bound", host_ns, first, last,
                           "host-bound up to %s a kernel: the host's call takes %s, which hides "
                           "the fixed cost of the kernel itself (%s)",
                           unit_text(run->arena, volume_of(last), UNIT_BYTE),
                           unit_text(run->arena, host_ns, UNIT_NS), text_values(run->arena, first));
}

// Fits a line through results[first] and the later results that differ only in the number of
// elements: bytes that a kernel moves on x, its time on y. Points need volume_least (less 1 %) to
// volume_most bytes, and a rate that the host does not limit.
static void fit(struct run *run, const char *device, size_t first)
{
    struct arena *arena = arena_create();
    double *volumes = ARENA_ARRAY(arena, run->result_count, double);
    double *times = ARENA_ARRAY(arena, run->result_count, double);
    const struct result *begin = run->results[first], *least = NULL, *most = NULL, *bound = NULL;
    size_t count = 0;
    for (size_t i = first; i < run->result_count; i++) {
        const struct result *result = run->results[i];
        if (!is_scale(result, device) || !is_alike(begin, result))
            continue;
        double volume = volume_of(result);
        if (!(volume >= 0.99 * volume_least && volume <= volume_most))
            continue;
        if (is_host_bound(result)) {
            bound = result;
            continue;
        }
        volumes[count] = volume;
        times[count++] = result_median(result, "time");
        least = least ? least : result;
        most = result;
    }
    struct line line;
    if (count >= POINTS_MIN && line_fit_relative(volumes, times, count, &line) && line.slope > 0 &&
        line.intercept > 0)
        report(run, &line, least, most);
    else if (bound)
        report_slow_host(run, begin, bound);
    arena_destroy(arena);
}

// ---------------------------------------------------------------- barriers

// Returns the first result with mode=batch, this value of `between` and a time; NULL if none.
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

// Returns half the width in ns of the time's 95 % interval; 0 if there is no interval.
static double half_of(const struct result *result)
{
    const struct metric *time = result_metric(result, "time");
    double half = (time->ci95[1] - time->ci95[0]) / 2;
    return isfinite(half) ? half : 0;
}

// Returns "memory 3.850 µs ± 12.00 ns", or "memory below the noise (12.00 ns)".
static const char *addition(struct arena *arena, const char *kind, double ns, double half_ns)
{
    const char *cost = unit_text(arena, ns, UNIT_NS), *half = unit_text(arena, half_ns, UNIT_NS);
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
    for (size_t k = 0; none && k < COUNT(kinds); k++) {
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
        run_add_conclusion(run, "barriers", value, none, shown,
                           "time that a barrier adds between empty kernels: %s", list);
}

// ---------------------------------------------------------------- the host as the limit

// Adds launch-bound if the host's call takes at least 90 % of the time of empty kernels in a batch.
static void report_bound(struct run *run, const char *device)
{
    const struct result *row = row_with(run, device, "order");
    const struct metric *host = row ? result_metric(row, "host") : NULL;
    const struct metric *time = row ? result_metric(row, "time") : NULL;
    if (!host || host->median < MEASURE_HOST_BOUND * time->median)
        return;
    run_add_conclusion(run, "launch-bound", host->median, row, NULL,
                       "the host limits empty kernels in a batch: its call takes %s, a kernel in "
                       "all %s",
                       unit_text(run->arena, host->median, UNIT_NS),
                       unit_text(run->arena, time->median, UNIT_NS));
}

// ---------------------------------------------------------------- all of them

// Returns true if no result before results[place] belongs to the same line (fit).
static bool is_first(const struct run *run, const char *device, size_t place)
{
    for (size_t i = 0; i < place; i++)
        if (is_scale(run->results[i], device) && is_alike(run->results[i], run->results[place]))
            return false;
    return true;
}

// Adds findings about the cost of a launch:
// - barriers: the time that each kind of barrier adds to an empty kernel. Value: ns of a memory
//   barrier or, if there is none, of the first kind measured. Keys: the case without a barrier, and
//   the case with this barrier.
// - launch-bound: the host's call takes at least 90 % of the kernels' time, so a faster device
//   would not help. Found for empty kernels, and for each mode without launch-fit. Value: ns of the
//   call per kernel. Keys: the case of the empty kernels; or the mode's first and last case that
//   the host limits.
// - launch-fit: a kernel that moves V bytes takes a + V / b (the model of RRZE's gpu-benches,
//   "gpu-small-kernels"). Value: a in ns. Keys: the first and last case of the fit, which needs
//   five kernels of 64 KiB to 20 MB (as caches hold) that the host does not limit.
void launch_conclude(struct run *run, const char *device)
{
    report_barriers(run, device);
    report_bound(run, device);
    for (size_t i = 0; i < run->result_count; i++)
        if (is_scale(run->results[i], device) && is_first(run, device, i))
            fit(run, device, i);
}
