// SPDX-License-Identifier: MIT Decides whether samples had the right core clock, and whether a
// visit repeats them. A card lowers its clock while it has little to do. When work arrives, the
// card needs up to some tenths of a second to raise the clock again. Samples at a low clock are
// repeated after a lead: light work that gives the clock time to rise. The lead is part of the
// samples' submission, because a card may lower its clock between two submissions. A card also
// lowers its clock under load, for example at its power limit. These samples are not repeated,
// because under this load the card is not faster.
//
// All functions decide from numbers alone, without a device.
#ifndef MEASURE_PACE_H
#define MEASURE_PACE_H

#include "measure/visit.h"

enum {
    // Number of kinds of load (struct pace_load) that a worker process remembers. If there are
    // more, it forgets the kind whose last visit is longest ago.
    PACE_LOADS = 64,
    // Number of successive visits at the same core clock, below the normal one, after which this
    // lower clock becomes the normal one of the kind of load.
    PACE_LASTING = 8,
    // Number of successive visits at the same core clock, above the highest known one, after which
    // the higher clock is taken as real and not as a measurement error.
    PACE_HIGHER = 3,
    // Length in ns of the first lead in a visit. A lead is light work before the samples, during
    // which the core clock can rise. Each further lead is 4 times as long as the one before.
    PACE_LEAD_FIRST_NS = 2000000,
    PACE_LEAD_MOST_NS = 64000000, // maximum length of a lead
    // A visit whose core clock stays low stops after leads of this total length: PACE_SPENT_MOST_NS
    // if the last lead raised the clock, else patience_ns, which is at most PACE_PATIENCE_NS.
    PACE_PATIENCE_NS = 150000000,
    PACE_SPENT_MOST_NS = 300000000,
    PACE_SPARSE_MOST_NS = 4000000, // maximum lead with which visits with sparse work begin
    // Work is sparse if samples are short and the device is idle between them. The lead of visits
    // with sparse work gets shorter after this many successive visits that needed no further lead.
    PACE_CALM = 64
};

// A core clock up to this share above the stated clock (stated_hz) counts as the stated clock.
// During one run, an H100 of 1980 MHz ran at 1980 to 2040 MHz; without the margin, 798 of 1,958
// results had a remark, and each visit lost time to leads.
#define PACE_STATED_MARGIN 0.05

// A row of successive visits at the same core clock, within the margin of pace_is_lower.
struct pace_row {
    double hz; // lowest core clock of the visits in the row
    unsigned visits;
};

struct pace_load {
    uint32_t load; // number of the kind of load, as in struct visit_clock
    // Normal core clock of this kind of load. It starts at the clock of the first visit. After
    // PACE_HIGHER successive visits at the same higher clock, it is the lowest of their clocks.
    // After PACE_LASTING visits at the same lower clock, it is the last of their clocks.
    double kept_hz;
    // The most recent successive visits at the same clock below kept_hz, and above it.
    struct pace_row lower, higher;
    uint64_t last_seen; // number of the last visit with this kind of load
};

// What a worker process has learned about the core clock of its device. The caller sets all members
// to 0 at first, except limited, context, stated_hz and fastest_hz.
struct measure_pace {
    // Returns true if the card reports that something has limited its clock since about the
    // beginning of the visit. If the pointer is NULL, the clock counts as not limited.
    bool (*limited)(void *context);
    void *context;
    // Highest core clock that the driver or data sheet states (measure_limits.core_clock_hz); 0 if
    // not known. Up to PACE_STATED_MARGIN above it, a measured clock counts as the stated one.
    double stated_hz;
    // The highest known core clock: stated_hz, or a higher one that a load had; 0 if not known.
    double fastest_hz;
    // the most recent visits in a row with the same core clock above fastest_hz
    struct pace_row higher;
    struct pace_load loads[PACE_LOADS];
    size_t load_count;
    uint64_t visits;
    uint64_t sparse_ns; // minimum lead in ns of a visit with sparse work (see pace_lead_ns)
    // If leads do not raise the core clock, a visit stops after leads of this total length. It is
    // PACE_PATIENCE_NS at first, and half as long after each visit that stopped; leads that raised
    // the clock enough, PACE_FELL and PACE_LOW set it to PACE_PATIENCE_NS again.
    uint64_t patience_ns;
    // Successive visits with sparse work that needed no lead beyond sparse_ns. Starts from 0 again
    // at PACE_CALM.
    unsigned calm;
    // The members below belong to the present visit.
    double *case_hz; // low core clock that the present case accepted (pace_begin); 0 if none
    double seen_hz;  // seen_hz of the last call of pace_again in this visit; 0 before it
    double most_hz;  // highest seen_hz in this visit so far
    uint64_t lead_ns, spent_ns;
    bool sparse;
};

// Returns true if the core clock `hz` is below `than_hz` by more than a margin. The margin is the
// largest of RESULTS_CLOCK_STEPS × than_hz, `error` × than_hz, and 15 MHz (a step of the clock).
// `error` is the relative error of hz. Returns false if a clock is unknown (0 or NaN).
bool pace_is_lower(double hz, double than_hz, double error);

// Begins a visit. *case_hz is the core clock that an earlier visit of the case accepted although it
// was low, because leads did not raise the clock or the card limited it; 0 if no visit did. The
// caller sets *case_hz to 0 before the first visit of a case. Later, only the functions of
// measure/pace.h change it.
void pace_begin(struct measure_pace *pace, double *case_hz);

// Returns the length in ns of the lead (light work before the samples); 0 if no lead is needed or
// `pace` is NULL. `sparse` says that the samples are too short to keep the device busy; `pace`
// stores it.
uint64_t pace_lead_ns(struct measure_pace *pace, bool sparse);

// Returns true if a visit should repeat its samples after a new lead: seen_hz, their lowest core
// clock with the relative error `error`, was too low. Returns false if the clock is not known
// (NaN), the card limits it, leads have not raised it enough, or `pace` is NULL.
bool pace_again(struct measure_pace *pace, double seen_hz, double error);

enum pace_verdict {
    // the clock is normal, not below the highest known clock (pace_is_lower), or it is not known
    PACE_KEPT,
    // the clock is below the highest known clock, but not too low for this kind of load
    PACE_LOWER,
    // the clock changed during the samples
    PACE_FELL,
    // the clock is too low: this kind of load had a higher clock earlier in the run (*kept_hz)
    PACE_LOW
};

// Judges `hz`, the median core clock of a visit's samples. For a known kind of load (not 0), unless
// the result is PACE_FELL, sets *kept_hz to the normal clock that the kind had until now. Then
// learns from `hz`. After PACE_FELL or PACE_LOW, the case's next visit tries all leads again.
enum pace_verdict pace_judge(struct measure_pace *pace, double hz, const struct visit_clock *clock,
                             double *kept_hz);

// Gives the reason `low-clock` to visits whose core clock was lower than another visit's
// (pace_is_lower), if they have no reason to be repeated yet. Returns their number. If the card
// limited more than half of the visits (remark `throttled`), ignores the limited ones.
size_t pace_flag_low(struct measure_visit *const *visits, size_t count);

#endif
