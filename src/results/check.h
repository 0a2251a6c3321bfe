// SPDX-License-Identifier: MIT
// What `fathom check` says about each device of a run: a verdict, its cause, and the figures behind
// the verdict. In run files this is the member `checks`.
#ifndef RESULTS_CHECK_H
#define RESULTS_CHECK_H

#include "results/results.h"

struct json_table;

enum check_verdict {
    CHECK_HEALTHY,
    CHECK_SLOW,
    CHECK_BROKEN,
    CHECK_UNKNOWN,
    CHECK_VERDICT_COUNT
};

// Reason why a device got its verdict.
enum check_code {
    CHECK_OK,
    // The next codes are reasons for the verdict "slow".
    CHECK_MEMORY_CLOCK,
    CHECK_CORE_CLOCK,
    CHECK_POWER_LIMIT,
    CHECK_THERMAL,
    CHECK_LINK_WIDTH,
    CHECK_LINK_GENERATION,
    // Code for a device with a figure beyond its bound (check_figure.expected_low), if no other
    // cause was found.
    CHECK_BELOW_EXPECTATION,
    // The next codes are reasons for the verdict "broken".
    CHECK_WRONG_RESULTS,
    CHECK_HUNG,
    CHECK_LOST,
    CHECK_MISSING, // code for a missing device: the host has fewer devices than expected
    // The driver reports uncorrected ECC errors, a failed memory row without a spare row, or an
    // NVLink that lost its connection and was retrained.
    CHECK_ERRORS,
    // The next codes are reasons for the verdict "unknown".
    CHECK_BUSY,
    // Code if something altered the driver (gpu_device_alteration), and a figure is slow or no
    // figure has an expected value.
    CHECK_ALTERED,
    CHECK_NO_EXPECTATION,
    CHECK_NO_PERMISSION,
    CHECK_NOT_MEASURED,
    CHECK_CODE_COUNT
};

enum check_metric {
    CHECK_DRAM_READ,
    CHECK_L2_READ,
    CHECK_FP32,
    CHECK_FP64,
    CHECK_FP16,
    CHECK_MATRIX_FP16,
    CHECK_LATENCY_L1,
    CHECK_LATENCY_L2,
    CHECK_LATENCY_DRAM,
    CHECK_HOST_TO_DEVICE,
    CHECK_DEVICE_TO_HOST,
    // bandwidth of the link while the host copies to and from the device at the same time
    CHECK_LINK_BOTH,
    // bandwidth from the host to this device while the host copies to all devices
    CHECK_LINK_ALL_AT_ONCE,
    CHECK_PEER,      // bandwidth from this device to another device
    CHECK_PEER_READ, // bandwidth from another device to this device
    // bandwidth while this device copies to and from another device at the same time
    CHECK_PEER_BOTH,
    CHECK_PEER_ALL, // total bandwidth while all pairs of devices copy at the same time
    CHECK_METRIC_COUNT
};

// Returns BETTER_LOWER for a latency, else BETTER_HIGHER.
enum better check_metric_better(enum check_metric metric);

// True if the metric measures the link between the device and the host.
bool check_metric_is_host_link(enum check_metric metric);

// True if the metric measures copies between two devices. A check then has one figure for each
// other device (check_figure.peer).
bool check_metric_is_pair(enum check_metric metric);

// Source of a figure's expected value.
enum check_basis {
    CHECK_BASIS_NONE, // no source: the figure has no expected value
    CHECK_BASIS_REFERENCE,
    CHECK_BASIS_LIMIT,
    // The expected value is from runs that the user gave (--expect).
    CHECK_BASIS_OWN,
    CHECK_BASIS_COUNT
};

enum check_judgement {
    CHECK_FIGURE_OK,
    CHECK_FIGURE_SLOW,
    CHECK_FIGURE_UNKNOWN
};

// One measured number of a check, and the value expected for it. A number is not finite if it is
// not known.
struct check_figure {
    enum check_metric metric;
    enum unit unit;
    // index of the other device, for a metric between two devices (check_metric_is_pair)
    double peer;
    double value, low, high;
    // noise of the figure: standard deviation of the round medians, relative to `value`
    double noise;
    double expected;
    // Bound of the figure. If a latency is above its bound, it is slow. Any other figure is slow if
    // it is below its bound.
    double expected_low;
    size_t cards; // number of cards whose figures gave `expected`
    enum check_basis basis;
    enum check_judgement judgement;
};

// The state of the card under load. Kernels measured the core clock; the driver reported everything
// else. A number is not finite if it is not known.
struct check_state {
    double core_clock_hz, memory_clock_hz, power_w, power_limit_w, temperature_c;
    double link_width, link_width_max, link_generation, link_generation_max;
    // Increase of each error counter of the card during the check.
    double ecc_corrected, ecc_uncorrected, link_replays, nvlink_replays, nvlink_recoveries;
    // `nvlinks` is the number of the card's NVLinks, `nvlinks_active` the number of active ones.
    double nvlinks, nvlinks_active;
    double ecc_enabled; // 1 if ECC (error correction of the memory) is on, 0 if it is off
    // - remapped_rows: number of failed memory rows that spare rows replaced
    // - remap_pending: 1 if the next reset of the device will replace a row
    // - remap_failed: 1 if a row failed and no spare row was left
    // - retired_pages: number of failed memory pages on older devices, which have no spare rows
    double remapped_rows, remap_pending, remap_failed, retired_pages;
    // What limited the clock during the check, as text; NULL if not known.
    const char *throttle;
    // Version of the card's firmware (VBIOS), such as "96.00.74.00.01"; NULL if not known.
    const char *vbios;
};

struct check {
    // Id of the device; NULL if the device is missing or no API can open it.
    const char *device;
    // Number in the id of the device: 1 for "cuda:1". If `device` is NULL, index of the check in
    // the run.
    size_t index;
    const char *uuid, *pci;
    enum check_verdict verdict;
    enum check_code code;
    const char *cause; // cause of the verdict, as one sentence for people
    const char **remarks;
    size_t remark_count;
    // true: another fathom process on this host made the check, and this process copied the result
    bool shared_check;
    struct check_figure *figures;
    size_t figure_count;
    struct check_state state;
};

// check_empty and check_figure_empty return a struct whose real numbers are NaN. An empty check has
// the verdict UNKNOWN and the code NOT_MEASURED.
struct check check_empty(void);

// Returns the worst verdict of the checks; from bad to good: BROKEN, SLOW, UNKNOWN, HEALTHY.
// Returns CHECK_UNKNOWN if there is no check.
enum check_verdict check_worst(const struct check *checks, size_t count);
struct check_figure check_figure_empty(enum check_metric metric);

// Adds an empty check to the run and returns it. Adding another check may move it in memory.
struct check *run_add_check(struct run *run);

// JSON members of a check in run files (results/codec.h).
extern const struct json_table check_table;

#endif
