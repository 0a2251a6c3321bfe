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

// Code of a result's reason: something altered the driver. CHECK_ALTERED has this name, too.
#define REASON_ALTERED "altered"

// Code of the reason why a device got its verdict. CHECK_OK is the code of the verdict "healthy".
enum check_code {
    CHECK_OK,
    // The next codes are reasons for the verdict "slow".
    CHECK_MEMORY_CLOCK,
    CHECK_CORE_CLOCK,
    CHECK_POWER_LIMIT,
    CHECK_THERMAL,
    CHECK_LINK_WIDTH,
    CHECK_LINK_GENERATION,
    // a figure is worse than its bound (check_figure.expected_low), and no other cause of "slow"
    // was found
    CHECK_BELOW_EXPECTATION,
    // The next codes are reasons for the verdict "broken".
    CHECK_WRONG_RESULTS,
    CHECK_HUNG,
    CHECK_LOST,
    CHECK_MISSING, // the host has fewer devices than expected, and this device is missing
    // The driver reports uncorrected ECC errors, a failed memory row without a spare row, or an
    // NVLink that lost its connection and was retrained.
    CHECK_ERRORS,
    // The next codes are reasons for the verdict "unknown".
    CHECK_BUSY,
    CHECK_ALTERED, // something altered the driver (gpu_device_alteration), and a figure is low
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
    CHECK_LINK_BOTH,        // bandwidth of copies from and to the host at the same time
    CHECK_LINK_ALL_AT_ONCE, // bandwidth of this device while the host copies to all devices
    CHECK_PEER,             // bandwidth of a copy from this device to one other device
    CHECK_PEER_READ,        // bandwidth of a copy from one other device to this device
    CHECK_PEER_BOTH,        // bandwidth of copies to and from one other device at the same time
    CHECK_PEER_ALL, // total bandwidth of copies between all pairs of devices at the same time
    CHECK_METRIC_COUNT
};

// Says which values of a metric are better: BETTER_LOWER for latencies, BETTER_HIGHER for all other
// metrics.
enum better check_metric_better(enum check_metric metric);

// True if the metric measures the link between the device and the host.
bool check_metric_is_host_link(enum check_metric metric);

// True if a check has a figure of this metric for each other device (check_figure.peer).
bool check_metric_is_pair(enum check_metric metric);

// Where the expected value of a figure of a check comes from.
enum check_basis {
    CHECK_BASIS_NONE, // the figure has no expected value
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

// A figure of a check: one measured number, with what was expected. Numbers that are not known are
// not finite.
struct check_figure {
    enum check_metric metric;
    enum unit unit;
    double peer; // index of the other device, if check_metric_is_pair(metric)
    double value, low, high;
    double noise; // standard deviation of the medians of the rounds, relative to `value`
    double expected;
    // Bound for the verdict "slow": a bandwidth or rate is slow below it, a latency above it.
    double expected_low;
    size_t cards; // number of cards from which `expected` was computed
    enum check_basis basis;
    enum check_judgement judgement;
};

// The state of the card under load: the core clock as kernels measured it, everything else as the
// driver reported it. Numbers that are not known are not finite.
struct check_state {
    double core_clock_hz, memory_clock_hz, power_w, power_limit_w, temperature_c;
    double link_width, link_width_max, link_generation, link_generation_max;
    // Error counters of the card: by how much each of them increased during the check.
    double ecc_corrected, ecc_uncorrected, link_replays, nvlink_replays, nvlink_recoveries;
    // number of the card's NVLink links, and number of those that are active
    double nvlinks, nvlinks_active;
    double ecc_enabled; // 1 if ECC (error correction of the memory) is on, 0 if it is off
    // remapped_rows: number of memory rows that failed and were replaced by spare rows.
    // remap_pending: 1 if a row will be replaced at the next reset of the device. remap_failed: 1
    // if no spare row was left. retired_pages: number of failed memory pages of older devices,
    // which have no spare rows.
    double remapped_rows, remap_pending, remap_failed, retired_pages;
    // Names of everything that limited the clock during the check; NULL if that is not known.
    const char *throttle;
    // Version of the card's firmware, such as "96.00.74.00.01"; NULL if not known.
    const char *vbios;
};

struct check {
    // Id of the device. NULL if the device is missing or if no API can open it.
    const char *device;
    // Index of the device on this host, as in `fathom devices`; if `device` is NULL, the index of
    // the check in the run.
    size_t index;
    const char *uuid, *pci;
    enum check_verdict verdict;
    enum check_code code;
    const char *cause; // cause of the verdict, as one sentence for people
    const char **remarks;
    size_t remark_count;
    bool shared_check; // true: another fathom process on this host measured the device
    struct check_figure *figures;
    size_t figure_count;
    struct check_state state;
};

// Each function returns a struct in which all numbers are unknown. check_empty returns a check with
// the verdict UNKNOWN and the code NOT_MEASURED, check_figure_empty a figure of this metric.
struct check check_empty(void);

// Returns the worst verdict of the checks. Broken is the worst, then slow, unknown and healthy.
// Returns CHECK_UNKNOWN if there is no check.
enum check_verdict check_worst(const struct check *checks, size_t count);
struct check_figure check_figure_empty(enum check_metric metric);

// Adds an empty check to the run and returns it. The address of a check is valid only until the
// next one is added.
struct check *run_add_check(struct run *run);

// The table of the members of a check, for run files (results/codec.h).
extern const struct json_table check_table;

#endif
