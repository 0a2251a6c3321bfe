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
    const char *values;    // "op=read,scope=device", without the bytes; see case_matches
    uint64_t bytes;        // 0: the case has none. A small device gets less (check_bytes)
    bool quick;            // part of a quick check
    bool at_once;          // several devices take part, so no other case is measured meanwhile
};
extern const struct check_case check_cases[];
extern const size_t check_case_count;

// Returns the case of a figure; NULL if the figure comes from none of these cases.
const struct check_case *check_case_of(enum check_metric metric);

// How people call the figure: "DRAM", "Copy to GPU 1". The text may live in `arena`.
const char *check_title(struct arena *arena, const struct check_figure *figure);

// Returns the bytes of the case on a device: of->bytes, halved while they are above 16 KiB and
// above a quarter of the memory or of the largest allocation, above half of the last cache (for
// cases of L2), or above 64 MiB (on a CPU, for all other cases).
uint64_t check_bytes(const struct check_case *of, const struct run_device *device);

// Returns the case whose figure the result gives, with its full bytes; NULL if there is none, if
// the verdict is not ok, or if the copy is within one device. The program contains such results of
// reference runs.
const struct check_case *check_wanted(const struct result *result);

// Returns the result that yields the figure of the device; NULL if there is none. `peer`: see
// struct check_figure.
const struct result *check_result(const struct run *run, const struct run_device *device,
                                  enum check_metric metric, double peer);

// Returns the result of `card`, in another run, that yields the same figure as `result` does of
// `device`; NULL if there is none. For a case between two devices, copies must take the same way; a
// peer of the same index is preferred. For a case of all devices, their number must be the same,
// too.
const struct result *check_counterpart(const struct run *run, const struct run_device *card,
                                       const struct check_case *of, const struct run_device *device,
                                       const struct result *result);

// Returns the run's device with this id; NULL if there is none, or if `id` is NULL.
const struct run_device *check_device(const struct run *run, const char *id);

// Removes from a result what expectations do not use. What stays: the metric of its case without
// the rounds, the clocks, and how copies between devices were made. Returns false, and changes
// nothing, if it was not measured or is of no case of a check.
bool check_shorten(struct arena *arena, struct result *result);

// True if the result says something about the device: it was measured on the device, or is of
// copies between devices and includes this one.
bool check_concerns(const struct result *result, const char *device);

// Returns the value of a sensor of the result; NaN if the result is NULL or lacks the sensor.
double check_sensor(const struct result *result, const char *name);

// Takes the figures of the check's device, its clocks, temperature and power from the run's
// results.
void check_take_figures(struct run *run, struct check *check);

#endif
