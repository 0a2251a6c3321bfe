// SPDX-License-Identifier: MIT
// What `fathom check` says about each device of a run: a verdict, its cause, and the figures that
// led to the verdict. In run files this is the member `checks`.
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

// Why a device got its verdict. CHECK_OK belongs to CHECK_HEALTHY.
enum check_code {
    CHECK_OK,
    // codes of the verdict "slow"
    CHECK_MEMORY_CLOCK,
    CHECK_CORE_CLOCK,
    CHECK_POWER_LIMIT,
    CHECK_THERMAL,
    CHECK_LINK_WIDTH,
    CHECK_LINK_GENERATION,
    CHECK_BELOW_EXPECTATION, // a figure is too low, and none of the causes above was found
    // codes of the verdict "broken"
    CHECK_WRONG_RESULTS,
    CHECK_HUNG,
    CHECK_LOST,
    CHECK_MISSING, // this device is missing: there are fewer devices than expected
    CHECK_ERRORS,  // error counters increased, or memory had no spare row left
    // codes of the verdict "unknown"
    CHECK_BUSY,
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
    CHECK_LINK_BOTH,        // copies between host and device in both directions at the same time
    CHECK_LINK_ALL_AT_ONCE, // copies from the host to all devices together; value of this device
    CHECK_PEER,             // copy from this device to one other device
    CHECK_PEER_READ,        // copy from one other device to this device
    CHECK_PEER_BOTH,        // copies to and from one other device at the same time
    CHECK_PEER_ALL,         // copies between all pairs of devices together; sum of all
    CHECK_METRIC_COUNT
};

// Returns BETTER_LOWER for latencies and BETTER_HIGHER for all other metrics.
enum better check_metric_better(enum check_metric metric);

// True for a metric of the link to the host.
bool check_metric_is_host_link(enum check_metric metric);

// True if a check has a figure of this metric for each other device (check_figure.peer).
bool check_metric_is_pair(enum check_metric metric);

// Where the expected value of a figure comes from.
enum check_basis {
    CHECK_BASIS_NONE, // there is no expected value
    CHECK_BASIS_REFERENCE,
    CHECK_BASIS_LIMIT,
    CHECK_BASIS_OWN, // runs that the user gave (--expect)
    CHECK_BASIS_COUNT
};

enum check_judgement {
    CHECK_FIGURE_OK,
    CHECK_FIGURE_SLOW,
    CHECK_FIGURE_UNKNOWN
};

// A figure of a check. Numbers that are not known are not finite.
struct check_figure {
    enum check_metric metric;
    enum unit unit;
    double peer; // index of the other device, if check_metric_is_pair(metric)
    double value, low, high;
    double noise; // spread of the samples, relative to the value
    double expected;
    double expected_low; // a figure is slow below this value or, if it is a latency, above it
    size_t cards;        // number of cards from which `expected` was computed
    enum check_basis basis;
    enum check_judgement judgement;
};

// The state of the card that the driver reported under load. Numbers that it does not report are
// not finite.
struct check_state {
    double core_clock_hz, memory_clock_hz, power_w, power_limit_w, temperature_c;
    double link_width, link_width_max, link_generation, link_generation_max;
    // Error counters: how much each of them increased during the check.
    double ecc_corrected, ecc_uncorrected, link_replays, nvlink_replays, nvlink_recoveries;
    double nvlinks, nvlinks_active; // number of the card's NVLink links, and of active ones
    double ecc_enabled;             // 1 if ECC is on, 0 if it is off
    // remapped_rows: number of memory rows that failed and were replaced by spare rows.
    // remap_pending: 1 if a row will be replaced at the next reset of the device. remap_failed: 1
    // if no spare row was left. retired_pages: number of failed memory pages of older devices,
    // which have no spare rows.
    double remapped_rows, remap_pending, remap_failed, retired_pages;
    const char *throttle; // what limited the clock; NULL: not known
    const char *vbios;    // version of the card's firmware: "96.00.74.00.01"; NULL: not known
};

struct check {
    const char *device; // id of the device; NULL if `code` is CHECK_MISSING
    size_t index;       // index of the device on this host, as in `fathom devices`
    const char *uuid, *pci;
    enum check_verdict verdict;
    enum check_code code;
    const char *cause; // cause of the verdict, as one sentence for people
    const char **remarks;
    size_t remark_count;
    bool shared_check; // true: another process of this host made this check
    struct check_figure *figures;
    size_t figure_count;
    struct check_state state;
};

// These functions return a check (verdict UNKNOWN, code NOT_MEASURED), and a figure, in which no
// number is known.
struct check check_empty(void);
struct check_figure check_figure_empty(enum check_metric metric);

// Adds an empty check and returns it. Adding another check may move it.
struct check *run_add_check(struct run *run);

// Describes a check in a run file (results/codec.h).
extern const struct json_table check_table;

#endif
