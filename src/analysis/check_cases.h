// SPDX-License-Identifier: MIT
// Declares the cases that a check measures, and how the check gets its figures from the results.
#ifndef ANALYSIS_CHECK_CASES_H
#define ANALYSIS_CHECK_CASES_H

#include "results/check.h"

// A case that a check measures. It gives one of the check's figures.
struct check_case {
    enum check_metric metric;
    const char *title;     // name of the figure on screens: "DRAM read"
    const char *benchmark; // name of the benchmark: "bandwidth"
    const char *measured;  // name of the benchmark's metric whose value becomes the figure
    // Conditions (case_matches) for the case's parameters, except for the parameter `bytes`.
    const char *values;
    // Full value of the case's parameter `bytes`; 0 if the case has no such parameter. On a small
    // device, checks use a smaller value, which check_bytes computes.
    uint64_t bytes;
    bool quick; // true if quick checks measure the case, too
    // True if the case uses several devices at once. No other case may run at the same time.
    bool at_once;
};
extern const struct check_case check_cases[];
extern const size_t check_case_count;

// Returns the case that gives a check's figure of the kind `metric`; NULL if no case gives it.
const struct check_case *check_case_of(enum check_metric metric);

// Returns the unit in which screens show a figure that has the unit `unit`. Operations per second
// become floating-point operations per second, because checks count no other operations.
enum unit check_unit(enum unit unit);

// Returns the name of the figure on screens: "DRAM read", "Copy to GPU 1". The text may live in
// `arena`.
const char *check_title(struct arena *arena, const struct check_figure *figure);

// Returns the value of the parameter `bytes` with which a check measures the case on a device. This
// is of->bytes, halved until it is at most 16 KiB or exceeds none of these limits:
// - a quarter of the memory, and a quarter of the largest allocation
// - in cases of the L2: half of the last cache
// - in other cases on a CPU: 64 MiB
uint64_t check_bytes(const struct check_case *of, const struct run_device *device);

// Returns the case of checks that this result measured with the full value of `bytes`. Returns NULL
// if there is none, if the verdict is not ok, or if a device copied to itself.
const struct check_case *check_wanted(const struct result *result);

// Returns the run's first result that gives the device's figure of the kind `metric`; NULL if there
// is none. For copies between two devices, `peer` is the index of the other device.
const struct result *check_result(const struct run *run, const struct run_device *device,
                                  enum check_metric metric, double peer);

// Returns the reason that excuses a low figure of the device: the host was busy, or something
// altered the driver. Returns NULL if the figure's result has no such reason.
const struct reason *check_excuse(const struct run *run, const struct run_device *device,
                                  const struct check_figure *figure);

// Returns the result of `run` on `card` that can be compared with `result`, a result of `device`
// from another run. Returns NULL if there is none. Copies between devices must have been made in
// the same way, and those between all devices with the same number of devices. Of copies between
// two devices, those with the same index of the other device are preferred.
const struct result *check_counterpart(const struct run *run, const struct run_device *card,
                                       const struct check_case *of, const struct run_device *device,
                                       const struct result *result);

// Removes from a result what no later check needs. Keeps the metric that checks use (without its
// rounds), the clocks, and how copies between devices were made. Returns false and changes nothing
// if no check can use the result.
bool check_shorten(struct arena *arena, struct result *result);

// Returns true if the result says something about the device. A result of copies between devices
// says something about each of them. Any other result is about the device that measured it.
bool check_concerns(const struct result *result, const char *device);

// Returns the value of a sensor of the result; NaN if the result is NULL or lacks the sensor.
double check_sensor(const struct result *result, const char *name);

// Sets the figures of the check, and the clocks, temperature and power in its state. They come from
// the run's results of the check's device.
void check_take_figures(struct run *run, struct check *check);

#endif
