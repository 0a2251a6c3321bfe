// SPDX-License-Identifier: MIT
#include "analysis/preempts.h"

#include <math.h>
#include <string.h>

enum {
    UNIT_TEXT = 32
};

struct subject {
    struct run *run;
    const char *device, *benchmark;
};

// What the GPUs of 2017 did to a compositor that was due at 90 Hz.
static const struct {
    const char *hog, *text;
} published[] = {
    {"baseline", "regular on GTX 1070 and RX 460"},
    {"many-draws", "regular on GTX 1070 and RX 460"},
    {"big-dispatch", "GTX 1070 blocked for some 100 ms; RX 460 steady"},
    {"slow-shader", "GTX 1070 blocked for some 100 ms; RX 460 steady"},
};

static const char *value_of(const struct result *result, const char *key)
{
    const struct case_value *value = case_find(&result->point, key);
    return value && value->text ? value->text : "";
}

// "co-resident 57 of 60, at a boundary 3 of 60"; NULL where the result does not say.
static const char *entered(struct arena *arena, const struct result *result)
{
    const char *text = NULL;
    for (size_t i = 0; i < result->series_count; i++) {
        const struct series *series = &result->series[i];
        if (strcmp(series->name, "entered") != 0 || series->row_count != 1)
            continue;
        double sum = 0;
        for (size_t c = 0; c < series->column_count; c++)
            sum += series->data[c];
        for (size_t c = 0; c < series->column_count; c++)
            if (series->data[c] > 0)
                text = arena_printf(arena, "%s%s%s %.0f of %.0f", text ? text : "",
                                    text ? ", " : "", series->columns[c], series->data[c], sum);
    }
    return text;
}

static const struct metric *response_of(const struct subject *subject, const struct result *result)
{
    if (strcmp(result->device, subject->device) != 0 ||
        strcmp(result->benchmark, subject->benchmark) != 0 || result->verdict > VERDICT_SUSPECT)
        return NULL;
    const struct metric *metric = result_metric(result, "response");
    return metric && isfinite(metric->median) ? metric : NULL;
}

static bool is_alike(const struct result *a, const struct result *b)
{
    return strcmp(value_of(a, "hog"), value_of(b, "hog")) == 0 &&
           strcmp(value_of(a, "setting"), value_of(b, "setting")) == 0 &&
           strcmp(value_of(a, "victim"), value_of(b, "victim")) == 0;
}

static double median_of(const struct result *result, const char *name)
{
    const struct metric *metric = result_metric(result, name);
    return metric ? metric->median : NAN;
}

// ", 40 % of deadlines missed, the hog 1.28 times as long": what there is to say.
static const char *price_text(struct arena *arena, const struct result *result)
{
    double missed = median_of(result, "misses"), slowdown = median_of(result, "hog_slowdown");
    const char *text = "";
    if (missed > 0)
        text = arena_printf(arena, ", %.0f %% of deadlines missed", 100 * missed);
    if (isfinite(slowdown))
        text = arena_printf(arena, "%s, the hog %.2f times as long", text, slowdown);
    return text;
}

// "at medium 1.9 ms, typically at most 3.1 ms, 40 % … (co-resident 57 of 60)"
static const char *priority_text(struct arena *arena, const struct result *result,
                                 const struct metric *response)
{
    char median[UNIT_TEXT], most[UNIT_TEXT];
    double longest = median_of(result, "response_max");
    unit_format(response->median, UNIT_NS, median, sizeof median);
    const char *text = arena_printf(arena, "at %s %s", value_of(result, "priority"), median);
    if (isfinite(longest))
        text = arena_printf(arena, "%s, typically at most %s", text,
                            unit_format(longest, UNIT_NS, most, sizeof most));
    text = arena_printf(arena, "%s%s", text, price_text(arena, result));
    const char *how = entered(arena, result);
    return how ? arena_printf(arena, "%s (%s)", text, how) : text;
}

static const char *published_text(struct arena *arena, const char *hog)
{
    for (size_t i = 0; i < sizeof published / sizeof *published; i++)
        if (strcmp(published[i].hog, hog) == 0)
            return arena_printf(arena, "; published: %s", published[i].text);
    return "";
}

// One finding for all results like the one at `first`.
static void tell(const struct subject *subject, size_t first)
{
    struct run *run = subject->run;
    const struct result *begin = run->results[first];
    const char **keys = ARENA_ARRAY(run->arena, run->result_count, const char *), *text = "";
    size_t count = 0;
    double least = INFINITY;
    for (size_t i = first; i < run->result_count; i++) {
        const struct metric *response = response_of(subject, run->results[i]);
        if (!response || !is_alike(begin, run->results[i]))
            continue;
        text = arena_printf(run->arena, "%s%s%s", text, count ? "; " : "",
                            priority_text(run->arena, run->results[i], response));
        least = fmin(least, response->median);
        keys[count++] = run->results[i]->key;
    }
    const char *hog = value_of(begin, "hog");
    const char *where = value_of(begin, "setting");
    const char *what =
        strcmp(value_of(begin, "victim"), "draw") == 0 ? "an urgent draw" : "urgent work";
    text = arena_printf(run->arena, "%s: %s %s%s on two %s is answered %s%s", subject->device, what,
                        strcmp(hog, "none") == 0 ? "without a hog" : "behind ",
                        strcmp(hog, "none") == 0 ? "" : hog, where, text,
                        published_text(run->arena, hog));
    *run_add_finding(run) = (struct finding){.code = "preempt",
                                             .text = text,
                                             .device = subject->device,
                                             .value = least,
                                             .keys = keys,
                                             .key_count = count};
}

static bool is_first(const struct subject *subject, size_t place)
{
    for (size_t i = 0; i < place; i++)
        if (response_of(subject, subject->run->results[i]) &&
            is_alike(subject->run->results[i], subject->run->results[place]))
            return false;
    return true;
}

static bool is_subject(const struct benchmark_info *info)
{
    bool response = false, pause = false;
    for (size_t i = 0; i < info->metric_count; i++) {
        response = response || strcmp(info->metrics[i].name, "response") == 0;
        pause = pause || strcmp(info->metrics[i].name, "hog_pause") == 0;
    }
    return response && pause;
}

static bool is_told(const struct run *run, const char *device)
{
    for (size_t i = 0; i < run->finding_count; i++)
        if (strcmp(run->findings[i].code, "preempt") == 0 && run->findings[i].device &&
            strcmp(run->findings[i].device, device) == 0)
            return true;
    return false;
}

void preempts_add_findings(struct run *run)
{
    size_t b = 0;
    while (b < run->benchmark_count && !is_subject(run->benchmarks[b]))
        b++;
    if (b == run->benchmark_count)
        return;
    for (size_t d = 0; d < run->device_count; d++) {
        const struct subject subject = {run, run->devices[d].id, run->benchmarks[b]->name};
        if (is_told(run, subject.device))
            continue;
        for (size_t i = 0; i < run->result_count; i++)
            if (response_of(&subject, run->results[i]) && is_first(&subject, i))
                tell(&subject, i);
    }
}
