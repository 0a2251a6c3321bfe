// SPDX-License-Identifier: MIT
// Throughput: device time of a batch of equal work. Sizes the work until a sample lasts long
// enough, warms up until the core clock has risen, takes samples, and tells the core clock during
// them from a small clock kernel before and after each, in the same batch but outside the span.
// The decisions stand in measure/span_plan.h.
#ifndef MEASURE_SPAN_H
#define MEASURE_SPAN_H

#include "measure/clock.h"
#include "measure/visit.h"

// Records `repeats` units of the work between the span's begin and end. Called anew whenever the
// sizing changes its mind; recording errors stick to the batch.
typedef void measure_record(void *context, struct gpu_batch *batch, uint64_t repeats);

struct measure_span_desc {
    struct gpu_scope *scope;
    struct gpu_queue *queue; // NULL: the device's first
    measure_record *record;
    void *context;
    const struct measure_clock *clock; // NULL: not wanted, or the queue runs no kernels
    const struct measure_request *request;
    bool unordered;       // the units may overlap each other
    bool draws;           // they are draws, or hold some
    uint64_t repeats;     // 0: find out; else what an earlier visit found
    uint64_t repeats_max; // 0: 4096
    bool warm;            // other work ran right before: one run warms up, sizing is done once
};

struct measure_span {
    double *unit_ns; // per sample: device time of one unit of work
    double *core_hz; // per sample: core clock seen, NaN where it was missed; NULL: not to be had
    size_t count;
    uint64_t repeats;            // units a sample; keep for the next visit
    double sample_ns;            // median length of a sample
    double step_ns;              // of the time stamps, per unit of work
    uint64_t device_time_ns;     // spent in all, sizing and warm-up included
    uint64_t began_ns, ended_ns; // the samples, by the host's clock
};

// request->samples samples (after warm-up), fewer where they are long (span_another), in arrays of
// `arena`. ERROR_TIMEOUT where one unit alone
// outlasts the request's time-out.
MUST_CHECK bool measure_span_run(struct arena *arena, const struct measure_span_desc *desc,
                                 struct measure_span *span, struct error *err);

// Adds the span's device time to the visit's, and notes when the samples were taken and, where it
// was seen, the core clock (the sensor "core_clock"). Once a visit.
void measure_span_note(const struct measure_span *span, struct measure_visit *visit);

// Metric number `metric` = `amount` (bytes, operations: done by one unit of work) per second, with
// its clock step.
void measure_span_rate(const struct measure_span *span, double amount, unsigned metric,
                       struct measure_visit *visit);

// Both of them.
void measure_span_report(const struct measure_span *span, double amount, unsigned metric,
                         struct measure_visit *visit);

#endif
