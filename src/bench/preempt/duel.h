// SPDX-License-Identifier: MIT
// The hog and its victim side by side: feeds the one so that the device is never idle, submits the
// other on time, and gathers what both wrote down.
#ifndef BENCH_PREEMPT_DUEL_H
#define BENCH_PREEMPT_DUEL_H

#include "bench/preempt/judge.h"
#include "bench/preempt/load.h"

enum {
    DUEL_ALONE = 2, // submissions of the hog alone, where they are wanted
    DUEL_SAMPLES_MAX = 256
};

#define DUEL_PERIOD_NS UINT64_C(11111111) // 90 Hz

struct duel_desc {
    struct load *hog; // NULL: none, or in another process
    struct load *victim;
    uint32_t samples; // deadlines of the victim, at most DUEL_SAMPLES_MAX
    bool alone;       // the hog's first submissions come before the first victim
    double hog_ns;    // length of a submission of the hog alone; 0: not known
    double delay_ns;  // from there to the first deadline, beyond a period
};

// A deadline that passes while an earlier answer is still awaited brings none.
struct duel {
    double response_ns[DUEL_SAMPLES_MAX]; // from before the submit to when the host saw the end
    uint32_t count;                       // answers
    uint32_t due;                         // deadlines that came
    uint32_t met;                         // of them, those answered before the next one came
    // Answers whose victim the host submitted more than a quarter of a period too late, because
    // submitting the hog had held its thread: what waited there was the host, not the device.
    uint32_t late;
};

// Both are drained when it returns true.
MUST_CHECK bool duel_run(const struct duel_desc *desc, struct duel *duel, struct error *err);

#endif
