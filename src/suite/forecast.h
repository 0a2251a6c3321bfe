// SPDX-License-Identifier: MIT
// Estimates how long the remaining cases of a plan will take. Each benchmark is one part of the
// forecast. A case is expected to take budget.rounds_min visits. If rounds_max ≤ 2 × rounds_min, it
// is expected to take the mean of the two. A visit is expected to take the time of its samples plus
// 12 ms (measured on an H200). On a CPU device, a visit is expected to take 25 ms in all (measured
// with llvmpipe). The time of a case is multiplied by the benchmark's slowness. As cases are
// visited, their measured durations gradually replace the expected one.
#ifndef SUITE_FORECAST_H
#define SUITE_FORECAST_H

#include "suite/budget.h"
#include "suite/plan.h"

enum {
    // During these first seconds there is no estimate, because it would be poor.
    FORECAST_SILENT_S = 3
};

struct forecast_part {
    size_t cases;
    double case_s;  // expected duration of a case, in seconds
    double most_s;  // maximum duration of all cases, in seconds; 0 means no limit
    double done;    // number of finished cases; an unfinished case counts as a fraction
    double spent_s; // seconds spent on the cases in `done`
};

struct forecast {
    struct forecast_part *parts;
    // `at`: index of the part that is measured at present; equal to `count` before the first part.
    size_t count, at;
    // Time when the forecast began, and time when forecast_note was last called.
    uint64_t start_ns, now_ns;
    // Expected seconds for the plans of other devices, which are measured later.
    double later_s;
};

// Sets a part of the forecast: `cases` cases of the benchmark on this device. If the device lacks
// what the benchmark needs, the part takes no time.
void forecast_plan(struct forecast *forecast, size_t part, const struct benchmark *benchmark,
                   size_t cases, const struct gpu_info *device, const struct budget *budget);

// Tells the forecast that part number `part` is measured at present and that `done` of its cases
// are finished. Adds the time since the last call of forecast_note to the part of that call. If
// `part` is another part, the part of that call counts as finished.
void forecast_note(struct forecast *forecast, size_t part, double done, uint64_t now_ns);

// Returns the estimated seconds until all parts and later plans are done. Returns NaN during the
// first FORECAST_SILENT_S seconds.
double forecast_left_s(const struct forecast *forecast);

// Returns the forecast of a plan: one part per benchmark, in the order of `benchmarks`. The cases
// of a plan that grows are not known, so they are not in the forecast.
struct forecast forecast_of_plan(struct arena *arena, const struct plan *plan,
                                 const struct gpu_info *device, const struct budget *budget);

// Adds to `forecast` the time of the plan of another device that is measured later.
void forecast_add_later(struct forecast *forecast, const struct forecast *later);

// Updates the forecast of a plan while the cases of a block are visited; all belong to `benchmark`.
// `taken` is the number of cases that this block took from the plan. `work` is the number of these
// cases that are done; an unfinished case counts as a fraction. Returns the number of all cases of
// the benchmark in the plan, or 0 if the plan grows.
size_t forecast_work(struct forecast *forecast, const struct plan *plan,
                     const struct benchmark *benchmark, size_t taken, double work);

#endif
