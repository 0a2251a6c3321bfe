// SPDX-License-Identifier: MIT
// The hog and its victim side by side: feeds the one so that the device is never idle, submits the
// other on time, and gathers what both wrote down.
#ifndef BENCH_PREEMPT_DUEL_H
#define BENCH_PREEMPT_DUEL_H

#include "bench/preempt/judge.h"
#include "bench/preempt/load.h"

enum {
    DUEL_ALONE = 2, // submissions of the hog before the first victim
    DUEL_SAMPLES_MAX = 256
};

#define DUEL_PERIOD_NS UINT64_C(11111111) // 90 Hz

struct duel_desc {
    struct load *hog; // NULL: none
    struct load *victim;
    uint32_t samples; // at most DUEL_SAMPLES_MAX
};

struct duel {
    double response_ns[DUEL_SAMPLES_MAX]; // from before the submit to when the host saw the end
    uint32_t count;                       // less than asked for where time or slots ran out
    uint32_t missed;                      // of them, those that took longer than the period
};

// Both are drained when it returns true.
MUST_CHECK bool duel_run(const struct duel_desc *desc, struct duel *duel, struct error *err);

#endif
