// SPDX-License-Identifier: MIT
#include "bench/raster/session.h"

#include <math.h>

enum {
    UNIT_TEXT = 32
};
// Pixels limit the rate of triangles if this rate is at most this share of the highest rate.
static const double bound = 0.5;

// The run and the device that the findings are about.
struct subject {
    struct run *run;
    const char *device;
};

// ---------------------------------------------------------------- finding cases

// Returns the metric `name` of a result of raster; NULL if it is missing or not positive.
static const struct metric *metric_of(const struct subject *subject, const struct result *result,
                                      const char *name)
{
    const struct metric *metric =
        result_is_of(result, "raster", subject->device) ? result_metric(result, name) : NULL;
    return metric && isfinite(metric->median) && metric->median > 0 ? metric : NULL;
}

// Returns the first result with this metric and this value of the parameter `key`; NULL if none.
static const struct result *case_with(const struct subject *subject, const char *metric,
                                      const char *key, const char *value)
{
    for (size_t i = 0; i < subject->run->result_count; i++)
        if (case_says(&subject->run->results[i]->bench_case, key, value) &&
            metric_of(subject, subject->run->results[i], metric))
            return subject->run->results[i];
    return NULL;
}

// ---------------------------------------------------------------- reporting

static void report_cores(const struct subject *subject)
{
    const struct result *result = case_with(subject, "cores", "work", "cores");
    const struct metric *cores = result ? result_metric(result, "cores") : NULL;
    if (!cores || !(cores->limit > 0))
        return;
    run_add_conclusion(subject->run, "raster-cores", cores->median, result, NULL,
                       "%.0f of %.0f cores draw pixels", cores->median, cores->limit);
}

// Returns the rate of triangles that face the viewer; NULL if the result has no such triangles.
static const struct metric *drawn_rate(const struct subject *subject, const struct result *result)
{
    return case_says(&result->bench_case, "facing", "front")
               ? metric_of(subject, result, "triangles")
               : NULL;
}

// Of the results whose rate of triangles is limited by pixels (see `bound`), returns the result
// with the smallest triangles; NULL if there is no such result. `most` is the highest rate of
// triangles.
static const struct result *first_bound(const struct subject *subject, double most)
{
    const struct result *found = NULL;
    for (size_t i = 0; i < subject->run->result_count; i++) {
        const struct result *result = subject->run->results[i];
        const struct metric *rate = drawn_rate(subject, result);
        if (rate && rate->median <= bound * most &&
            (!found ||
             case_uint(&result->bench_case, "side") < case_uint(&found->bench_case, "side")))
            found = result;
    }
    return found;
}

static void report_triangles(const struct subject *subject)
{
    const struct result *best = NULL;
    double most = 0;
    for (size_t i = 0; i < subject->run->result_count; i++) {
        const struct metric *rate = drawn_rate(subject, subject->run->results[i]);
        if (!rate || rate->median <= most)
            continue;
        most = rate->median;
        best = subject->run->results[i];
    }
    if (!best)
        return;
    char rate[UNIT_TEXT];
    const struct result *large = first_bound(subject, most);
    const char *from = "";
    if (large)
        from =
            arena_printf(subject->run->arena, "; from %llu pixels a side on, pixels limit the rate",
                         (unsigned long long)case_uint(&large->bench_case, "side"));
    run_add_conclusion(subject->run, "raster-triangles", most, best, large,
                       "at most %s million drawn triangles per second%s",
                       number_format(most / 1e6, rate, sizeof rate), from);
}

struct pair {
    const struct result *base, *other; // results to compare; if one is NULL, no finding is added
    const char *code, *base_text, *other_text;
};

static void report_pair(const struct subject *subject, const struct pair *pair)
{
    if (!pair->base || !pair->other)
        return;
    double base = result_metric(pair->base, "pixels")->median;
    double other = result_metric(pair->other, "pixels")->median;
    char rates[2][UNIT_TEXT], ratio[UNIT_TEXT];
    run_add_conclusion(subject->run, pair->code, other / base, pair->other, pair->base,
                       "%s reach %s times the rate of %s: %s against %s million per second",
                       pair->other_text, number_format(other / base, ratio, sizeof ratio),
                       pair->base_text, number_format(other / 1e6, rates[0], sizeof rates[0]),
                       number_format(base / 1e6, rates[1], sizeof rates[1]));
}

static void report_blend(const struct subject *subject)
{
    const struct result *mixed = case_with(subject, "pixels", "blend", "alpha"), *opaque = NULL;
    const struct case_value *format = mixed ? case_find(&mixed->bench_case, "format") : NULL;
    for (size_t i = 0; format && !opaque && i < subject->run->result_count; i++) {
        const struct result *result = subject->run->results[i];
        if (metric_of(subject, result, "pixels") &&
            case_says(&result->bench_case, "blend", "none") &&
            case_says(&result->bench_case, "format", format->text))
            opaque = result;
    }
    if (format)
        report_pair(subject,
                    &(struct pair){.base = opaque,
                                   .other = mixed,
                                   .code = "raster-blend",
                                   .base_text = "opaque ones",
                                   .other_text = arena_printf(
                                       subject->run->arena, "blended pixels of %s", format->text)});
}

// ---------------------------------------------------------------- all

// Adds findings. The keys are the case of the value, or the cases that are compared.
// - raster-cores: how many cores draw. Value: their number.
// - raster-triangles: the highest rate of drawn (not culled) triangles. Value: this rate. Text and
//   keys: also the smallest triangles with at most half of this rate. Pixels limit their rate.
// - raster-blend: rate of alpha-blended pixels ÷ rate of opaque pixels, in the format whose blended
//   pixels were measured first. Value: this ratio.
// - raster-depth: rate of pixels that fail the depth test ÷ rate of pixels that pass it and write
//   depth. Value: this ratio.
void raster_conclude(struct run *run, const char *device)
{
    const struct subject subject = {run, device};
    report_cores(&subject);
    report_triangles(&subject);
    report_blend(&subject);
    report_pair(&subject, &(struct pair){.base = case_with(&subject, "pixels", "depth", "write"),
                                         .other = case_with(&subject, "pixels", "depth", "reject"),
                                         .code = "raster-depth",
                                         .base_text = "those that pass and write depth",
                                         .other_text = "pixels that fail the depth test"});
}
