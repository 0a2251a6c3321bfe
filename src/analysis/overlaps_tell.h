// SPDX-License-Identifier: MIT
// What the verdicts on overlapping have in common: the cases that they rest on, the words of
// numbers, the finding. A part of analysis/overlaps.h.
#ifndef ANALYSIS_OVERLAPS_TELL_H
#define ANALYSIS_OVERLAPS_TELL_H

#include "results/results.h"

// Whose cases are asked.
struct overlaps_subject {
    struct run *run;
    const char *device, *benchmark;
};

// The case is the subject's and was measured.
bool overlaps_is_of(const struct overlaps_subject *subject, const struct result *result);

// The text of a case's value; "" where it has none.
const char *overlaps_value_of(const struct result *result, const char *key);

bool overlaps_is_scenario(const struct result *result, const char *name);

// NULL where the case has no such metric, or no number for it.
const struct metric *overlaps_metric_of(const struct result *result, const char *name);

// The first case with a metric, of a scenario (NULL: of any) and a barrier (NULL: any); NULL: there
// is none.
const struct result *overlaps_find(const struct overlaps_subject *subject, const char *scenario,
                                   const char *barrier, const char *metric);

// "0.931 [0.925, 0.94]"; without an interval (not finite) just the number. value: median, low,
// high.
const char *overlaps_number(struct arena *arena, const double value[3], enum unit unit);

// "yes, 0.93 [0.92, 0.94]": a share of time with the verdict on it.
const char *overlaps_share(struct arena *arena, const double value[3]);

struct overlaps_answer {
    const char *code, *text, *published; // published: NULL: nothing was
    double value;
    const struct result *cases[2]; // the second may be NULL
};

// Adds the finding "vulkan:0: TEXT (scenario, barrier; published: …)".
void overlaps_tell(const struct overlaps_subject *subject, const struct overlaps_answer *answer);

#endif
