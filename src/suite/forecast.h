// SPDX-License-Identifier: MIT
// Estimates how long the remaining cases of a plan will take. Each benchmark is one part of the
// forecast. The expected time of a case is its number of visits, times the duration of a visit,
// times the benchmark's slowness. The expected number of visits is the mean of rounds_min and
// rounds_max if rounds_max ≤ 2 × rounds_min; otherwise it is rounds_min. A visit takes the time of
// its samples plus 12 ms (measured on an H200). On a CPU device, it takes 25 ms in all (measured
// with llvmpipe). Measured durations gradually replace the expected ones.
#ifndef SUITE_FORECAST_H
#define SUITE_FORECAST_H

#include "suite/budget.h"
#include "suite/plan.h"

enum {
    // For this many seconds at the beginning there is no estimate, because it would be poor.
    FORECAST_SILENT_S = 3
};

struct forecast_part {
    size_t cases;
    double case_s;  // expected duration of a case, in seconds
    double most_s;  // maximum seconds for all cases together; 0 means no limit
    double done;    // number of finished cases; an unfinished case counts as a fraction
    double spent_s; // seconds that the part took so far
};

struct forecast {
    struct forecast_part *parts;
    // index of the part that is being measured (`at`); equals `count` before the first part
    size_t count, at;
    // Time when the forecast began, and time of the last call of forecast_note.
    uint64_t start_ns, now_ns;
    // Expected seconds for the plans of other devices that are measured later.
    double later_s;
};

// Sets a part of the forecast: `cases` cases of the benchmark on this device. If the device lacks a
// capability that the benchmark needs, the part takes no time.
void forecast_plan(struct forecast *forecast, size_t part, const struct benchmark *benchmark,
                   size_t cases, const struct gpu_info *device, const struct budget *budget);

// Tells the forecast that `done` cases of the part `part` are finished. The time since the last
// call is added to the part that the last call named. If the last call named another part, this
// other part is now finished.
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

// Updates the forecast while a block of `benchmark` is visited. The block took `taken` cases from
// the plan, and `work` of these are done; an unfinished case counts as a fraction. Returns the
// number of all cases of the benchmark in the plan, or 0 if the plan grows.
size_t forecast_work(struct forecast *forecast, const struct plan *plan,
                     const struct benchmark *benchmark, size_t taken, double work);

#endif
