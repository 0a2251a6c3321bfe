// SPDX-License-Identifier: MIT
// The decisions of measure/span.h, judged from times alone: no device here.
#ifndef MEASURE_SPAN_PLAN_H
#define MEASURE_SPAN_PLAN_H

#include "base/arena.h"
#include "measure/clock.h"
#include "measure/clock_kernel.h"

// ---------------------------------------------------------------- sizing

struct span_size {
    double wanted_ns; // a sample should last this long
    uint64_t repeats_max;
};

// How long a sample should last: what was asked for, but never less than 1000 steps of the time
// stamps, so that one step is 0.1 % at most.
double span_wanted_ns(uint64_t asked_ns, double stamp_step_ns);

// The next number of units to try, after `repeats` of them took `took_ns`; `repeats` itself where
// it is enough. Grows 2 … 16 times a step and never to a submission of more than SPAN_LONGEST_NS,
// after which drivers' watchdogs come near (2 s on Windows and some Linux drivers, 0.5 s on
// phones).
uint64_t span_next_repeats(const struct span_size *size, uint64_t repeats, double took_ns);

enum {
    SPAN_LONGEST_NS = 500 * 1000 * 1000
};

// ---------------------------------------------------------------- warm-up

// Equal work gets faster while the core clock rises. Warm is: at least least_ns of work done and
// so many runs in a row that are not faster than the best by more than 0.5 %; or SPAN_WARM_MOST_NS
// of work, whatever happens.
struct span_warmth {
    double least_ns;
    unsigned calm_wanted; // 0: two
    double best_ns;       // 0 = none yet
    double spent_ns;
    unsigned calm_runs;
};

enum {
    SPAN_WARM_MOST_NS = 300 * 1000 * 1000
};

// Notes a run; true when it was warm after it.
bool span_warm(struct span_warmth *warmth, double took_ns);

// ---------------------------------------------------------------- how many samples

// Whether a visit that was asked for so many samples takes another one after `taken`, which lasted
// spent_ns together: long samples bring less than the time they take, so that beyond SPAN_LONG
// times what was asked for two are enough.
bool span_another(unsigned asked, uint64_t asked_ns, size_t taken, double spent_ns);

enum {
    SPAN_LONG = 4,
    SPAN_SAMPLES_LEAST = 2
};

// ---------------------------------------------------------------- core clock

// What the clock kernel left before and after a span, `groups` workgroups of `stamps` each.
struct span_stamps {
    const uint32_t *before, *after;
    uint32_t groups, stamps;
};

// The core clock: with one stamp a group, over the whole span, as the median over the cores that
// stamped before and after it (counters of different cores have nothing to do with each other).
// With two, over the wait between them, as the median over all groups. NaN where no core did both.
double span_core_hz(struct arena *scratch, const struct measure_clock *clock,
                    const struct span_stamps *stamps);

#endif
