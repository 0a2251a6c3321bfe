// SPDX-License-Identifier: MIT
#include "analysis/overlaps_tell.h"

#include "analysis/overlaps.h"

#include <math.h>
#include <string.h>

enum {
    UNIT_TEXT = 32
};

// ---------------------------------------------------------------- finding cases

bool overlaps_is_of(const struct overlaps_subject *subject, const struct result *result)
{
    return strcmp(result->device, subject->device) == 0 &&
           strcmp(result->benchmark, subject->benchmark) == 0 && result->verdict <= VERDICT_SUSPECT;
}

const char *overlaps_value_of(const struct result *result, const char *key)
{
    const struct case_value *value = case_find(&result->bench_case, key);
    return value && value->text ? value->text : "";
}

bool overlaps_is_scenario(const struct result *result, const char *name)
{
    return case_says(&result->bench_case, "scenario", name);
}

const struct metric *overlaps_metric_of(const struct result *result, const char *name)
{
    const struct metric *metric = result_metric(result, name);
    return metric && isfinite(metric->median) ? metric : NULL;
}

const struct result *overlaps_find(const struct overlaps_subject *subject, const char *scenario,
                                   const char *barrier, const char *metric)
{
    for (size_t i = 0; i < subject->run->result_count; i++) {
        const struct result *result = subject->run->results[i];
        if (overlaps_is_of(subject, result) && overlaps_metric_of(result, metric) &&
            (!scenario || overlaps_is_scenario(result, scenario)) &&
            (!barrier || case_says(&result->bench_case, "barrier", barrier)))
            return result;
    }
    return NULL;
}

// ---------------------------------------------------------------- words

static const char *verdict_of(double low, double high)
{
    if (high <= OVERLAPS_NO)
        return "no";
    if (low >= OVERLAPS_YES)
        return "yes";
    return low > OVERLAPS_NO && high < OVERLAPS_YES ? "partly" : "undecided";
}

const char *overlaps_number(struct arena *arena, const double value[3], enum unit unit)
{
    char median[UNIT_TEXT], low[UNIT_TEXT], high[UNIT_TEXT];
    unit_format(value[0], unit, median, sizeof median);
    if (!isfinite(value[1]) || !isfinite(value[2]))
        return arena_strdup(arena, median);
    unit_format(value[1], unit, low, sizeof low);
    unit_format(value[2], unit, high, sizeof high);
    return arena_printf(arena, "%s [%s, %s]", median, low, high);
}

const char *overlaps_share(struct arena *arena, const double value[3])
{
    double low = isfinite(value[1]) ? value[1] : value[0];
    double high = isfinite(value[2]) ? value[2] : value[0];
    return arena_printf(arena, "%s, %.2f [%.2f, %.2f]", verdict_of(low, high), value[0],
                        fmax(low, 0), fmin(high, 1));
}

void overlaps_tell(const struct overlaps_subject *subject, const struct overlaps_answer *answer)
{
    struct arena *arena = subject->run->arena;
    const char *barrier = overlaps_value_of(answer->cases[0], "barrier");
    const char *text = arena_printf(arena, "%s: %s (%s%s%s", subject->device, answer->text,
                                    overlaps_value_of(answer->cases[0], "scenario"),
                                    *barrier ? ", " : "", barrier);
    if (answer->published)
        text = arena_printf(arena, "%s; published: %s", text, answer->published);
    const char **keys = ARENA_ARRAY(arena, 2, const char *);
    size_t count = 0;
    for (size_t i = 0; i < 2; i++)
        if (answer->cases[i])
            keys[count++] = answer->cases[i]->key;
    *run_add_finding(subject->run) = (struct finding){.code = answer->code,
                                                      .text = arena_printf(arena, "%s)", text),
                                                      .device = subject->device,
                                                      .value = answer->value,
                                                      .keys = keys,
                                                      .key_count = count};
}
