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
    FORECAST_SILENT_S = 3 // no estimate before: it would not be good
};

struct forecast_part {
    size_t cases;
    double case_s;  // expected duration of a case
    double most_s;  // most time of the part; 0: no limit
    double done;    // number of cases done; a case in work counts in part
    double spent_s; // time spent on them
};

struct forecast {
    struct forecast_part *parts;
    size_t count, at;          // `at`: the part that is at work; `count`: none yet
    uint64_t start_ns, now_ns; // when the first part began; time of the last note
    double later_s;            // time of what follows all parts: other devices
};

// Makes a part of `cases` cases of the benchmark. They take no time if the device lacks what the
// benchmark needs.
void forecast_plan(struct forecast *forecast, size_t part, const struct benchmark *benchmark,
                   size_t cases, const struct gpu_info *device, const struct budget *budget);

// Notes that `done` cases of a part are done, and that the part is at work from now on. The time
// since the last note belongs to the part of that note, which is done if it is another one.
void forecast_note(struct forecast *forecast, size_t part, double done, uint64_t now_ns);

// The estimate of the time until all is done. NaN during the first FORECAST_SILENT_S.
double forecast_left_s(const struct forecast *forecast);

// A forecast of a plan from now on: one part per benchmark, in the order of `benchmarks`. A plan
// that grows has no cases in the forecast.
struct forecast forecast_of_plan(struct arena *arena, const struct plan *plan,
                                 const struct gpu_info *device, const struct budget *budget);

// Adds the time of a plan that is to follow, of another device.
void forecast_add_later(struct forecast *forecast, const struct forecast *later);

// Notes the work on the benchmark whose cases are visited now: `taken` of its cases were taken from
// the plan together, and the work on them is worth `work` whole cases. Returns the number of all
// cases of the benchmark.
size_t forecast_work(struct forecast *forecast, const struct plan *plan,
                     const struct benchmark *benchmark, size_t taken, double work);

#endif
