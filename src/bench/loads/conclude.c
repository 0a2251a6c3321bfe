// SPDX-License-Identifier: MIT
#include "analysis/audit.h"
#include "base/text.h"
#include "bench/loads/session.h"

#include <math.h>

// Two rates differ if the 95 % interval of their ratio lies above ADVICE_RATIO or below 1 /
// ADVICE_RATIO. They are equal if the interval lies between these two bounds. If the interval
// contains a bound, no advice is given.
#define ADVICE_RATIO 1.1

// Compares two cases. Texts of advice: the first case is faster, slower, or equally fast.
struct question {
    const char *metric;
    const char *load, *pattern, *other_load, *other_pattern;
    const char *faster, *slower, *same;
};

static const struct question questions[] = {
    {"bandwidth", "StructuredBuffer<float4>.Load", "linear", "StructuredBuffer<float>.Load",
     "linear", "prefer wide buffer loads: they load more bytes per second",
     "prefer narrow buffer loads: they load more bytes per second",
     "buffer loads of any width load the same bytes per second"},
    {"rate", "StructuredBuffer<float>.Load", "linear", "StructuredBuffer<float>.Load", "random",
     "let neighbouring threads load neighbouring elements: narrow loads coalesce",
     "narrow loads are faster in random order than from neighbouring addresses",
     "the order of addresses within a cache line does not change the rate of narrow loads"},
    {"rate", "Buffer<RGBA8>.Load", "linear", "Buffer<RGBA8>.Load", "random",
     "let neighbouring threads load neighbouring elements of typed buffers",
     "typed buffers load faster in random order than from neighbouring addresses",
     "the order of addresses does not change the rate of typed buffer loads"},
    {"rate", "ByteAddressBuffer.Load4 unaligned", "linear", "ByteAddressBuffer.Load4", "linear",
     "unaligned raw loads are faster than aligned ones",
     "align raw loads: unaligned ones are slower",
     "raw loads that are not aligned to their width cost nothing extra"},
    {"rate", "ByteAddressBuffer.Load4 natural", "linear", "ByteAddressBuffer.Load4", "linear",
     "declare the alignment of raw loads: they are faster with it",
     "raw loads are faster without declared alignment",
     "declared alignment does not change raw loads"},
    {"rate", "StructuredBuffer<float4>.Load", "linear", "ByteAddressBuffer.Load4", "linear",
     "prefer structured to raw buffers for four floats",
     "prefer raw to structured buffers for four floats",
     "raw and structured buffers load four floats equally fast"},
    {"rate", "StructuredBuffer<float>.Load", "linear", "Buffer<R32f>.Load", "linear",
     "prefer structured to typed buffers where no conversion is needed",
     "prefer typed to structured buffers", "typed and structured buffers load equally fast"},
    {"rate", "cbuffer{float4} load", "uniform", "cbuffer{float4} load", "linear",
     "use the same index into a constant buffer in all threads",
     "constant buffers are faster if threads use different indices",
     "constant buffers are as fast if threads use different indices"},
    {"rate", "groupshared float4", "linear", "StructuredBuffer<float4>.Load", "linear",
     "keep what a workgroup loads repeatedly in shared memory: it is faster than the cache",
     "the cache is faster than shared memory", "shared memory is no faster than the cache"},
    {"rate", "RWStructuredBuffer<float4>.Load", "linear", "StructuredBuffer<float4>.Load", "linear",
     "loads from writable buffers are faster than from read-only ones",
     "declare buffers read-only where possible: loads from them are faster",
     "loads from writable buffers are as fast as from read-only ones"},
    {"rate", "StructuredBuffer<float4> broadcast", "uniform", "StructuredBuffer<float4>.Load",
     "uniform", "where all threads load the same elements, load one in each lane and broadcast it",
     "where all threads load the same elements, let each thread load them",
     "broadcasting elements is as fast as loading them in every thread"},
    {"rate", "StructuredBuffer<float4>.Load", "linear", "cbuffer{float4} load", "linear",
     "where threads use different indices, prefer a structured to a constant buffer",
     "where threads use different indices, prefer a constant to a structured buffer",
     "structured and constant buffers are equally fast where threads use different indices"},
    {"rate", "Texture2D<RGBA8>.Load", "linear", "Texture2D<RGBA32F>.Load", "linear",
     "prefer narrow texel formats: wide ones load slower",
     "wide texels load faster than narrow ones", "wide texels load as fast as narrow ones"},
    {"rate", "Texture2D<RGBA8>.Sample(bilinear)", "linear", "Texture2D<RGBA32F>.Sample(bilinear)",
     "linear", "prefer narrow formats for filtering: wide ones filter slower",
     "wide formats filter faster than narrow ones", "wide formats filter as fast as narrow ones"},
    {"rate", "Texture2D<RGBA8>.Sample(nearest)", "linear", "Texture2D<RGBA8>.Sample(bilinear)",
     "linear", "nearest filtering is faster than bilinear",
     "bilinear filtering is faster than nearest", "bilinear filtering is as fast as nearest"},
    {"rate", "Texture2D<RGBA8>.Load", "linear", "Texture2D<RGBA8>.Sample(nearest)", "linear",
     "read single texels without a sampler: it is faster",
     "read single texels through a sampler: it is faster",
     "reading single texels through a sampler costs nothing extra"},
    {"rate", "Buffer<RGBA8>.Load", "linear", "Texture2D<RGBA8>.Load", "linear",
     "prefer typed buffers to textures where nothing is filtered",
     "prefer textures to typed buffers", "typed buffers and textures load equally fast"},
};

static const struct result *find(const struct run *run, const char *device, const char *load,
                                 const char *pattern)
{
    for (size_t i = 0; i < run->result_count; i++) {
        const struct result *result = run->results[i];
        if (result_is_of(result, "loads", device) && case_says(&result->bench_case, "load", load) &&
            case_says(&result->bench_case, "pattern", pattern))
            return result;
    }
    return NULL;
}

// Returns the advice that follows from the 95 % intervals of both cases; NULL if no advice follows.
static const char *answer(const struct question *question, const struct metric *one,
                          const struct metric *other)
{
    double low = one->ci95[0] / other->ci95[1], high = one->ci95[1] / other->ci95[0];
    if (!isfinite(low) || !isfinite(high))
        return NULL;
    if (low > ADVICE_RATIO)
        return question->faster;
    if (high < 1 / ADVICE_RATIO)
        return question->slower;
    return low > 1 / ADVICE_RATIO && high < ADVICE_RATIO ? question->same : NULL;
}

static const char *amount(struct arena *arena, const struct metric *metric)
{
    return unit_text(arena, metric->median, metric->unit);
}

static void report(struct run *run, const struct question *question,
                   const struct result *const pair[2])
{
    const struct metric *one = result_metric(pair[0], question->metric);
    const struct metric *other = result_metric(pair[1], question->metric);
    const char *text = one && other ? answer(question, one, other) : NULL;
    if (!text)
        return;
    double ratio = one->median / other->median;
    char times[32];
    run_add_conclusion(run, "loads-advice", ratio, pair[0], pair[1],
                       "%s (%s %s %s, %s %s %s: %s times)", text, question->load, question->pattern,
                       amount(run->arena, one), question->other_load, question->other_pattern,
                       amount(run->arena, other), number_format(ratio, times, sizeof times));
}

// The cases with the slowest and the fastest baseline, and the number of cases with a baseline. A
// baseline is a fixed load that is measured next to each case.
struct drift {
    const struct result *least, *most;
    unsigned cases;
};

static double baseline_of(const struct result *result)
{
    return result_median(result, "baseline");
}

static struct drift find_drift(const struct run *run, const char *device)
{
    struct drift drift = {NULL, NULL, 0};
    for (size_t i = 0; i < run->result_count; i++) {
        const struct result *result = run->results[i];
        double rate = baseline_of(result);
        if (!result_is_of(result, "loads", device) || !(rate > 0))
            continue;
        drift.cases++;
        if (!drift.least || rate < baseline_of(drift.least))
            drift.least = result;
        if (!drift.most || rate > baseline_of(drift.most))
            drift.most = result;
    }
    return drift;
}

static void report_drift(struct run *run, const char *device)
{
    struct drift drift = find_drift(run, device);
    if (drift.cases < 2)
        return;
    double apart = baseline_of(drift.most) / baseline_of(drift.least) - 1;
    run_add_conclusion(
        run, "loads-drift", apart, drift.least, drift.most,
        "the baseline, Buffer<RGBA8>.Load random, repeated beside each of %u cases, drifted by "
        "%.2g %% (%s to %s)",
        drift.cases, 100 * apart, amount(run->arena, result_metric(drift.least, "baseline")),
        amount(run->arena, result_metric(drift.most, "baseline")));
}

// ---------------------------------------------------------------- the unit that binds

// A unit of the hardware that may limit a case. `counter` shows how busy the unit is.
struct binding {
    const char *counter;
    // On NVIDIA: how much the counter rises per cycle of one core while the unit is always busy. A
    // core has four schedulers, so issue_slots rises by 4.
    double per_cycle;
    const char *unit;
};

static const struct binding bindings[] = {
    {"l1_requests", 1, "the addresses of the L1, one request a cycle"},
    {"l1_data", 1, "the data of the L1"},
    {"load_returns", 1, "the way from the L1 to registers"},
    {"texture_filter", 1, "the filters of the texture units"},
    {"texture_returns", 1, "the way from the texture units to registers"},
    {"issue_slots", 4, "the issue of instructions"},
};

// A hardware unit limits a case if the unit is busy in at least this share of the cycles.
static const double busy_least = 0.8;

enum {
    CASES_NAMED = 4
};

static double busy(const struct result *result, const struct binding *binding)
{
    const double *cycles = audit_counted(result, "active_cycles"),
                 *count = audit_counted(result, binding->counter);
    return cycles && count && *cycles > 0 ? *count / (*cycles * binding->per_cycle) : 0;
}

// Returns the busiest hardware unit of a case; NULL if no unit limits the case (busy_least).
static const struct binding *binding_of(const struct result *result)
{
    const struct binding *most = &bindings[0];
    for (size_t i = 1; i < COUNT(bindings); i++)
        if (busy(result, &bindings[i]) > busy(result, most))
            most = &bindings[i];
    return busy(result, most) >= busy_least ? most : NULL;
}

static void report_binding(struct run *run, const char *device, const struct binding *binding)
{
    const char **keys = ARENA_ARRAY(run->arena, run->result_count, const char *), *names = "";
    double least = INFINITY, most = 0;
    size_t count = 0;
    for (size_t i = 0; i < run->result_count; i++) {
        const struct result *result = run->results[i];
        if (!result_is_of(result, "loads", device) || binding_of(result) != binding)
            continue;
        least = fmin(least, busy(result, binding));
        most = fmax(most, busy(result, binding));
        if (count < CASES_NAMED)
            names = arena_printf(run->arena, "%s%s%s %s", names, count ? ", " : "",
                                 case_text(&result->bench_case, "load"),
                                 case_text(&result->bench_case, "pattern"));
        keys[count++] = result->key;
    }
    if (count == 0)
        return;
    *run_add_finding(run) = (struct finding){
        .code = "loads-bound",
        .device = device,
        .value = least,
        .text = arena_printf(
            run->arena,
            "%s: hardware counters show what limits %s of loads: %s, busy "
            "in %.0f to %.0f %% of the cycles (%s%s)",
            device, text_count(run->arena, count, "case"), binding->unit, 100 * least, 100 * most,
            names,
            count > CASES_NAMED ? arena_printf(run->arena, ", %zu more", count - CASES_NAMED) : ""),
        .keys = keys,
        .key_count = count};
}

// Adds findings with these codes:
//   loads-advice  which of two cases is faster, or that they are equally fast. Keys: the two cases.
//                 Value: rate (or bandwidth) of the first case ÷ that of the second
//   loads-drift   how much the baseline varied, if two cases have a baseline. Keys: the cases with
//                 the slowest and the fastest baseline. Value: fastest rate ÷ slowest rate − 1
//   loads-bound   a hardware unit that limits some cases. Keys: these cases. Value: a share of
//                 cycles; in each of these cases, the unit is busy for at least this share
void loads_conclude(struct run *run, const char *device)
{
    report_drift(run, device);
    for (size_t q = 0; q < COUNT(questions); q++) {
        const struct question *question = &questions[q];
        const struct result *pair[2] = {
            find(run, device, question->load, question->pattern),
            find(run, device, question->other_load, question->other_pattern)};
        if (pair[0] && pair[1])
            report(run, question, pair);
    }
    for (size_t i = 0; i < COUNT(bindings); i++)
        report_binding(run, device, &bindings[i]);
}
