// SPDX-License-Identifier: MIT
// Compares two runs: finds the cases that are faster, slower or undecided.
//
// Cases are paired by device (analysis/pairing.h) and key. Two results are comparable only if the
// version of the benchmark and the METHOD values are equal. For each metric the ratio new ÷ base
// has the interval [new.low ÷ base.high, new.high ÷ base.low]. This interval is right whenever both
// 95 % intervals are right. If the two have equal widths, it is √2 times as wide as the 95 %
// interval of a ratio. So well under 1 % of the pairs without a difference are called changed,
// however noisy they are (tests/unit/test_compare.c).
//
// If a metric's interval reaches 0 or below, the ratio has no interval. Then the intervals of the
// two values are compared. The values differ if the gap between these intervals is more than t (the
// threshold) times the upper end of the lower interval.
//
//   same      The interval lies within 1/(1+t) … 1+t, or both values are 0.
//   faster,   The whole interval lies outside of that range.
//   slower
//   card      Healthy cards differ as much: the devices are different cards of one model (their
//             UUIDs differ), and the change does not surely exceed card_spread_of. That is the
//             limit for 95 % of a benchmark's figures. Changes up to three times this limit (in
//             logarithms) are called card, too, if they are at most 5 % of the benchmark's figures.
//             This does not hold for cases that the card (analysis/card.h) of either run shows.
//   clock     Time and cycles of the same work disagree: the core clock changed, not the work. If
//             the cycles are unsure, the intervals of both ratios must not overlap. Two cards of
//             one model also get this word if the time differs by more than card_spread_of, but
//             the cycles do not.
//   other     The metric rose or fell, but neither direction is better.
//   unsure    The interval contains a limit of the range. Or there is no interval, and the values
//             do not differ by the rule above. Or a value is only a lower bound (metric.at_least).
//   missing   A case, a metric (in this unit) or a device that was measured in base only.
//   added     A case or a device that was measured in new only.
//   broken    A case that was measured in base and failed in new.
//   refused   The versions or METHOD values differ.
//
// A metric that is a part of another one (metric_info.part_of) is same, faster or slower relative
// to that other metric. For example, the host's call is a part of the 3 µs that a kernel takes. If
// the call takes 13 ns more, this is no change, even if the call then takes five times as long.
#ifndef ANALYSIS_COMPARE_H
#define ANALYSIS_COMPARE_H

#include "analysis/pairing.h"
#include "results/results.h"

#define COMPARE_WORDS(X)                                                                           \
    X(SAME, "same")                                                                                \
    X(FASTER, "faster")                                                                            \
    X(SLOWER, "slower")                                                                            \
    X(CARD, "card")                                                                                \
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
    // Ratio new ÷ base, and the ends of its interval. An unknown number is NaN.
    double value, low, high;
};

// Returns the ratio new ÷ base of a metric with its interval. The value is NaN if a median is not
// known or if the median of base is 0. The ends of the interval are NaN if the interval of a median
// is not known or reaches 0 or below. If `base` or `now` is NULL, all three are NaN.
struct ratio ratio_of(const struct metric *base, const struct metric *now);

// Returns the metric of `result` that measures the same work in core cycles
// (metric_info.cycles_of); NULL if the result has none. `info` describes the result's benchmark; if
// it is NULL, the function returns NULL.
const struct metric *metric_in_cycles(const struct benchmark_info *info,
                                      const struct result *result, const struct metric *metric);

// Returns true if this metric measures in cycles, and another metric of the result measures the
// same work in time. A comparison then has no row for the cycles.
bool metric_is_twin(const struct benchmark_info *info, const struct result *result,
                    const struct metric *metric);

// How much the figures of one benchmark with this unit differ between two healthy cards of one
// model. tools/results.py computes the table in analysis/spread.c from the runs in reference/.
struct card_spread {
    const char *benchmark;
    enum unit unit;
    double most; // 95 % of the figures differ by at most this share (0.05: 5 %)
};
extern const struct card_spread card_spreads[];
extern const size_t card_spread_count;

// Returns the relative difference between two healthy cards of one model that 95 % of a benchmark's
// figures with this unit do not exceed. It is at least RESULTS_CLOCK_STEPS. If too few cards were
// measured for a row of the table, returns the table's largest value.
double card_spread_of(const char *benchmark, enum unit unit);

// A row of a comparison: one metric of one case in both runs. A row with the word ADDED, BROKEN or
// REFUSED is about a whole case. So is a row with the word MISSING and no base_metric.
struct compare_row {
    enum compare_word word;
    // Results of the case in base and in new; NULL if the run has none.
    const struct result *base, *now;
    // The metric in base and in new. Both are NULL if the row is about a whole case. If new has no
    // value of the metric in the same unit, now_metric is NULL.
    const struct metric *base_metric, *now_metric;
    struct ratio ratio;
    // Ratio new ÷ base of the metric that measures the same work in cycles; NaN if unknown. Without
    // a now_metric, both ratios are not set.
    struct ratio cycles;
    bool suspect; // true if now_metric is set and a result of the row has the verdict suspect
    // true if the metric is a part of another one; the geometric mean then leaves the row out
    bool is_part;
    // True if chance may explain the row's change between two healthy cards of one model. The row's
    // word would be faster, slower or other, but the change, in time or in cycles, is at most 3
    // times card_spread_of (in logarithms). A case that the card (analysis/card.h) of either run
    // shows is never an outlier.
    bool is_outlier;
    // Why the row has the word refused, broken, missing, added or unsure; may be NULL.
    const char *text;
};

// Summary of all rows that belong to one benchmark.
struct compare_part {
    const char *benchmark;
    size_t counts[COMPARE_WORD_COUNT];
    // Geometric mean of the speed ratios: base ÷ new where lower is better, new ÷ base where higher
    // is better. A mean above 1 says that new is faster.
    double geometric_mean;
    // number of rows that the geometric mean includes; with 0 rows the mean is NaN
    size_t mean_count;
};

struct compare {
    const struct run *base, *now;
    double threshold;
    bool strict;
    struct device_pairs pairs;
    // The rows of each pair of devices are together: first the cases of base in their order, then
    // the cases that only new has (word ADDED). Devices without a partner come last.
    struct compare_row *rows;
    size_t row_count, row_capacity;
    struct compare_part *parts;
    size_t part_count, part_capacity;
    size_t counts[COMPARE_WORD_COUNT];
    size_t suspect_slower; // number of rows with the word SLOWER of which a result is suspect
};

struct compare_desc {
    double threshold; // smallest relative difference that counts as a change; 0 means 0.02
    // true if results are compared even if devices, versions or values of METHOD parameters differ
    bool across;
    bool strict; // true if compare_regressed also counts slower cases that are suspect
};

// Fills `compare`; both runs must outlive it. Fails with ERROR_USAGE if a run has no device, if the
// devices differ (unless `across` is set) or if no case is comparable; the message says what
// differs.
MUST_CHECK bool compare_runs(struct arena *arena, const struct run *base, const struct run *now,
                             const struct compare_desc *desc, struct compare *compare,
                             struct error *err);

// Gives the word "card" to the outliers (compare_row.is_outlier) between two cards of one model. If
// more than 5 % of a benchmark's figures are outliers, they keep their words, because chance does
// not explain so many. The rows of the pair of cards begin at index `first`.
void compare_excuse_outliers(struct arena *arena, struct compare *compare,
                             const struct device_pair *pair, size_t first);

// Returns true if the two devices of a pair are different cards of one model: name and API are
// equal, both UUIDs are known, and they differ.
bool compare_other_card(const struct device_pair *pair);

// Returns true if any case is slower or broken in new; `fathom compare` then exits with a failure,
// for use in CI. A suspect result may differ for a reason that is not the code under test, such as
// other work on the device. So a row with such a result counts only if compare_desc.strict was set.
bool compare_regressed(const struct compare *compare);

// Returns the case of a row as a text for people: the case key. If a run has several devices, the
// device's id comes before the key.
const char *compare_row_case(struct arena *arena, const struct compare *compare,
                             const struct compare_row *row);

// Returns the rows whose member `word` equals the argument `word`, in `arena`. They are sorted: the
// row with the largest change comes first. Sets *count to their number.
const struct compare_row **compare_rows_of(struct arena *arena, const struct compare *compare,
                                           enum compare_word word, size_t *count);

#endif
