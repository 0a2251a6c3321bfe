// SPDX-License-Identifier: MIT
// How victims got onto the device beside a hog, judged from the records of both; and the series
// that a case's answers make. Uses no device.
#ifndef BENCH_PREEMPT_JUDGE_H
#define BENCH_PREEMPT_JUDGE_H

#include "bench/preempt/load.h"

enum judge_entry {
    JUDGE_ALONE,       // there was no hog before it
    JUDGE_CO_RESIDENT, // workgroups of the hog ran on while it ran
    JUDGE_MID_SHADER,  // workgroups of the hog stood still while it ran
    JUDGE_IN_TURNS,    // it was stopped itself, and the hog ran meanwhile
    JUDGE_BOUNDARY,    // between workgroups or dispatches of one submission
    JUDGE_WAITED,      // between submissions of the hog
    JUDGE_COUNT
};

const char *judge_name(enum judge_entry entry); // "co-resident"

struct judge_limits {
    double resolution_ns; // overlaps up to this length are ignored
    double pause_ns; // pauses up to this length are ignored: the hog has them without any victim
    // If pause_ns hides pauses as long as a victim, the length of the hog's submission decides
    // instead: compared with its length alone (0: not known) and with the time all victims took.
    double alone_ns;
    const struct load_run *victims;
    size_t victim_count;
};

// How `victim` got in. `hogs`: all submissions of the hog, ascending. The rules, in this order:
//   mid-shader   at least half of the hog's workgroups that were present paused for more than half
//                (JUDGE_STILL) of the victim's length; or such pauses are ignored, and the hog's
//                submission was longer than alone by half of what all victims took meanwhile
//   in turns     the victim's own pause was a quarter (JUDGE_STOPPED) of its length
//   co-resident  some workgroup of the hog was present
//   boundary     none was, but a submission began before the victim and ended after it
//   waited       none was, and a submission began before the victim
//   alone        otherwise
#define JUDGE_STILL   0.5
#define JUDGE_STOPPED 0.25
enum judge_entry judge_entry_of(const struct load_run *victim, const struct load_run *hogs,
                                size_t hog_count, const struct judge_limits *limits);

enum {
    PREEMPT_HISTORY_MAX = 16384 // samples; later ones are not kept
};

// What a case keeps over its visits.
struct preempt_history {
    struct load_shape hog, victim;
    double alone_ns, pause_alone_ns; // of the hog's submissions before any victim; 0: not measured
    size_t visits, count;
    double responses_ns[PREEMPT_HISTORY_MAX];
    size_t entries[JUDGE_COUNT];
};

void preempt_history_add(struct preempt_history *history, double response_ns,
                         enum judge_entry entry);

// Adds the series that all visits of a case make:
// "quantiles": p, response (ns), low, high (95 % interval by order statistics; NaN where the
// samples do not enclose it), samples. p is 0, 0.5, 0.9, 0.95, 1; 0.99 from 100 samples, 0.999 from
// 1000.
// "histogram": low, high (ns; equal steps of the logarithm), count.
// "entered": one row, how often a victim got in each way; the columns are judge_name's.
void preempt_series_history(struct arena *arena, const struct preempt_history *history,
                            struct measure_visit *visit);

struct preempt_scene {
    const struct load_run *victims;
    size_t victim_count;
    const struct load_run *hogs;
    size_t hog_count;
};

// "timeline": start, end (ns), lane (0: a victim, 1: a submission of the hog). A few, from the
// middle of the visit.
void preempt_series_timeline(struct arena *arena, const struct preempt_scene *scene,
                             struct measure_visit *visit);

#endif
