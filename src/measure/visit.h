// SPDX-License-Identifier: MIT
// One visit of one case: the samples taken in one of the interleaved rounds. Workers make visits;
// the parent collects them (measure/collect.h) until the stop rule is content.
#ifndef MEASURE_VISIT_H
#define MEASURE_VISIT_H

#include "gpu/gpu.h"
#include "results/results.h"

enum {
    MEASURE_METRICS_MAX = 20
};

struct measure_samples {
    double *values; // in the metric's unit, in time order; NULL = this metric does not exist here
    size_t count;
    double step;  // what one step of the clock is worth in the metric's unit
    double half;  // half of the 95 % interval as the visit itself knows it; 0: from rounds alone
    double limit; // physical limit; non-finite or 0 = not known
};

struct measure_visit {
    struct arena *arena;                                 // of the case; all below lives there
    struct measure_samples metrics[MEASURE_METRICS_MAX]; // in the order of benchmark_info.metrics
    struct reason *reasons;                              // reasons to call it suspect
    size_t reason_count;
    struct named_text *details;
    size_t detail_count;
    struct named_number *sensors; // "core_clock" in Hz and more, as seen during the samples
    size_t sensor_count;
    struct series *series;
    size_t series_count;
    struct kernel_info kernel;
    uint64_t device_time_ns;     // spent measuring, for the budget
    uint64_t began_ns, ended_ns; // when the samples were taken, by the host's clock; 0: not said
};

// Where visits of several devices wait for each other: all is prepared and warm, samples come next.
struct measure_gate {
    void (*pass)(void *context); // returns when all are there
    void *context;
};

// What a visit should do.
struct measure_request {
    unsigned samples;    // wanted for the primary metric (more is welcome where they are free)
    uint64_t sample_ns;  // device time that a sample should last (2 ms), at least
    uint64_t timeout_ns; // longest wait for one submission
    unsigned round;      // 0 = first visit: size the work, pick the shape, keep both
    const struct measure_gate *gate; // NULL: nobody to wait for
};

struct measure_visit *measure_visit_create(struct arena *arena);

// The median of the finite values, which are not changed; NaN if there is none.
double measure_median(struct arena *scratch, const double *values, size_t count);

// All of these copy what they are given into the visit's arena.

// `count` samples of metric number `metric`, in time order.
void visit_samples(struct measure_visit *visit, unsigned metric, const double *values, size_t count,
                   double step);

// Of a metric that only one visit of a case takes: half of its 95 % interval.
void visit_half(struct measure_visit *visit, unsigned metric, double half);

void visit_limit(struct measure_visit *visit, unsigned metric, double limit);
void visit_flag(struct measure_visit *visit, const char *code, const char *format, ...)
    PRINTF_LIKE(3, 4);
void visit_detail(struct measure_visit *visit, const char *name, const char *format, ...)
    PRINTF_LIKE(3, 4);
void visit_sensor(struct measure_visit *visit, const char *name, enum unit unit, double value);

// Copies a series (name, columns and data) into the visit.
void visit_series(struct measure_visit *visit, const struct series *series);

// hash, source and what the driver says of the compiled code; where its assembly is understood
// (measure/isa.h), the loads of the innermost loop: their number, and as the detail "loop_loads".
void visit_kernel(struct measure_visit *visit, struct gpu_program *program);

#endif
