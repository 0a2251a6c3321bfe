// SPDX-License-Identifier: MIT
// Decides how each victim (urgent work) got onto the device beside the hog (work that keeps the
// device busy), from the records of both. Makes the series of a case. Uses no device.
#ifndef BENCH_PREEMPT_JUDGE_H
#define BENCH_PREEMPT_JUDGE_H

#include "bench/preempt/load.h"

enum judge_entry {
    // no submission of the hog started before the victim, and no workgroup of the hog overlapped it
    JUDGE_ALONE,
    // the victim ran at the same time as workgroups of the hog, which kept running
    JUDGE_CO_RESIDENT,
    JUDGE_MID_SHADER, // the victim ran while workgroups of the hog stood still
    JUDGE_IN_TURNS,   // the victim stood still for a time, beside workgroups of the hog
    JUDGE_BOUNDARY, // the victim ran between workgroups or dispatches of one submission of the hog
    JUDGE_WAITED,   // the victim ran after a submission of the hog
    JUDGE_COUNT
};

// names of the members of enum judge_entry for texts, such as "co-resident"
extern const char *const judge_names[JUDGE_COUNT];

struct judge_limits {
    // An overlap with a workgroup of the hog is ignored up to this length in ns, at the start and
    // at the end of a victim.
    double resolution_ns;
    // A pause of a workgroup of the hog is ignored if it lasts at most this many ns, because such
    // pauses also occur without a victim.
    double pause_ns;
    // If a victim is shorter than pause_ns ÷ JUDGE_STILL, pauses cannot show whether it interrupted
    // the hog. Then the hog's submission is compared with alone_ns, its length in ns without
    // victims (0 if not known). `victims` has all victims, and all frames of an application.
    double alone_ns;
    const struct load_run *victims;
    size_t victim_count;
};

// Returns how `victim` got onto the device. `hogs` are all submissions of the hog, in time order. A
// workgroup of the hog is present if it overlaps the victim in time (see resolution_ns). The first
// rule that is true gives the result:
//   mid-shader   at least half of the present workgroups paused for more than half (JUDGE_STILL) of
//                the victim's length and for more than pause_ns. Or, if the victim is too short for
//                this test (struct judge_limits): a workgroup was present, alone_ns is known, and
//                the hog's submission was longer than alone_ns by at least half of the time that
//                all victims took during it
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
    PREEMPT_HISTORY_MAX = 16384 // maximum number of responses of a case; later ones are not kept
};

// What the benchmark keeps over all visits of a case.
struct preempt_history {
    struct load_work hog, victim, application;
    // alone_ns: median length of the hog's submissions without a victim. pause_alone_ns: longest
    // pause in these submissions. Both are in ns, and 0 until they are measured.
    double alone_ns, pause_alone_ns;
    size_t visits, count; // `count` is the number of kept responses
    double responses_ns[PREEMPT_HISTORY_MAX];
    bool censored[PREEMPT_HISTORY_MAX]; // true if the response took longer than responses_ns says
    // Number of independent events that caused the responses. All responses that waited for the
    // same submission of the hog are one event. Without a hog, each response is an event.
    size_t events;
    // entries[e] is the number of victims that got onto the device in way e (enum judge_entry).
    size_t entries[JUDGE_COUNT];
};

// Adds one response time, or its lower bound; does nothing if the history is full.
void preempt_history_add(struct preempt_history *history, double response_ns, bool censored);

// Response times in ns, in ascending order. A response is censored if only a lower bound of it is
// known.
struct preempt_responses {
    const double *ns; // a censored response counts as its lower bound
    // The same responses, but with DBL_MAX for each censored one. This array is sorted separately,
    // so longest_ns[i] and ns[i] may belong to different responses.
    const double *longest_ns;
    size_t count;
};

// Returns a sorted copy of response times in `arena`. censored[i] means that response i took longer
// than ns[i].
struct preempt_responses preempt_responses_sort(struct arena *arena, const double *ns,
                                                const bool *censored, size_t count);

// preempt_quantile_of returns quantile `p` (0 to 1) of response times in ns; NaN if there are no
// response times. at_least is true if the quantile is only a lower bound, because of censored
// responses.
struct preempt_quantile {
    double ns;
    bool at_least;
};
struct preempt_quantile preempt_quantile_of(const struct preempt_responses *responses, double p);

// Adds to `visit` three series over all visits of a case.
//
// "quantiles" has a row for each quantile p: p, response (ns), low and high (its 95 % interval by
// order statistics of the events; NaN for p = 0 and 1, and for an unknown bound), samples, at_least
// (1 if the response is a lower bound). There are rows for p = 0, 0.5 and 1 from 1 sample on, 0.9
// from 100, 0.95 from 300, 0.99 from 1000, 0.999 from 10000.
//
// "histogram" has a row for each bin: low, high (ns; bins of equal width in the logarithm), count.
// It is left out if there are no responses.
//
// "entered" has one row with a column for each way in judge_names: the number of victims that got
// onto the device in this way.
void preempt_series_history(struct arena *scratch, const struct preempt_history *history,
                            struct measure_visit *visit);

enum {
    PREEMPT_LANES = 3 // victims, submissions of the hog, frames of the application
};
struct preempt_lane {
    const struct load_run *runs;
    size_t count;
};

// Adds the series "timeline" with the columns start, end (ns) and lane, an index of `lanes`. The
// series shows a few victims from the middle of the visit, and what ran around them. Adds nothing
// if no victim was answered.
void preempt_series_timeline(const struct preempt_lane lanes[PREEMPT_LANES],
                             struct measure_visit *visit);

#endif
