// SPDX-License-Identifier: MIT
// Decides from the records of hog and victims how each victim got onto the device, and makes the
// series of a case from response times. Uses no device.
#ifndef BENCH_PREEMPT_JUDGE_H
#define BENCH_PREEMPT_JUDGE_H

#include "bench/preempt/load.h"

enum judge_entry {
    JUDGE_ALONE,       // no submission of the hog started before the victim
    JUDGE_CO_RESIDENT, // workgroups of the hog kept running while the victim ran
    JUDGE_MID_SHADER,  // workgroups of the hog stood still while the victim ran
    JUDGE_IN_TURNS,    // the victim itself was stopped, and the hog ran meanwhile
    JUDGE_BOUNDARY, // the victim ran between workgroups or dispatches of one submission of the hog
    JUDGE_WAITED,   // the victim ran after a submission of the hog
    JUDGE_COUNT
};

const char *judge_name(enum judge_entry entry); // for example "co-resident"

struct judge_limits {
    double resolution_ns; // if two times overlap by no more than this, the overlap is ignored
    // Pauses up to this length are ignored, because the hog alone has them too.
    double pause_ns;
    // If pause_ns is more than JUDGE_STILL of a victim's length, pauses cannot show an
    // interruption. Then the length of the hog's submission decides. It is compared with alone_ns,
    // its length without a victim (0: not known), and with the time that all victims took.
    // `victims` includes the frames of an application.
    double alone_ns;
    const struct load_run *victims;
    size_t victim_count;
};

// Returns how `victim` got onto the device. `hogs` are all submissions of the hog, in time order. A
// workgroup of the hog is present if it overlaps the victim in time. The first rule that holds:
//   mid-shader   at least half of the present workgroups paused for more than half (JUDGE_STILL) of
//                the victim's length and for more than pause_ns; or a workgroup was present,
//                pause_ns is more than that half, alone_ns is known, and the hog's submission was
//                longer than alone_ns by at least half of the time that all victims took during it
//   in turns     a workgroup was present, and the victim itself paused for at least a quarter
//                (JUDGE_STOPPED) of its length
//   co-resident  a workgroup was present
//   boundary     a submission of the hog started before the victim and ended after it
//   waited       a submission of the hog started before the victim
//   alone        none of these
#define JUDGE_STILL   0.5
#define JUDGE_STOPPED 0.25
enum judge_entry judge_entry_of(const struct load_run *victim, const struct load_run *hogs,
                                size_t hog_count, const struct judge_limits *limits);

enum {
    PREEMPT_HISTORY_MAX = 16384 // most responses; later ones are not kept
};

// What the benchmark keeps over all visits of a case.
struct preempt_history {
    struct load_work hog, victim, application;
    // Median length, and longest pause, of the hog's submissions without a victim; 0: not measured.
    double alone_ns, pause_alone_ns;
    size_t visits, count; // numbers of visits and of responses
    double responses_ns[PREEMPT_HISTORY_MAX];
    bool censored[PREEMPT_HISTORY_MAX]; // true: the response is longer than its responses_ns
    // Number of independent events behind the responses. Answers that waited for the same
    // submission of the hog are one event.
    size_t events;
    size_t entries[JUDGE_COUNT]; // number of victims, by how they got onto the device
};

// Adds one response time, or its lower bound; does nothing if the history is full.
void preempt_history_add(struct preempt_history *history, double response_ns, bool censored);

// Responses in ascending order.
struct preempt_responses {
    const double *ns;
    const double *longest_ns; // as `ns`, but DBL_MAX for each censored response
    size_t count;
};

// Sorts copies in `arena`. censored[i] means that response i is longer than ns[i].
struct preempt_responses preempt_responses_sort(struct arena *arena, const double *ns,
                                                const bool *censored, size_t count);

// Quantile `p`, from 0 to 1; NaN if there are no responses. If at_least is true, `ns` is a lower
// bound, because the quantile is a response that is only known to be longer.
struct preempt_quantile {
    double ns;
    bool at_least;
};
struct preempt_quantile preempt_quantile_of(const struct preempt_responses *responses, double p);

// Adds to `visit` the series over all visits of a case:
// "quantiles": p, response (ns), low, high (95 % interval by order statistics of the events; NaN if
// there are too few for a bound), samples, at_least (1: the response is a lower bound). p is 0, 0.5
// and 1; also 0.9 from 100 samples on, 0.95 from 300, 0.99 from 1000, 0.999 from 10000.
// "histogram": low, high (ns; bins of equal width in the logarithm), count. Left out if there is no
// response.
// "entered", one row: the number of victims that got in each way; judge_name names the columns.
void preempt_series_history(struct arena *arena, const struct preempt_history *history,
                            struct measure_visit *visit);

struct preempt_scene {
    const struct load_run *victims;
    size_t victim_count;
    const struct load_run *hogs;
    size_t hog_count;
    const struct load_run *frames; // frames of the application
    size_t frame_count;
};

// Adds the series "timeline": start, end (ns), lane (0: a victim, 1: a submission of the hog, 2: a
// frame of the application). It shows a few victims from the middle of the visit, with hog and
// application around them. Left out if there was no victim.
void preempt_series_timeline(struct arena *arena, const struct preempt_scene *scene,
                             struct measure_visit *visit);

#endif
