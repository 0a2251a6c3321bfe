// SPDX-License-Identifier: MIT
// One visit of one case: the samples taken in one of the interleaved rounds. Workers make visits.
// The parent process collects them until the case needs no further visit (collect_done in
// measure/collect.h).
#ifndef MEASURE_VISIT_H
#define MEASURE_VISIT_H

#include "base/free_core.h"
#include "gpu/gpu.h"
#include "results/results.h"

enum {
    MEASURE_METRICS_MAX = 24
};

// If submitting takes the host at least this share of a sample's time, fathom assumes that the
// device waits for the host.
#define MEASURE_HOST_BOUND 0.9

struct measure_samples {
    // Samples in the metric's unit, in time order; NULL if the visit has no samples of this metric.
    double *values;
    size_t count;
    double step;   // one step of the clock that timed the samples, in the metric's unit
    double half;   // half-width of the 95 % interval if the visit computed it; else 0
    double limit;  // physical limit of the metric, in its unit; not finite or 0 if not known
    bool at_least; // true if the median is only a lower bound (visit_at_least)
    bool by_host;  // true if the samples include time of the host (visit_by_host)
};

// The core clock during a visit's samples. The worker judges it (measure/pace.h).
struct visit_clock {
    double low_hz, high_hz; // lowest and highest core clock of the samples; 0 if not known
    double error;           // relative error of the core clock of one sample
    // Number of the kind of load (measure_claim_load); 0 if not known. Visits with the same number
    // should run at the same core clock.
    uint32_t load;
    bool uses_memory; // true if the load reads or writes the device's memory
};

struct measure_visit {
    struct arena *arena; // owns the data of the other members
    // The samples of each metric, in the order of benchmark_info.metrics.
    struct measure_samples metrics[MEASURE_METRICS_MAX];
    struct reason *reasons; // reasons that make the case suspect
    size_t reason_count;
    struct reason *retakes; // reasons why the visit should be repeated
    size_t retake_count;
    struct reason *remarks; // remarks, which do not change the verdict
    size_t remark_count;
    struct named_text *details;
    size_t detail_count;
    // Values of sensors: "core_clock" in Hz, measured during the samples; values that the benchmark
    // adds; and the card's sensors, read at most 0.25 s before the end of the visit.
    struct named_number *sensors;
    size_t sensor_count;
    struct series *series;
    size_t series_count;
    struct counter *counters; // Hardware counters; none if measure_request.count is NULL.
    size_t counter_count;
    struct kernel_info kernel;
    // Device time in ns that the visit spent measuring; it counts for the case's time budget.
    uint64_t device_time_ns;
    // Host time in ns at the beginning and at the end of the samples; 0 if not known.
    uint64_t began_ns, ended_ns;
    // Host time in ns that the driver took to compile programs (measure/program.h). It does not
    // count against a benchmark's time budget.
    uint64_t compile_ns;
    struct visit_clock clock; // core clock of the samples; not sent to the parent process
};

// Lets the visits of several devices take their samples at the same time. Each visit calls `pass`
// when its device is prepared and warm.
struct measure_gate {
    void (*pass)(void *context); // waits until each device's visit has called `pass`, then returns
    void *context;
};

// Tells a visit whether to end early, because its result is not needed any more.
struct measure_leave {
    bool (*is_asked)(void *context);
    void *context;
};

// The processor core of the host on which the worker takes samples that depend on the host
// (base/free_core.h).
struct measure_core {
    struct free_core *core;
    uint64_t settled_ns; // host time in ns at which measure_attempt last looked for a free core
};

// What the caller asks of a visit.
struct measure_request {
    // Number of samples of the first metric to take (0: one). A visit may take more if they cost no
    // time, and fewer if they last much longer than sample_ns (span_another).
    unsigned samples;
    uint64_t sample_ns;  // minimum device time of a sample in ns, usually 2 ms
    uint64_t timeout_ns; // maximum wait for one submission, in ns
    // Number of earlier visits of this case, including visits that do not count as rounds. If it is
    // 0, the visit also does what a case needs only once, such as a longer warm-up.
    unsigned round;
    // True if a metric of the benchmark has no value yet in the visits that count. The visit then
    // also measures the metrics that a case needs only once.
    bool lacks_metric;
    // The gate where several devices wait for each other; NULL if only one device measures.
    const struct measure_gate *gate;
    bool any_clock;              // true if samples count at any core clock and memory clock
    struct measure_count *count; // hardware counters to read; if NULL, the visit is not counted
    // Judges the core clock; if NULL, samples are not repeated because of their clock.
    struct measure_pace *pace;
    // Tells the visit when to end early; if the pointer is NULL, the visit never ends early.
    const struct measure_leave *leave;
    // The host's core for measure_attempt; if NULL, no free core is looked for.
    struct measure_core *core;
};

// Returns true if the caller should take a sample that depends on the host:
//
//     for (unsigned attempt = 0; measure_attempt(request, attempt); attempt++)
//         take the sample;
//
// Each attempt begins on a free core of the host, if there is one (free_core_settle). A second
// attempt follows if the sample took less than 10 ms and the core was not free at its end
// (free_core_is_free). If request->core is NULL, there is one attempt on any core.
bool measure_attempt(const struct measure_request *request, unsigned attempt);

// Fails with ERROR_INTERRUPTED if the visit should end early (measure_request.leave). A visit that
// runs many pieces of work of a millisecond or more should call this function between them.
MUST_CHECK bool measure_goes_on(const struct measure_request *request, struct error *err);

struct measure_visit *measure_visit_create(struct arena *arena);

// Returns the median of the finite values, or NaN if there is none. `values` is not changed.
double measure_median(struct arena *scratch, const double *values, size_t count);

// The functions below that add something to a visit copy it into the arena of the visit.

// Sets the `count` samples of metric number `metric`, in time order. `step` is one step of the
// clock, in the metric's unit.
void visit_samples(struct measure_visit *visit, unsigned metric, const double *values, size_t count,
                   double step);

// Sets the half-width of the 95 % interval of a metric that only one visit of the case measures.
void visit_half(struct measure_visit *visit, unsigned metric, double half);

// Marks the median of a metric's samples as a lower bound: the true median may be larger. A
// benchmark does this if many of its samples are only known to be longer than some time.
void visit_at_least(struct measure_visit *visit, unsigned metric);

// Marks the samples of a metric as dependent on the host: the host's clock timed them, or the
// device waited for the host.
void visit_by_host(struct measure_visit *visit, unsigned metric);

// Sets the physical limit of a metric.
void visit_limit(struct measure_visit *visit, unsigned metric, double limit);

// Adds a reason that makes the case suspect.
void visit_flag(struct measure_visit *visit, const char *code, const char *format, ...)
    PRINTF_LIKE(3, 4);

// Adds a reason to repeat the visit, such as other work on the device. The case gets another visit
// instead. But if the case has too few visits without such a reason in the end, this visit counts,
// and the reason makes the case suspect (measure/collect.h).
void visit_retake(struct measure_visit *visit, const char *code, const char *format, ...)
    PRINTF_LIKE(3, 4);

// Adds a remark, which the result shows but which does not change its verdict.
void visit_remark(struct measure_visit *visit, const char *code, const char *format, ...)
    PRINTF_LIKE(3, 4);
void visit_detail(struct measure_visit *visit, const char *name, const char *format, ...)
    PRINTF_LIKE(3, 4);
void visit_sensor(struct measure_visit *visit, const char *name, enum unit unit, double value);

// Returns the first value of a sensor in the visit; NaN if there is none.
double visit_sensor_value(const struct measure_visit *visit, const char *name);

// Notes the core clock hz[i] during sample i (NaN if not known), with the relative error `error`.
// The median becomes the sensor "core_clock", and visit->clock gets the error and the range. From
// four known clocks on, the range leaves out the lowest and the highest, because a single reading
// may be wrong.
void visit_core_clock(struct measure_visit *visit, const double *hz, size_t count, double error);

// Adds a hardware counter. Its values are per unit of the visit's work; counter->claimed is NaN if
// the benchmark predicts no value.
void visit_counter(struct measure_visit *visit, const struct counter *counter);

// Adds a series with `rows` rows of zeros, and returns it. The caller fills in the data, and may
// lower row_count. The result is valid until the visit gets another series.
struct series *visit_series(struct measure_visit *visit, const char *name,
                            const char *const *columns, size_t column_count, size_t rows);

// Sets the kernel: its hash, its source, and what the driver reports. If measure/isa.h understands
// the assembly, also sets the number of loads in the innermost loop and adds the detail
// "loop_loads".
void visit_kernel(struct measure_visit *visit, struct gpu_program *program);

// Returns a copy of the visit in `arena`, without its members `counters`, `compile_ns` and `clock`.
struct measure_visit *visit_copy(struct arena *arena, const struct measure_visit *visit);

// Merges a visit into `kept`: adds details whose names `kept` lacks, and the kernel if it has none.
// The visit's series replace all of `kept`.
void visit_keep(struct measure_visit *kept, const struct measure_visit *visit);

#endif
