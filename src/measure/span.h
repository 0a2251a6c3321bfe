// SPDX-License-Identifier: MIT
// Measures throughput: the device time of a batch of equal units of work. The number of units is
// increased until a sample lasts long enough. Then the work is repeated until the core clock has
// risen, and samples are taken. A small clock kernel before and after each sample, in the same
// batch but outside the timed span, measures the core clock.
#ifndef MEASURE_SPAN_H
#define MEASURE_SPAN_H

#include "measure/clock.h"
#include "measure/visit.h"

// Records `repeats` units of a benchmark's work into the batch, without time stamps. Called again
// whenever the number of units changes. Errors are kept in the batch.
typedef void measure_record(void *context, struct gpu_batch *batch, uint64_t repeats);

struct measure_span_desc {
    struct gpu_scope *scope;
    struct gpu_queue *queue; // queue for the work; NULL means the device's first queue
    measure_record *record;
    void *context;
    // The clocks that kernels can read; if the pointer is NULL, the core clock is not measured.
    const struct measure_clock *clock;
    const struct measure_request *request;
    bool unordered;   // true if the units of work may overlap each other
    bool draws;       // true if the units of work contain draws
    bool rays;        // true if the units of work trace rays or build trees (gpu/rays.h)
    uint64_t repeats; // number of units per sample, found by an earlier visit; 0 if not found yet
    uint64_t repeats_max; // maximum number of units per sample; 0 means 4096
    // True if an earlier measurement has warmed the device. Then one warm-up run is enough, and the
    // number of units per sample is found only once.
    bool warm;
};

// How many units of work ran. Kernels that count their work must have counted as many units
// (measure_unit_counted).
struct measure_ran {
    uint64_t units;
    bool or_more; // true: hardware counters counted the same work, in further units
};

struct measure_span {
    double *unit_ns; // unit_ns[i] is the device time in ns of one unit of work in sample i
    // core_hz[i] is the core clock of sample i, NaN if not known. The pointer is NULL if no
    // sample's clock is known.
    double *core_hz;
    double core_error; // relative error of a sample's core clock
    // The lowest and the highest core clock of all samples; 0 if not known. If the clock kernel
    // makes two stamps per workgroup, each sample has two clocks: one before it and one after it.
    double low_hz, high_hz;
    // Number of different cores on which the clock kernel ran before the first sample; 0 if kernels
    // cannot read the number of their core.
    unsigned cores_seen;
    unsigned cores_stated; // number of cores that the driver states; 0 if it states none
    size_t count;
    const struct measure_clock *clock; // measure_span_desc.clock
    // True if the device waited for the host to submit (MEASURE_HOST_BOUND) in most samples.
    bool host_bound;
    // units of work per sample; the next visit uses it as measure_span_desc.repeats
    uint64_t repeats;
    double sample_ns; // median length of a sample, in ns
    double step_ns;   // step of the time stamps, in ns per unit of work
    // Device time of all runs together, in ns: runs that find `repeats`, warm-up runs and samples.
    uint64_t device_time_ns;
    struct measure_ran ran; // the units of these runs
    // Readings of the host's clock in ns: before the first sample, and after the last one.
    uint64_t began_ns, ended_ns;
    // Hardware counters that counted the work of the samples; NULL if none were read.
    struct measure_count *counted;
};

// Warms up and takes request->samples samples (0 means one), or fewer if they are long
// (span_another). Fails with ERROR_TIMEOUT if a submission takes longer than the request's time-out
// (0 means 10 s), and with the other errors of batches. The arrays of `span` live in `arena`.
//
// If the core clock was too low (measure/pace.h) and the request has no gate, all samples are
// repeated after a lead (light work), which is divided among the submissions. If request->count is
// set, hardware counters count the work after the samples.
MUST_CHECK bool measure_span_run(struct arena *arena, const struct measure_span_desc *desc,
                                 struct measure_span *span, struct error *err);

// Adds to the visit the device time of `span`, began_ns, ended_ns and, if measured, the core clock
// (sensor "core_clock"). If span->clock is not NULL, also calls measure_stamps_note. If the stated
// number of cores is wrong (measure_span_cores_are_wrong), adds the detail "cores". May be called
// only once per visit.
void measure_span_note(const struct measure_span *span, struct measure_visit *visit);

// Adds the reason `clocks-disagree`, which makes the case suspect, if the device's time stamps
// contradict another clock (measure_clock.stamps_off). Only for visits whose samples are from time
// stamps.
void measure_stamps_note(const struct measure_clock *clock, struct measure_visit *visit);

// Returns true if the driver states a wrong number of cores: kernels ran on more cores, or on less
// than half of them, although there were two workgroups for each core.
bool measure_span_cores_are_wrong(const struct measure_span *span);

// Computes the samples and the clock step of metric number `metric` and stores them in the visit.
// The metric is a rate; `amount` is the number of bytes or operations in one unit of work.
void measure_span_rate(const struct measure_span *span, double amount, unsigned metric,
                       struct measure_visit *visit);

// ---------------------------------------------------------------- computed from times
//
// measure_span_run decides with these functions. They are public only for its tests.

struct span_size {
    double wanted_ns; // minimum length of a sample, in ns
    uint64_t repeats_max;
};

// Returns how long a sample should last in ns: asked_ns, but at least 1000 steps of the time stamps
// and at most SPAN_LONGEST_NS. With 1000 steps, a step is 0.1 % of the sample.
double span_wanted_ns(uint64_t asked_ns, double stamp_step_ns);

// Returns the number of units per sample to try next, after `repeats` units took took_ns. Returns
// `repeats` if the sample was long enough or cannot be longer. Aims at 10 % more than the wanted
// length, but returns at most 16 × `repeats`. A submission should last at most SPAN_LONGEST_NS,
// because drivers' watchdogs end longer ones (after 2 s on Windows and with some Linux drivers, 0.5
// s on phones).
uint64_t span_next_repeats(const struct span_size *size, uint64_t repeats, double took_ns);

enum {
    SPAN_LONGEST_NS = 500 * 1000 * 1000
};

// Decides when a device is warm. Equal work gets faster while the core clock rises. So a device is
// warm after calm_wanted successive runs at most 0.5 % faster than the best one before, and
// least_ns of work. It counts as warm after SPAN_WARM_MOST_NS of work.
struct span_warmth {
    double least_ns;
    // number of successive runs that must be at most 0.5 % faster than the best one; 0 means two
    unsigned calm_wanted;
    double best_ns; // length in ns of the shortest run; 0 before the first run
    double spent_ns;
    unsigned calm_runs;
};

enum {
    SPAN_WARM_MOST_NS = 300 * 1000 * 1000
};

// Adds the length of a warm-up run. Returns true if the device is warm after this run.
bool span_warm(struct span_warmth *warmth, double took_ns);

// Returns true if a visit should take another sample, after `taken` of `asked` samples (0 means
// one) lasted spent_ns together. asked_ns is the planned length of one sample (0: not planned).
// After SPAN_LONG times the planned time of all samples, SPAN_SAMPLES_LEAST samples are enough.
bool span_another(unsigned asked, uint64_t asked_ns, size_t taken, double spent_ns);

enum {
    SPAN_LONG = 4,
    SPAN_SAMPLES_LEAST = 2
};

// The words that the clock kernel wrote before and after a sample: `groups` workgroups with
// `stamps` stamps (clock readings) each.
struct span_stamps {
    const uint32_t *before, *after;
    uint32_t groups, stamps;
};

// Returns the core clock in Hz during a sample; NaN if the stamps give none.
// - One stamp per workgroup: the median over cores. Each core gives its mean clock from before to
//   after the sample, because counters of different cores are unrelated.
// - Two: the median over workgroups of the clock between both stamps.
double span_core_hz(struct arena *scratch, const struct measure_clock *clock,
                    const struct span_stamps *stamps);

#endif
