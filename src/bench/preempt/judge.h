// SPDX-License-Identifier: MIT
// How urgent work got in beside a hog: from what their workgroups wrote down, no device here.
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

// What cannot be told from nothing, and what can be told instead.
struct judge_limits {
    double resolution_ns; // overlaps up to this
    double pause_ns;      // pauses up to this: workgroups of the hog have them without any victim
    // Where such pauses are as long as victims, length tells: of a submission of the hog alone (0:
    // not known), and all victims, which are what may have made one longer.
    double alone_ns;
    const struct load_run *victims;
    size_t victim_count;
};

// `hogs`: all submissions of the hog, ascending. A
// workgroup stood still, or the victim was stopped, where its longest pause is at least half of
// (JUDGE_STILL) what the victim took, or a quarter of its own length (JUDGE_STOPPED). Where the
// hog's own pauses would hide that, its workgroups stood still if its submission is longer than
// alone by at least half of what all victims took meanwhile.
#define JUDGE_STILL   0.5
#define JUDGE_STOPPED 0.25
enum judge_entry judge_entry_of(const struct load_run *victim, const struct load_run *hogs,
                                size_t hog_count, const struct judge_limits *limits);

#endif
