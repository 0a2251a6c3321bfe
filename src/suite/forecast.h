// SPDX-License-Identifier: MIT
// Estimates how long the cases of a plan still take. A benchmark is one part of the forecast. A
// case is expected to take budget.rounds_min visits (if rounds_max ≤ 2 × rounds_min: the mean of
// both). A visit is expected to take 12 ms and the time of its samples, or 25 ms on a CPU device,
// times the benchmark's slowness; 12 ms was measured on an H200, 25 ms with llvmpipe. While the
// cases are visited, their measured durations gradually replace the expected one.
#ifndef SUITE_FORECAST_H
#define SUITE_FORECAST_H

#include "suite/budget.h"
#include "suite/plan.h"

enum {
    FORECAST_SILENT_S = 3 // no estimate in the first seconds: it would be poor
};

struct forecast_part {
    size_t cases;
    double case_s;  // expected duration of a case
    double most_s;  // limit for the time of the part; 0: none
    double done;    // number of finished cases; an unfinished case counts as a fraction
    double spent_s; // time spent on these cases
};

struct forecast {
    struct forecast_part *parts;
    size_t count, at;          // `at`: the part that is measured now; `count`: none yet
    uint64_t start_ns, now_ns; // start of the forecast; time of the last forecast_note
    double later_s;            // expected time of other devices' plans, which run afterwards
};

// Plans a part with `cases` cases of the benchmark. They take no time if the device lacks what the
// benchmark needs.
void forecast_plan(struct forecast *forecast, size_t part, const struct benchmark *benchmark,
                   size_t cases, const struct gpu_info *device, const struct budget *budget);

// Notes that `done` cases of `part` are done, and that this part is measured now. The time since
// the last call counts for the part of the last call. If that is another part, it is finished.
void forecast_note(struct forecast *forecast, size_t part, double done, uint64_t now_ns);

// Returns the estimated time in seconds until everything is done. NaN during the first
// FORECAST_SILENT_S.
double forecast_left_s(const struct forecast *forecast);

// Returns a forecast of a plan: one part per benchmark, in the order of `benchmarks`. A plan that
// grows has no cases in the forecast.
struct forecast forecast_of_plan(struct arena *arena, const struct plan *plan,
                                 const struct gpu_info *device, const struct budget *budget);

// Adds the time of a plan that will run later, on another device.
void forecast_add_later(struct forecast *forecast, const struct forecast *later);

// Calls forecast_note for the benchmark whose cases are visited now. The block has `taken` of its
// cases, and the work done on these is worth `work` whole cases. Returns the number of all cases of
// the benchmark.
size_t forecast_work(struct forecast *forecast, const struct plan *plan,
                     const struct benchmark *benchmark, size_t taken, double work);

#endif
