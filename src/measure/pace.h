// SPDX-License-Identifier: MIT
// The core clock that a load keeps, and what happens to samples below it. A card lowers its clock
// while it has little to do, and raises it up to some tenths of a second after work arrives. It
// also lowers its clock under load, at its power limit for example. Samples of the first kind are
// taken again after a lead: work that leaves the clock time to rise, in the same submission as the
// samples, because a card may lower its clock between two submissions. Samples of the second kind
// are what the card does under this load.
//
// Everything here is decided from numbers alone.
#ifndef MEASURE_PACE_H
#define MEASURE_PACE_H

#include "measure/visit.h"

enum {
    // Number of kinds of load that a worker remembers; it first forgets the kind seen longest ago.
    PACE_LOADS = 64,
    // After this many visits in a row at the same lower clock, the load is taken to keep that
    // clock.
    PACE_LASTING = 8,
    // This many visits in a row at the same higher clock are no error of measurement.
    PACE_HIGHER = 3,
    PACE_LEAD_FIRST_NS = 2000000, // the first lead of a visit; each further one is 4 times as long
    PACE_LEAD_MOST_NS = 64000000, // longest lead
    PACE_PATIENCE_NS = 150000000, // longest sum of a visit's leads if they do not raise the clock
    PACE_SPENT_MOST_NS = 300000000, // longest sum of a visit's leads if they raise the clock
    PACE_SPARSE_MOST_NS = 4000000,  // the longest lead of sparse work
    PACE_CALM = 64 // visits in a row without a low clock that shorten the lead of sparse work
};

// Visits in a row at the same clock, within the margin of pace_is_lower.
struct pace_row {
    double hz; // the lowest of their clocks
    unsigned visits;
};

struct pace_load {
    uint32_t load;  // as in struct visit_clock
    double kept_hz; // the highest clock that the load kept
    // The last visits, if their clock was lower (higher) than kept_hz.
    struct pace_row lower, higher;
    uint64_t last_seen; // number of the last visit with this load
};

// What a worker knows about its device's core clock. Initially all zero.
struct measure_pace {
    // True if the card says that something limits its clock at this moment. NULL: it cannot say.
    bool (*limited)(void *context);
    void *context;
    double fastest_hz;      // highest clock of the product or, if higher, of a load; 0: not known
    struct pace_row higher; // the last visits, if their clock was higher than fastest_hz
    struct pace_load loads[PACE_LOADS];
    size_t load_count;
    uint64_t visits;
    uint64_t sparse_ns; // the lead that sparse work needs
    // The longest that the leads (warm-up before a sample) of a visit may take together.
    // PACE_PATIENCE_NS at first; shorter after leads that did not raise the clock.
    uint64_t patience_ns;
    unsigned calm; // visits in a row without a low clock
    // State of the present visit.
    double *case_hz; // the clock that its case keeps; 0: not known
    double seen_hz;  // clock of the last samples
    double most_hz;  // highest clock of all samples
    uint64_t lead_ns, spent_ns;
    bool sparse;
};

// True if `hz` is lower than `than_hz` by more than the margin: RESULTS_CLOCK_STEPS, a step of the
// clock (15 MHz) or `error`, the relative error of hz, whichever is largest. False if one of them
// is unknown (0 or NaN).
bool pace_is_lower(double hz, double than_hz, double error);

// Begins a visit. *case_hz belongs to the case: 0 before its first visit, then changed only by the
// functions below.
void pace_begin(struct measure_pace *pace, double *case_hz);

// Returns how long the lead of the next samples should be, in ns; 0: no lead. `sparse`: the case's
// samples are short, so the device is idle for most of a visit. Stores `sparse` in `pace`. Returns
// 0 if `pace` is NULL.
uint64_t pace_lead_ns(struct measure_pace *pace, bool sparse);

// True if the samples, whose lowest clock was seen_hz, should be taken again after a new lead.
// False if the clock is not lower than it should be, is not known (NaN), is limited by the card, or
// cannot be raised by leads.
bool pace_again(struct measure_pace *pace, double seen_hz, double error);

enum pace_verdict {
    PACE_KEPT,  // the load keeps this clock, and no load is known to keep a higher one
    PACE_LOWER, // the load keeps this clock; other loads keep a higher one
    PACE_FELL,  // the clock changed during the samples
    PACE_LOW    // the load kept a higher clock in this run: *kept_hz
};

// Judges the clock of a visit's samples and remembers it. `hz` is the median. For load 0 (not
// known) no clock is remembered. After PACE_FELL and PACE_LOW the case's next visit tries all leads
// again.
enum pace_verdict pace_judge(struct measure_pace *pace, double hz, const struct visit_clock *clock,
                             double *kept_hz);

// Compares the visits of a case. Adds a reason to take it again, `low-clock`, to each one whose
// core clock was lower than another one's and that has no reason for a retake yet. But if the card
// limited the clock in most visits (remark `throttled`), the clocks of these visits may differ.
// Returns the number of visits that got a reason.
size_t pace_doubt(struct measure_visit *const *visits, size_t count);

#endif
