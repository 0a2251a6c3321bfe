// SPDX-License-Identifier: MIT
// A contention run: keeps the hog in flight so that the device is never idle, submits the victim at
// fixed deadlines, and measures the time to each answer (the host sees that the victim is done).
#ifndef BENCH_PREEMPT_CONTENTION_H
#define BENCH_PREEMPT_CONTENTION_H

#include "bench/preempt/load.h"

enum {
    CONTENTION_ALONE = 2, // submissions of the hog that finish before the first victim, if `alone`
    CONTENTION_SAMPLES_MAX = 256
};

#define CONTENTION_PERIOD_NS UINT64_C(11111111) // 90 Hz

struct contention_desc {
    struct load *hog; // NULL: there is no hog, or it runs in another process
    struct load *victim;
    uint32_t samples; // number of victim deadlines, at most CONTENTION_SAMPLES_MAX
    bool alone;       // finish CONTENTION_ALONE submissions of the hog before the first victim
    double hog_ns;    // length of a submission of the hog alone; 0: not known
    double delay_ns;  // the first deadline is one period plus delay_ns after the start
};

// While the host waits for an answer, deadlines that pass get no submission and so no answer.
struct contention {
    double response_ns[CONTENTION_SAMPLES_MAX]; // from before submission to the host seeing the end
    uint32_t count;                             // number of answers
    uint32_t due;                               // number of deadlines that came
    uint32_t met; // number of deadlines whose answer came before the next deadline
    // Number of victims that were submitted more than a quarter of a period after their deadline,
    // because submitting the hog kept the host's thread busy. They waited for the host, not for the
    // device.
    uint32_t late;
};

// Runs the contention and fills `result`. After it returns true, no submission is in flight.
MUST_CHECK bool contention_run(const struct contention_desc *desc, struct contention *result,
                               struct error *err);

#endif
