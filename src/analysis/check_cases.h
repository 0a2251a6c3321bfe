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
    const char *values;    // "op=read,scope=device", without the bytes
    uint64_t bytes;        // 0: the case has none. A small device gets less (check_bytes)
    bool quick;            // part of a quick check
};
extern const struct check_case check_cases[];
extern const size_t check_case_count;

// The case of a figure; NULL if it comes from none of these cases.
const struct check_case *check_case_of(enum check_metric metric);

// How people call the figure: "DRAM".
const char *check_title(enum check_metric metric);

// The bytes of the case on a device: at most a quarter of its memory; for the second level at most
// half of the last cache, where the driver states that.
uint64_t check_bytes(const struct check_case *of, const struct run_device *device);

// True if some device's check may have this case: such results of reference runs are in the
// program.
bool check_wants(const struct result *result);

// The result of the device that yields the figure; NULL if there is none.
const struct result *check_result(const struct run *run, const struct run_device *device,
                                  enum check_metric metric);

// The device of the run that has this id; NULL if there is none, or if `id` is NULL.
const struct run_device *check_device(const struct run *run, const char *id);

// The value of a sensor of the result, which may be NULL; NaN if it has none of that name.
double check_sensor(const struct result *result, const char *name);

// Takes the figures of the check's device, and its clocks and temperature, from the run's results.
void check_take_figures(struct run *run, struct check *check);

#endif
