// SPDX-License-Identifier: MIT
// What a case of `preempt` keeps over its visits, and the series that its result carries.
#ifndef BENCH_PREEMPT_SERIES_H
#define BENCH_PREEMPT_SERIES_H

#include "bench/preempt/judge.h"

enum {
    PREEMPT_HISTORY_MAX = 16384 // samples; later ones are not kept
};

struct preempt_history {
    struct load_shape hog, victim;
    double alone_ns, pause_alone_ns; // of the hog's submissions before any victim; 0: not seen yet
    size_t visits, count;
    double responses_ns[PREEMPT_HISTORY_MAX];
    size_t entries[JUDGE_COUNT];
};

void preempt_history_add(struct preempt_history *history, double response_ns,
                         enum judge_entry entry);

// "entered": how often a victim got in each way, one row; the columns are judge_name's.
void preempt_series_entered(struct arena *arena, const struct preempt_history *history,
                            struct measure_visit *visit);

// "quantiles": p, response (ns), low, high (its 95 % interval by order statistics; NaN where they
// do not enclose it), samples. p is 0, 0.5, 0.9, 0.95, 0.99 from 100 samples on, 0.999 from 1000
// on, and 1.
void preempt_series_quantiles(struct arena *arena, const struct preempt_history *history,
                              struct measure_visit *visit);

// "histogram": low, high (ns; equal steps of the logarithm), count.
void preempt_series_histogram(struct arena *arena, const struct preempt_history *history,
                              struct measure_visit *visit);

struct preempt_scene {
    const struct load_run *victims;
    size_t victim_count;
    const struct load_run *hogs;
    size_t hog_count;
};

// "timeline": start, end (ns), lane: victims (0) and submissions of the hog (1) around the middle
// of a visit; a few.
void preempt_series_timeline(struct arena *arena, const struct preempt_scene *scene,
                             struct measure_visit *visit);

#endif
