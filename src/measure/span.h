// SPDX-License-Identifier: MIT
// Throughput: device time of a batch of equal work. Sizes the work until a sample lasts long
// enough, warms up until the core clock has risen, and takes samples. A small clock kernel before
// and after each sample, in the same batch but outside the span, measures the core clock.
#ifndef MEASURE_SPAN_H
#define MEASURE_SPAN_H

#include "measure/clock.h"
#include "measure/visit.h"

// Records `repeats` units of the work between the span's begin and end. Called again whenever the
// number of repeats changes. The batch keeps errors of recording.
typedef void measure_record(void *context, struct gpu_batch *batch, uint64_t repeats);

struct measure_span_desc {
    struct gpu_scope *scope;
    struct gpu_queue *queue; // NULL: the device's first
    measure_record *record;
    void *context;
    const struct measure_clock *clock; // NULL: the core clock is not measured
    const struct measure_request *request;
    bool unordered;       // the units may overlap each other
    bool draws;           // the units contain draws
    uint64_t repeats;     // of an earlier visit; 0: find them
    uint64_t repeats_max; // 0: 4096
    bool warm;            // other work ran right before: one run warms up, sizing is done once
};

struct measure_span {
    double *unit_ns; // per sample: device time of one unit of work
    double *core_hz; // per sample: core clock, NaN if it was missed; NULL: it was never measured
    size_t count;
    uint64_t repeats;            // units a sample; for measure_span_desc of the next visit
    double sample_ns;            // median length of a sample
    double step_ns;              // of the time stamps, per unit of work
    uint64_t device_time_ns;     // spent in all, sizing and warm-up included
    uint64_t began_ns, ended_ns; // the samples, by the host's clock
};

// Takes request->samples samples after a warm-up, fewer if they are long (span_another). Its arrays
// live in `arena`. ERROR_TIMEOUT if one unit alone takes longer than the request's time-out.
MUST_CHECK bool measure_span_run(struct arena *arena, const struct measure_span_desc *desc,
                                 struct measure_span *span, struct error *err);

// Adds the span's device time to the visit's, and sets when the samples were taken. Adds the core
// clock, if it was measured, as the sensor "core_clock". For one span of a visit.
void measure_span_note(const struct measure_span *span, struct measure_visit *visit);

// Sets metric number `metric`: `amount` (the bytes or operations of one unit of work) per second,
// with its clock step.
void measure_span_rate(const struct measure_span *span, double amount, unsigned metric,
                       struct measure_visit *visit);

// measure_span_rate and measure_span_note.
void measure_span_report(const struct measure_span *span, double amount, unsigned metric,
                         struct measure_visit *visit);

// ---------------------------------------------------------------- from times alone
//
// The decisions of measure_span_run, for its tests.

struct span_size {
    double wanted_ns; // a sample should last this long
    uint64_t repeats_max;
};

// How long a sample should last: asked_ns, but at least 1000 steps of the time stamps, so that one
// step is 0.1 % at most.
double span_wanted_ns(uint64_t asked_ns, double stamp_step_ns);

// The next number of units to try, after `repeats` of them took `took_ns`; `repeats` if that is
// enough. It grows 2 to 16 times, and never to a submission of more than SPAN_LONGEST_NS: drivers'
// watchdogs end longer ones (2 s on Windows and some Linux drivers, 0.5 s on phones).
uint64_t span_next_repeats(const struct span_size *size, uint64_t repeats, double took_ns);

enum {
    SPAN_LONGEST_NS = 500 * 1000 * 1000
};

// Equal work gets faster while the core clock rises. A device is warm after at least least_ns of
// work, when calm_wanted runs in a row were not more than 0.5 % faster than the best before; or
// after SPAN_WARM_MOST_NS of work in any case.
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

// Adds a run; true if the device is warm after it.
bool span_warm(struct span_warmth *warmth, double took_ns);

// True if a visit should take another sample, after `taken` of `asked` samples that lasted spent_ns
// together. At SPAN_LONG times the planned time, SPAN_SAMPLES_LEAST samples are enough.
bool span_another(unsigned asked, uint64_t asked_ns, size_t taken, double spent_ns);

enum {
    SPAN_LONG = 4,
    SPAN_SAMPLES_LEAST = 2
};

// The words of the clock kernel before and after a span, of `groups` workgroups with `stamps` each.
struct span_stamps {
    const uint32_t *before, *after;
    uint32_t groups, stamps;
};

// The core clock. With one stamp a group: over the whole span, the median over the cores that
// stamped before and after it (counters of different cores are unrelated); NaN if there is no such
// core. With two stamps: over the wait between them, the median over all groups.
double span_core_hz(struct arena *scratch, const struct measure_clock *clock,
                    const struct span_stamps *stamps);

#endif
