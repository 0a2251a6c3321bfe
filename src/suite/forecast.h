// SPDX-License-Identifier: MIT
// Estimates how long the cases of a plan still take. A benchmark is one part of the forecast. While
// its cases are visited, its own pace counts. Before, its cases are expected to take
// budget.rounds_min visits (if rounds_max is near: the mean of both) of the usual time, 12 ms and
// the time of the samples (on a CPU 25 ms), times the benchmark's slowness. Both are rounded
// figures of an H200 and of llvmpipe.
#ifndef SUITE_FORECAST_H
#define SUITE_FORECAST_H

#include "suite/budget.h"
#include "suite/plan.h"

enum {
    FORECAST_SILENT_S = 3 // no estimate earlier: it would be poor
};

struct forecast_part {
    size_t cases;
    double case_s;  // expected duration of a case
    double most_s;  // limit for the time of the part; 0: none
    double done;    // number of finished cases; a case at work counts in part
    double spent_s; // time spent on these cases
};

struct forecast {
    struct forecast_part *parts;
    size_t count, at;          // `at`: the part at work; equal to `count`: none yet
    uint64_t start_ns, now_ns; // when the first part began; time of the last note
    double later_s;            // time of what comes after all parts: other devices
};

// Plans a part with `cases` cases of the benchmark. They take no time if the device lacks what the
// benchmark needs.
void forecast_plan(struct forecast *forecast, size_t part, const struct benchmark *benchmark,
                   size_t cases, const struct gpu_info *device, const struct budget *budget);

// Notes that `done` cases of a part are done, and that this part is now at work. The time since the
// last note counts for the part of that note; if it is another part, that part is finished.
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

// Notes the work on the benchmark whose cases are visited now: `taken` of its cases were taken from
// the plan together, and the work done on them is worth `work` whole cases. Returns the number of
// all cases of the benchmark.
size_t forecast_work(struct forecast *forecast, const struct plan *plan,
                     const struct benchmark *benchmark, size_t taken, double work);

#endif
