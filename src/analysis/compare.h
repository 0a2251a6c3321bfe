// SPDX-License-Identifier: MIT
// Compares two runs: what got faster, what got slower, and what the intervals leave open.
//
// Cases are paired by device (analysis/pairing.h) and key; only the same version of a benchmark and
// the same METHOD values are comparable. For each metric the ratio new ÷ base has the interval
// [new.low ÷ base.high, new.high ÷ base.low]: it holds whenever both 95 % intervals hold, and for
// equal widths it is √2 wider than the 95 % interval of a ratio. So of the pairs that do not
// differ, well under 1 % are called changed, however noisy they are (tests/unit/test_compare.c).
//
// There is no such ratio if base is 0 or an interval reaches below 0. Then two metrics differ if
// one interval ends below the other by more than t times its end.
//
//   same      the interval lies within 1/(1+t) … 1+t, t being the threshold; or both are 0
//   faster,   the interval lies beyond it
//   slower
//   clock     time and cycles of the same work disagree: the core clock changed, not the work
//   other     beyond the threshold, but more is neither better nor worse
//   unsure    the interval straddles the threshold, or there is none
//   missing   a case, a metric of it or a device measured in base only
//   added     a case or a device measured in new only
//   broken    measured in base, failed in new
//   refused   another version or method
#ifndef ANALYSIS_COMPARE_H
#define ANALYSIS_COMPARE_H

#include "analysis/pairing.h"
#include "results/results.h"

#define COMPARE_WORDS(X)                                                                           \
    X(SAME, "same")                                                                                \
    X(FASTER, "faster")                                                                            \
    X(SLOWER, "slower")                                                                            \
    X(CLOCK, "clock")                                                                              \
    X(OTHER, "other")                                                                              \
    X(UNSURE, "unsure")                                                                            \
    X(MISSING, "missing")                                                                          \
    X(ADDED, "added")                                                                              \
    X(BROKEN, "broken")                                                                            \
    X(REFUSED, "refused")

enum compare_word {
#define X(name, text) COMPARE_##name,
    COMPARE_WORDS(X)
#undef X
    COMPARE_WORD_COUNT
};

const char *compare_word_name(enum compare_word word);

struct ratio {
    double value, low, high; // NaN where there is none
};

// new ÷ base with the interval above; the bounds are NaN where an interval is absent or the base's
// holds zero.
struct ratio ratio_of(const struct metric *base, const struct metric *now);

// The metric of the result that counts the same work in core cycles, as metric_info.cycles_of says;
// NULL if the result has none. `info` is the result's benchmark; without it (NULL) there is none.
const struct metric *metric_in_cycles(const struct benchmark_info *info,
                                      const struct result *result, const struct metric *metric);

// True if this metric counts another one of the result in cycles. It gets no row of its own.
bool metric_is_twin(const struct benchmark_info *info, const struct result *result,
                    const struct metric *metric);

// One metric of one case; ADDED, BROKEN and REFUSED concern the whole case, MISSING does unless it
// has a base_metric.
struct compare_row {
    enum compare_word word;
    const struct result *base, *now;               // NULL: not in that run
    const struct metric *base_metric, *now_metric; // NULL: of the whole case, or not in new
    struct ratio ratio;
    struct ratio cycles; // of the same work in cycles; NaN where not known
    bool suspect;        // one of the results is
    const char *text;    // why it is refused, broken, missing or unsure; NULL
};

// Of one benchmark.
struct compare_part {
    const char *benchmark;
    size_t counts[COMPARE_WORD_COUNT];
    double geometric_mean; // of base ÷ new where less is better, else new ÷ base: above 1 = faster
    size_t mean_count;     // rows in it
};

struct compare {
    const struct run *base, *now;
    double threshold;
    struct device_pairs pairs;
    struct compare_row *rows; // in the order of base, then what only new has
    size_t row_count, row_capacity;
    struct compare_part *parts;
    size_t part_count, part_capacity;
    size_t counts[COMPARE_WORD_COUNT];
};

struct compare_desc {
    double threshold; // relative; 0: 0.02
    bool across;      // other devices, versions and methods are compared as well
};

// The runs must outlive the result. ERROR_USAGE where the devices differ (unless across) or
// nothing at all is comparable: the message says what differs.
MUST_CHECK bool compare_runs(struct arena *arena, const struct run *base, const struct run *now,
                             const struct compare_desc *desc, struct compare *compare,
                             struct error *err);

// True if any case is slower or broken, so that CI can gate on it.
bool compare_regressed(const struct compare *compare);

// The case of a row for people: its key, after its device where there are several.
const char *compare_row_case(struct arena *arena, const struct compare *compare,
                             const struct compare_row *row);

// Rows of that word, the largest change first.
const struct compare_row **compare_rows_of(struct arena *arena, const struct compare *compare,
                                           enum compare_word word, size_t *count);

#endif
