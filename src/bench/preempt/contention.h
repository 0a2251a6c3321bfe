// SPDX-License-Identifier: MIT
// A contention run: keeps the hog in flight so that the device is never idle, submits the victim at
// fixed deadlines, and measures the time to each answer (the host sees that the victim is done).
// Beside the victim an application may submit frames at deadlines of its own.
//
// Deadlines do not wait for answers: each actor has a thread of its own, and up to
// CONTENTION_PENDING_MAX victims are in flight. If a deadline were left out while an answer is
// awaited, the deadlines that wait longest would be missing from the result (coordinated omission,
// Gil Tene, "How NOT to Measure Latency", 2013).
#ifndef BENCH_PREEMPT_CONTENTION_H
#define BENCH_PREEMPT_CONTENTION_H

#include "bench/preempt/load.h"

#include <stdatomic.h>

enum {
    CONTENTION_ALONE = 2, // submissions of the hog that finish before the first victim, if `alone`
    CONTENTION_SAMPLES_MAX = LOAD_BATCHES_MAX,
    CONTENTION_PENDING_MAX = 32
};

#define CONTENTION_PERIOD_NS UINT64_C(11111111) // 90 Hz
// The application's deadlines come this long before those of the victim, so that the victim comes
// in the middle of a frame.
#define CONTENTION_LEAD_NS (CONTENTION_PERIOD_NS / 4)
// How long answers are awaited after the last deadline: as long as four submissions of a hog last.
// On an H200, behind a hog that cannot be interrupted, an answer took as long as two.
#define CONTENTION_PATIENCE_NS UINT64_C(400000000)

struct contention_desc {
    struct load *hog;    // NULL: there is no hog, or it runs in another process
    struct load *victim; // `samples` submissions are recorded, or none if it drops deadlines
    // `samples` frames are recorded. NULL: there is no application, or it runs in another process.
    struct load *application;
    uint32_t samples; // number of victim deadlines, at most CONTENTION_SAMPLES_MAX
    bool alone;       // finish CONTENTION_ALONE submissions of the hog before the first victim
    bool drops;       // deadlines that pass while an answer is awaited get no victim, and no answer
    double hog_ns;    // length of a submission of the hog alone; 0: not known
    double delay_ns;  // the first deadline is one period plus delay_ns after the start
};

struct contention_answer {
    // From the deadline to the host seeing the end. If the run drops deadlines: from before the
    // submission.
    double response_ns;
    uint32_t victim; // number of the submission, of the victim or of the application
    // The answer takes longer than response_ns: the victim was not done when the run ended; or the
    // deadline found CONTENTION_PENDING_MAX victims in flight, and got none of its own. Its answer
    // would have come after that of the newest one, which is `victim`.
    bool censored;
};

struct contention {
    struct contention_answer answers[CONTENTION_SAMPLES_MAX];
    uint32_t count;    // number of answers, censored ones included
    uint32_t due;      // number of deadlines that came
    uint32_t met;      // number of deadlines whose answer came before the next deadline
    uint32_t answered; // number of victims that were done when the run ended: the first ones
    // Number of victims that were submitted more than a quarter of a period after their deadline,
    // because the host was busy. They waited for the host, not for the device.
    uint32_t late;
};

// The first deadlines of a run, by clock_now_ns.
struct contention_start {
    uint64_t victim_ns, application_ns;
};

// Starts the hog, and sets when the first deadlines come. contention_run must follow at once.
MUST_CHECK bool contention_start(const struct contention_desc *desc, struct contention_start *start,
                                 struct error *err);

// Runs the contention and fills `victim`, and `application` if desc->application is given. After it
// returns true, no submission of desc->hog is in flight. Submissions of victim and application that
// were not answered still are, because they may wait for a hog in another process.
MUST_CHECK bool contention_run(const struct contention_desc *desc,
                               const struct contention_start *start, struct contention *victim,
                               struct contention *application, struct error *err);

// Returns how many new frames a display at 90 Hz shows per second. Of several answers between two
// deadlines it shows one; it shows no censored answer. `result` must come from a run that drops no
// deadlines. NaN if no deadline came.
double contention_frames(const struct contention *result);

// Returns how long after the next deadline the answer came, in ns; 0 if it came before that
// deadline.
double contention_lateness_ns(const struct contention_answer *answer);

// One actor's side of a run that drops no deadlines: what the thread of victim or application does.
struct contention_arrivals {
    struct load *load;
    uint32_t samples;
    uint64_t first_ns;    // time of the first deadline, by clock_now_ns
    uint64_t patience_ns; // how long answers are awaited after the last deadline
    atomic_bool stop;     // set by another thread: no more deadlines, and no more waiting
    atomic_bool over;     // set at the end: the hog is not needed any more
};

// Submits the load at each deadline and awaits the answers. The submissions are recorded before.
MUST_CHECK bool contention_arrive(struct contention_arrivals *arrivals, struct contention *result,
                                  struct error *err);

#endif
