// SPDX-License-Identifier: MIT
// The cases of benchmarks that a check measures, and the figures that it takes from them.
#ifndef ANALYSIS_CHECK_CASES_H
#define ANALYSIS_CHECK_CASES_H

#include "results/check.h"

// The case of a benchmark from which a check takes one of its figures.
struct check_case {
    enum check_metric metric;
    const char *title;     // name of the figure on screens: "DRAM"
    const char *benchmark; // name of the benchmark: "bandwidth"
    const char *measured;  // name of the benchmark's metric that gives the figure
    // Values that the parameters of the case must have, except `bytes` (conditions for
    // case_matches).
    const char *values;
    // Value of the parameter `bytes`, which check_bytes reduces for a small device; 0: the case has
    // no such parameter.
    uint64_t bytes;
    bool quick; // true: quick checks include the case
    // True: the case uses several devices at once, so no other case may be measured meanwhile.
    bool at_once;
};
extern const struct check_case check_cases[];
extern const size_t check_case_count;

// Returns the case from which a check takes the figure `metric`; NULL if no case gives that figure.
const struct check_case *check_case_of(enum check_metric metric);

// Returns the name of the figure on screens: "DRAM", "Copy to GPU 1". The text may live in `arena`.
const char *check_title(struct arena *arena, const struct check_figure *figure);

// Returns the value of the parameter `bytes` with which a check measures the case on a device:
// of->bytes, halved until it is small enough, but not below 16 KiB. Small enough means at most a
// quarter of the memory and of the largest allocation; for cases of L2 also at most half of the
// last cache; for all other cases on a CPU also at most 64 MiB.
uint64_t check_bytes(const struct check_case *of, const struct run_device *device);

// Returns the case of a check that the result has measured, with the full size (check_case.bytes).
// NULL if there is none, if the verdict is not ok, or if the result is of a copy within one device.
// The program embeds those results of reference runs for which a case is returned.
const struct check_case *check_wanted(const struct result *result);

// Returns the result of the run from which the figure `metric` of the device comes; NULL if there
// is none. `peer` is as in struct check_figure.
const struct result *check_result(const struct run *run, const struct run_device *device,
                                  enum check_metric metric, double peer);

// Returns the result of `run` that gives a figure of `card`, if `result` of another run gives the
// same figure of `device`. NULL if there is none. For copies between devices, both results must
// have been made the same way, and a peer with the same index is preferred. For copies between all
// devices, the number of devices must be the same, too.
const struct result *check_counterpart(const struct run *run, const struct run_device *card,
                                       const struct check_case *of, const struct run_device *device,
                                       const struct result *result);

// Returns the run's device with this id; NULL if the run has none or `id` is NULL.
const struct run_device *check_device(const struct run *run, const char *id);

// Removes from a result what a later check does not need for a comparison. The result keeps the
// metric that checks use (without the rounds), the clocks, and how copies between devices were
// made. Returns false and changes nothing if the result was not measured, or if no check measures
// its case.
bool check_shorten(struct arena *arena, struct result *result);

// Returns true if the result tells something about the device: the device measured it, or took part
// in its copies between devices.
bool check_concerns(const struct result *result, const char *device);

// Returns the value of a sensor of the result; NaN if the result is NULL or lacks the sensor.
double check_sensor(const struct result *result, const char *name);

// Sets the figures, clocks, temperature and power of the check, from the run's results of the
// check's device.
void check_take_figures(struct run *run, struct check *check);

#endif
