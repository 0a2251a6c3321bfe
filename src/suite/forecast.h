// SPDX-License-Identifier: MIT
// Estimates how long the cases of a plan still take. A benchmark is one part of the forecast. While
// its cases are visited, its own pace counts. Before, its cases are expected to take
// COLLECT_ROUNDS_MIN visits of the usual time: 20 ms and twice the time of the samples, on a CPU
// 40 ms. (An H200's standard run took 30 ms a visit, 8 ms of which are samples; llvmpipe's quick
// run 38 ms, 2 ms of which are samples.)
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

// Sets the number of cases of a part. Its visits take `slowness` times the usual time; 0: 1.
void forecast_plan(struct forecast *forecast, size_t part, size_t cases,
                   const struct gpu_info *device, const struct budget *budget, unsigned slowness);

// Notes that `done` cases of a part are done, and that the part is at work from now on. The time
// since the last note belongs to the part of that note, which is done if it is another one.
void forecast_note(struct forecast *forecast, size_t part, double done, uint64_t now_ns);

// The estimate of the time until all is done. NaN during the first FORECAST_SILENT_S.
double forecast_left_s(const struct forecast *forecast);

// A forecast of a plan from now on: one part per benchmark, in the order of `benchmarks`. A plan
// that does not know its cases has none in the forecast.
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
