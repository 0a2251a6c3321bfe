// SPDX-License-Identifier: MIT
#include "bench/preempt/session.h"

#include <math.h>
#include <string.h>

// The kinds of hog: value of the parameter, a plural for texts, and results of two GPUs of 2016 or
// NULL ("Breaking Down Barriers, Part 6", M. Pettineo, 2018). In `published`, the victim is a
// compositor at 90 Hz; in published_three, an application and a compositor run beside the hog.
static const struct hog {
    const char *hog, *many, *published, *published_three;
} hogs[] = {
    {"baseline", "frames of 7 ms", "regular on GTX 1070 and RX 460",
     "application 45 and compositor 90 on GTX 1070; compositor regular on RX 460"},
    {"many-draws", "many draws", "regular on GTX 1070 and RX 460",
     "application below 90 and compositor 90 on GTX 1070 and RX 460"},
    {"many-dispatches", "many dispatches", NULL, NULL},
    {"big-dispatch", "big dispatches", "GTX 1070 blocked for some 100 ms; RX 460 steady",
     "both blocked for some 100 ms on GTX 1070; application for some 100 ms, compositor 90 on RX "
     "460"},
    {"slow-shader", "slow shaders", "GTX 1070 blocked for some 100 ms; RX 460 steady",
     "both blocked on GTX 1070; compositor 90 on RX 460"},
};

static const struct hog *hog_find(const char *name)
{
    for (size_t i = 0; i < COUNT(hogs); i++)
        if (strcmp(hogs[i].hog, name) == 0)
            return &hogs[i];
    return NULL;
}

// Returns a text on the number of victims that got onto the device in each way (enum judge_entry):
// "57 of 60 co-resident, 3 at a boundary" or "all 60 co-resident"; NULL if the result has no such
// numbers.
static const char *entered_text(struct arena *arena, const struct result *result)
{
    const struct series *entered = result_series(result, "entered");
    const char *text = NULL;
    double sum = 0;
    if (!entered || entered->row_count != 1)
        return NULL;
    for (size_t c = 0; c < entered->column_count; c++)
        sum += entered->data[c];
    for (size_t c = 0; c < entered->column_count; c++) {
        double count = entered->data[c];
        if (count == sum && sum > 0)
            return arena_printf(arena, "%s%.0f %s", sum > 1 ? "all " : "", sum,
                                entered->columns[c]);
        if (count <= 0)
            continue;
        text = text ? arena_printf(arena, "%s, %.0f %s", text, count, entered->columns[c])
                    : arena_printf(arena, "%.0f of %.0f %s", count, sum, entered->columns[c]);
    }
    return text;
}

// Returns a text like "99 % within 3.100 ms" or, for the maximum, "the longest 3.100 ms". If the
// quantile is a lower bound, returns a text like "the slowest 1 % take at least 3.100 ms" or "the
// longest at least 3.100 ms".
static const char *quantile_text(struct arena *arena, const struct series *quantiles,
                                 const double *row)
{
    const char *time = unit_text(arena, row[1], UNIT_NS);
    bool at_least = false;
    for (size_t c = 0; c < quantiles->column_count; c++)
        at_least = at_least || (strcmp(quantiles->columns[c], "at_least") == 0 && row[c] > 0);
    if (row[0] == 1)
        return arena_printf(arena, "the longest %s%s", at_least ? "at least " : "", time);
    return at_least ? arena_printf(arena, "the slowest %.4g %% take at least %s",
                                   100 * (1 - row[0]), time)
                    : arena_printf(arena, "%.4g %% within %s", 100 * row[0], time);
}

// Returns a text on the 99 % quantile, else on the 95 % quantile, else on the longest response;
// NULL if the result has none of them.
static const char *tail_text(struct arena *arena, const struct result *result)
{
    static const double shown[] = {0.99, 0.95, 1};
    const struct series *quantiles = result_series(result, "quantiles");
    for (size_t i = 0; quantiles && quantiles->column_count > 1 && i < 3; i++)
        for (size_t r = 0; r < quantiles->row_count; r++) {
            const double *row = quantiles->data + r * quantiles->column_count;
            if (row[0] == shown[i])
                return quantile_text(arena, quantiles, row);
        }
    return NULL;
}

static const struct metric *response_of(const struct result *result, const char *device)
{
    const struct metric *metric =
        result_is_of(result, "preempt", device) ? result_metric(result, "response") : NULL;
    return metric && isfinite(metric->median) ? metric : NULL;
}

static bool has_three(const struct result *result)
{
    return case_says(&result->bench_case, "actors", "three");
}

static bool is_alike(const struct result *a, const struct result *b)
{
    return !has_three(a) && !has_three(b) &&
           strcmp(result_value(a, "hog"), result_value(b, "hog")) == 0 &&
           strcmp(result_value(a, "setting"), result_value(b, "setting")) == 0 &&
           strcmp(result_value(a, "victim"), result_value(b, "victim")) == 0 &&
           strcmp(result_value(a, "arrivals"), result_value(b, "arrivals")) == 0;
}

static const char *missed_text(struct arena *arena, const struct result *result)
{
    double missed = result_median(result, "misses");
    return missed > 0 ? arena_printf(arena, "%.0f %% of deadlines missed", 100 * missed) : NULL;
}

static const char *slowdown_text(struct arena *arena, const struct result *result)
{
    double slowdown = result_median(result, "hog_slowdown");
    if (!isfinite(slowdown))
        return NULL;
    if (fabs(slowdown - 1) < 0.02)
        return "the hog is not slowed";
    return arena_printf(arena, "the hog takes %.2f times as long", slowdown);
}

// Returns text like "1.900 ms at medium priority (99 % within 3.100 ms; …)".
static const char *answer_text(struct arena *arena, const struct result *result,
                               const struct metric *response)
{
    const char *parts[] = {tail_text(arena, result), missed_text(arena, result),
                           slowdown_text(arena, result), entered_text(arena, result)};
    const char *text =
        arena_printf(arena, "%s%s at %s priority", response->at_least ? "at least " : "",
                     unit_text(arena, response->median, UNIT_NS), result_value(result, "priority"));
    bool open = false;
    for (size_t i = 0; i < COUNT(parts); i++) {
        if (!parts[i])
            continue;
        text = arena_printf(arena, "%s%s%s", text, open ? "; " : " (", parts[i]);
        open = true;
    }
    return open ? arena_printf(arena, "%s)", text) : text;
}

// Returns a text on the effect of a higher priority. Returns "" if a response time is missing, is
// only a lower bound or has no interval.
static const char *change_text(struct arena *arena, const struct metric *medium,
                               const struct metric *higher)
{
    if (!medium || !higher || medium->at_least || higher->at_least || !isfinite(medium->ci95[0]) ||
        !isfinite(medium->ci95[1]) || !isfinite(higher->ci95[0]) || !isfinite(higher->ci95[1]))
        return "";
    if (higher->ci95[0] <= medium->ci95[1] && higher->ci95[1] >= medium->ci95[0])
        return "; the priority makes no measurable difference";
    return arena_printf(arena, "; with the priority it takes %.2f times as long",
                        higher->median / medium->median);
}

static const char *published_text(struct arena *arena, const char *text)
{
    return text ? arena_printf(arena, "; published: %s", text) : "";
}

// The results of one finding, in the order of the run. All have a response, no application, and the
// same hog, setting, victim and arrivals.
struct group {
    const char *text; // text of the finding, with one part for each of its results
    const char **keys;
    size_t count;
    // Median response in ns at medium priority or, if not measured, the shortest median.
    double value_ns;
    // Responses at medium priority and at the last higher priority; NULL if not measured.
    const struct metric *medium, *higher;
};

static struct group group_of(const struct run *run, const char *device, size_t first)
{
    struct group group = {.text = "",
                          .keys = ARENA_ARRAY(run->arena, run->result_count, const char *),
                          .value_ns = INFINITY};
    for (size_t i = first; i < run->result_count; i++) {
        const struct result *result = run->results[i];
        const struct metric *response = response_of(result, device);
        if (!response || !is_alike(run->results[first], result))
            continue;
        group.text = arena_printf(run->arena, "%s%s%s", group.text, group.count ? ", " : "",
                                  answer_text(run->arena, result, response));
        group.value_ns = fmin(group.value_ns, response->median);
        group.keys[group.count++] = result->key;
        if (strcmp(result_value(result, "priority"), "medium") == 0)
            group.medium = response;
        else if (strcmp(result_value(result, "priority"), "low") != 0)
            group.higher = response;
    }
    if (group.medium)
        group.value_ns = group.medium->median;
    return group;
}

static void report(struct run *run, const char *device, size_t first)
{
    const struct result *begin = run->results[first];
    const struct group group = group_of(run, device, first);
    const char *hog = result_value(begin, "hog"), *where = result_value(begin, "setting");
    const struct hog *known = hog_find(hog);
    bool alone = strcmp(hog, "none") == 0;
    const char *place = strcmp(where, "queues") == 0    ? "on another queue"
                        : strcmp(where, "devices") == 0 ? "on a device of its own"
                                                        : "in another process";
    const char *text = arena_printf(
        run->arena, "%s: %s %s%s, %s%s: %s%s%s", device,
        strcmp(result_value(begin, "victim"), "draw") == 0 ? "an urgent draw" : "urgent work",
        place, *result_value(begin, "arrivals") ? ", which drops deadlines while it waits" : "",
        alone ? "without a hog" : "behind ", alone ? "" : hog, group.text,
        alone ? "" : change_text(run->arena, group.medium, group.higher),
        published_text(run->arena, known ? known->published : NULL));
    *run_add_finding(run) = (struct finding){.code = "preempt",
                                             .text = text,
                                             .device = device,
                                             .value = group.value_ns,
                                             .keys = group.keys,
                                             .key_count = group.count};
}

// ---------------------------------------------------------------- three actors

enum fate {
    FATE_SPARED,
    FATE_SLOWED, // an actor gets 50 % or more, but less than 95 %, of 90 frames per second
    FATE_STARVED // an actor gets less than 50 % of 90 frames per second
};

static enum fate fate_of(double frames)
{
    return frames >= 0.95 * 90 ? FATE_SPARED : frames >= 0.5 * 90 ? FATE_SLOWED : FATE_STARVED;
}

// Returns text like "big dispatches starve the application (8 of 90 frames) and not the compositor
// (90 of 90)". `hog` is NULL without a hog.
static const char *fates_text(struct arena *arena, const struct hog *hog, double app,
                              double compositor)
{
    static const char *const verbs[] = {
        [FATE_SPARED] = "slow", [FATE_SLOWED] = "slow", [FATE_STARVED] = "starve"};
    enum fate fate = fate_of(app), other = fate_of(compositor);
    const char *first = arena_printf(arena, "the application (%.0f of 90 frames)", app);
    const char *second = arena_printf(arena, "the compositor (%.0f of 90)", compositor);
    if (!hog)
        return arena_printf(arena, "without a hog: %s and %s", first, second);
    if (fate == FATE_SPARED && other == FATE_SPARED)
        return arena_printf(arena, "%s slow neither %s nor %s", hog->many, first, second);
    if (fate == other)
        return arena_printf(arena, "%s %s %s and %s", hog->many, verbs[fate], first, second);
    if (other == FATE_SPARED)
        return arena_printf(arena, "%s %s %s and not %s", hog->many, verbs[fate], first, second);
    if (fate == FATE_SPARED)
        return arena_printf(arena, "%s %s %s and not %s", hog->many, verbs[other], second, first);
    return arena_printf(arena, "%s %s %s and %s %s", hog->many, verbs[fate], first, verbs[other],
                        second);
}

// Names of the metrics of one actor: the application or the compositor.
struct actor_names {
    const char *actor, *misses, *late, *late_p99;
};

static const char *late_text(struct arena *arena, const struct metric *late)
{
    return late && isfinite(late->median)
               ? arena_printf(arena, "%s%s", late->at_least ? "at least " : "",
                              unit_text(arena, late->median, UNIT_NS))
               : "–";
}

// Returns "the application meets 40 % of its deadlines (median 2.000 ms late, 99 % 9.100 ms)".
static const char *deadlines_text(struct arena *arena, const struct result *result,
                                  const struct actor_names *names)
{
    double met = 100 * (1 - result_median(result, names->misses));
    const char *text =
        arena_printf(arena, "the %s meets %.3g %% of its deadlines", names->actor, met);
    if (met >= 100)
        return text;
    return arena_printf(arena, "%s (median %s late, 99 %% %s)", text,
                        late_text(arena, result_metric(result, names->late)),
                        late_text(arena, result_metric(result, names->late_p99)));
}

// Adds a finding on application and compositor; its value is the application's frames per second.
static void report_three(struct run *run, const struct result *result)
{
    static const struct actor_names application_names = {"application", "app_misses", "app_late",
                                                         "app_late_p99"},
                                    compositor_names = {"compositor", "misses", "late", "late_p99"};
    struct arena *arena = run->arena;
    double app = result_median(result, "app_frames"), compositor = result_median(result, "frames");
    const char *where = result_value(result, "setting"),
               *granted = result_detail(result, "priority");
    const struct hog *hog = hog_find(result_value(result, "hog"));
    if (!isfinite(app) || !isfinite(compositor))
        return;
    granted = granted ? granted : result_value(result, "priority");
    run_add_conclusion(run, "preempt-actors", app, result, NULL,
                       "%s, on three %s, the compositor at %.*s priority; %s, %s%s",
                       fates_text(arena, hog, app, compositor), where, (int)strcspn(granted, ":,"),
                       granted, deadlines_text(arena, result, &application_names),
                       deadlines_text(arena, result, &compositor_names),
                       published_text(arena, hog ? hog->published_three : NULL));
}

static bool is_first(const struct run *run, const char *device, size_t place)
{
    for (size_t i = 0; i < place; i++)
        if (response_of(run->results[i], device) && is_alike(run->results[i], run->results[place]))
            return false;
    return true;
}

// Adds a finding "preempt" for each combination of hog, setting, victim and arrivals. Its keys are
// the cases of all priorities. Its value is the median response in ns at medium priority or, if not
// measured, the shortest median. Cases with an application get "preempt-actors" instead.
void preempt_conclude(struct run *run, const char *device)
{
    for (size_t i = 0; i < run->result_count; i++) {
        if (!response_of(run->results[i], device))
            continue;
        if (has_three(run->results[i]))
            report_three(run, run->results[i]);
        else if (is_first(run, device, i))
            report(run, device, i);
    }
}
