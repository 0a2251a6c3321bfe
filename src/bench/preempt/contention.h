// SPDX-License-Identifier: MIT
// A contention run: keeps the hog in flight so that the device is never idle, submits the victim at
// fixed deadlines, and measures how long each answer takes.
#ifndef BENCH_PREEMPT_CONTENTION_H
#define BENCH_PREEMPT_CONTENTION_H

#include "bench/preempt/load.h"

enum {
    CONTENTION_ALONE = 2, // submissions of the hog before the first victim, if `alone`
    CONTENTION_SAMPLES_MAX = 256
};

#define CONTENTION_PERIOD_NS UINT64_C(11111111) // 90 Hz

struct contention_desc {
    struct load *hog; // NULL: there is none, or it runs in another process
    struct load *victim;
    uint32_t samples; // deadlines of the victim, at most CONTENTION_SAMPLES_MAX
    bool alone;       // run CONTENTION_ALONE submissions of the hog before the first victim
    double hog_ns;    // length of a submission of the hog alone; 0: not known
    double delay_ns;  // between the start and the first deadline, added to one period
};

// A deadline that passes while an earlier answer is awaited brings no answer.
struct contention {
    double response_ns[CONTENTION_SAMPLES_MAX]; // from before submission to the host seeing the end
    uint32_t count;                             // answers
    uint32_t due;                               // deadlines that came
    uint32_t met; // deadlines whose answer came before the next deadline
    // Answers whose victim was submitted more than a quarter of a period late, because submitting
    // the hog kept the host's thread busy. These waited for the host, not for the device.
    uint32_t late;
};

// When it returns true, nothing of either load is in flight.
MUST_CHECK bool contention_run(const struct contention_desc *desc, struct contention *result,
                               struct error *err);

#endif
