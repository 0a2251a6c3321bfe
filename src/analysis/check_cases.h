// SPDX-License-Identifier: MIT
// The cases of benchmarks that a check measures, and the figures that it takes from them.
#ifndef ANALYSIS_CHECK_CASES_H
#define ANALYSIS_CHECK_CASES_H

#include "results/check.h"

// The case that yields a figure.
struct check_case {
    enum check_metric metric;
    const char *title;     // "DRAM"
    const char *benchmark; // "bandwidth"
    const char *measured;  // metric of the benchmark
    const char *values;    // "op=read,scope=device", without the bytes (case_matches)
    uint64_t bytes;        // 0: the case has none. A small device gets less (check_bytes)
    bool quick;            // part of a quick check
    bool at_once;          // several devices take part, so no other case is measured meanwhile
};
extern const struct check_case check_cases[];
extern const size_t check_case_count;

// The case of a figure; NULL if it comes from none of these cases.
const struct check_case *check_case_of(enum check_metric metric);

// How people call the figure: "DRAM", "Copy to GPU 1". The text may live in `arena`.
const char *check_title(struct arena *arena, const struct check_figure *figure);

// The bytes of the case on a device: at most a quarter of its memory; for the second level at most
// half of the last cache, where the driver states that.
uint64_t check_bytes(const struct check_case *of, const struct run_device *device);

// The case if some device's check may have it and the result can be trusted, else NULL. Such
// results of reference runs are in the program.
const struct check_case *check_wanted(const struct result *result);

// The result of the device that yields the figure; NULL if there is none. `peer` as in struct
// check_figure.
const struct result *check_result(const struct run *run, const struct run_device *device,
                                  enum check_metric metric, double peer);

// The result of a card of another run that yields the same figure as `result` does of `device`;
// NULL if there is none. Between devices that is a pair of the card whose copies take the same way,
// if possible with the device of the same index; and all pairs of as many devices.
const struct result *check_counterpart(const struct run *run, const struct run_device *card,
                                       const struct check_case *of, const struct run_device *device,
                                       const struct result *result);

// The device of the run that has this id; NULL if there is none, or if `id` is NULL.
const struct run_device *check_device(const struct run *run, const char *id);

// Leaves of a result what an expectation is made of: the metric of its case without the rounds, the
// clocks, and how copies between devices were made. False if it was not measured, or is no case.
bool check_shorten(struct arena *arena, struct result *result);

// True if the result says something about the device: it was measured on it, or between it and
// others.
bool check_concerns(const struct result *result, const char *device);

// The value of a sensor of the result, which may be NULL; NaN if it has none of that name.
double check_sensor(const struct result *result, const char *name);

// Takes the figures of the check's device, and its clocks and temperature, from the run's results.
void check_take_figures(struct run *run, struct check *check);

#endif
