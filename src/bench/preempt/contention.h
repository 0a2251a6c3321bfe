// SPDX-License-Identifier: MIT
// A contention run submits the victim (urgent work) at fixed deadlines, while the hog (other work)
// keeps the device busy. It measures the time to each answer: the moment at which the host sees
// that the victim is done. An application may submit frames too, at deadlines of its own.
//
// Unless contention_desc.drops is set, deadlines do not wait for answers. Victim and application
// each have a thread, with up to CONTENTION_PENDING_MAX submissions in flight. If deadlines were
// dropped while an answer is late, the longest responses would be missing in the result
// (coordinated omission, Gil Tene, "How NOT to Measure Latency", 2013).
#ifndef BENCH_PREEMPT_CONTENTION_H
#define BENCH_PREEMPT_CONTENTION_H

#include "bench/preempt/load.h"

#include <stdatomic.h>

enum {
    // Number of submissions of the hog that end before the first victim, if contention_desc.alone
    // is true.
    CONTENTION_ALONE = 2,
    CONTENTION_SAMPLES_MAX = LOAD_BATCHES_MAX,
    CONTENTION_PENDING_MAX = 32
};

// Time in ns between two deadlines of an actor: the length of a frame at 90 Hz.
#define CONTENTION_PERIOD_NS UINT64_C(11111111)
// Time in ns by which the application's deadlines are earlier than the victim's. So the victim
// comes in the middle of a frame of 5 ms.
#define CONTENTION_LEAD_NS (CONTENTION_PERIOD_NS / 4)
// Longest time in ns for which the host waits for late answers. This time begins one period after
// the last deadline. It is as long as four submissions of a hog of 100 ms. On an H200, an answer
// behind a hog that cannot be interrupted took as long as two submissions.
#define CONTENTION_PATIENCE_NS UINT64_C(400000000)

struct contention_desc {
    struct load *hog; // load of the hog; NULL if there is no hog, or it runs in another process
    // Load of the victim. Before contention_run, the caller must record `samples` submissions of
    // this load or, if `drops` is true, no submission.
    struct load *victim;
    // Load of the application; NULL if there is none, or if another process submits the frames.
    // Before contention_run, the caller must record `samples` frames of this load.
    struct load *application;
    uint32_t samples; // number of deadlines of the victim, at most CONTENTION_SAMPLES_MAX
    bool alone;       // true if CONTENTION_ALONE submissions of the hog end before the first victim
    // True: no victim is submitted for a deadline that passes while the host waits for an answer.
    bool drops;
    double hog_ns;   // length in ns of a submission of the hog without victims; 0 if not known
    double delay_ns; // the victim's first deadline is one period + delay_ns after contention_start
};

struct contention_answer {
    // Response time in ns, until the host sees that the submission is done. It begins at the
    // deadline or, if the run drops deadlines, just before the submission.
    double response_ns;
    uint32_t victim; // number of the answered submission; each actor's submissions count from 0
    // True if response_ns is only a lower bound. Either the submission was not done when the run
    // ended. Or nothing was submitted, because CONTENTION_PENDING_MAX submissions were in flight.
    // `victim` is then the newest submission in flight, because a further submission would have
    // been answered later.
    bool censored;
};

struct contention {
    struct contention_answer answers[CONTENTION_SAMPLES_MAX];
    uint32_t count; // number of elements of `answers`, including the censored answers
    uint32_t due;   // number of deadlines that passed
    uint32_t met;   // number of deadlines answered by the next deadline
    // Number of submissions that were done when the run ended. Submissions are done in order, so
    // these are the actor's submissions 0 to answered − 1.
    uint32_t answered;
    // Number of submissions that a busy host made more than a quarter of a period after their
    // deadline. Unless the run drops deadlines, part of their response time passed in the host.
    uint32_t late;
};

// Times of the first deadlines of a run, by clock_now_ns.
struct contention_start {
    uint64_t victim_ns, application_ns;
};

// Starts the hog and, if desc->alone is true, waits for its first CONTENTION_ALONE submissions.
// Then sets the times of the first deadlines. Call contention_run right after it.
MUST_CHECK bool contention_start(const struct contention_desc *desc, struct contention_start *start,
                                 struct error *err);

// Submits victims at their deadlines and keeps the hog busy. If desc->application is set and
// desc->drops is not, also submits frames of the application at their deadlines. Fills `victim` and
// `application` with the results. When the function returns true, no submission of desc->hog is in
// flight. Unanswered victims and frames may be in flight, because they may wait for a hog in
// another process.
MUST_CHECK bool contention_run(const struct contention_desc *desc,
                               const struct contention_start *start, struct contention *victim,
                               struct contention *application, struct error *err);

// Returns the number of new frames per second that a display at 90 Hz shows; NaN if no deadline
// passed. Of several answers between two deadlines, the display shows one. It shows no answer that
// is censored or later than one period after the last deadline. `result` must come from a run that
// drops no deadlines.
double contention_frames(const struct contention *result);

// Returns the time in ns from the next deadline, one period after the answer's own deadline, to the
// answer; 0 if the answer came before the next deadline. The run must drop no deadlines.
double contention_lateness_ns(const struct contention_answer *answer);

// The state of a thread that submits victims, or frames of the application, and drops no deadlines.
struct contention_arrivals {
    struct load *load;
    uint32_t samples;
    uint64_t first_ns; // time of the first deadline, by clock_now_ns
    // Time in ns to wait for late answers. The time begins one period after the last deadline.
    uint64_t patience_ns;
    // Another thread sets this flag to end this thread, which then submits nothing more.
    atomic_bool stop;
    // This thread sets this flag when it ends and no longer needs the hog.
    atomic_bool over;
};

// Submits arrivals->load at each deadline, unless CONTENTION_PENDING_MAX submissions are in flight,
// and waits for the answers, at most arrivals->patience_ns. All `samples` submissions must be
// recorded, and *result all zeros.
MUST_CHECK bool contention_arrive(struct contention_arrivals *arrivals, struct contention *result,
                                  struct error *err);

#endif
