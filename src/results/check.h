// SPDX-License-Identifier: MIT
// What `fathom check` says about the devices of a run: for each a verdict, its cause, and the
// figures that it comes from. The member `checks` of run files.
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
    // slow
    CHECK_MEMORY_CLOCK,
    CHECK_CORE_CLOCK,
    CHECK_POWER_LIMIT,
    CHECK_THERMAL,
    CHECK_LINK_WIDTH,
    CHECK_LINK_GENERATION,
    CHECK_BELOW_EXPECTATION, // and none of the causes above was seen
    // broken
    CHECK_WRONG_RESULTS,
    CHECK_HUNG,
    CHECK_LOST,
    CHECK_MISSING, // fewer devices than expected: this one does not exist
    CHECK_ERRORS,  // counters of errors rose, or no spare row of memory was left
    // unknown
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
    CHECK_LINK_BOTH,        // both directions at once
    CHECK_LINK_ALL_AT_ONCE, // host to device, on all devices at once; the value is this device's
    CHECK_PEER,             // to one other device, copied by this one
    CHECK_PEER_READ,        // from one other device, copied by this one
    CHECK_PEER_BOTH,        // to and from one other device at once
    CHECK_PEER_ALL,         // all pairs of devices at once; the value is that of all together
    CHECK_METRIC_COUNT
};

// Latencies are better if lower, all others if higher.
enum better check_metric_better(enum check_metric metric);

// True for figures of the link to the host.
bool check_metric_is_host_link(enum check_metric metric);

// True if a check has one such figure for each other device (check_figure.peer).
bool check_metric_is_pair(enum check_metric metric);

// Where the expectation of a figure comes from.
enum check_basis {
    CHECK_BASIS_NONE, // there is no expectation
    CHECK_BASIS_REFERENCE,
    CHECK_BASIS_LIMIT,
    CHECK_BASIS_OWN, // runs of the user (--expect)
    CHECK_BASIS_COUNT
};

enum check_judgement {
    CHECK_FIGURE_OK,
    CHECK_FIGURE_SLOW,
    CHECK_FIGURE_UNKNOWN
};

// Numbers that are not finite are absent.
struct check_figure {
    enum check_metric metric;
    enum unit unit;
    double peer; // check_metric_is_pair: index of the other device
    double value, low, high;
    double noise; // spread of the samples, relative to the value
    double expected;
    double expected_low; // a worse value is slow; for a latency it is the upper end
    size_t cards;        // number of cards that the expectation comes from
    enum check_basis basis;
    enum check_judgement judgement;
};

// What the driver told under load; what it does not tell is not finite.
struct check_state {
    double core_clock_hz, memory_clock_hz, power_w, power_limit_w, temperature_c;
    double link_width, link_width_max, link_generation, link_generation_max;
    // Differences over the check.
    double ecc_corrected, ecc_uncorrected, link_replays, nvlink_replays, nvlink_recoveries;
    double nvlinks, nvlinks_active; // links to other devices, of all kinds of NVLink
    double ecc_enabled;             // 1: on; 0: off
    // Memory that failed and was replaced by spare rows; 1 if that waits for a reset of the device;
    // 1 if no spare row was left. Older devices retire pages instead.
    double remapped_rows, remap_pending, remap_failed, retired_pages;
    const char *throttle; // NULL: not known
    const char *vbios;    // version of the card's firmware: "96.00.74.00.01"; NULL: not known
};

struct check {
    const char *device; // its id; NULL: CHECK_MISSING
    size_t index;       // its place on this host, as `fathom devices` counts
    const char *uuid, *pci;
    enum check_verdict verdict;
    enum check_code code;
    const char *cause; // one sentence for people
    const char **remarks;
    size_t remark_count;
    bool shared_check; // another process of this host measured it
    struct check_figure *figures;
    size_t figure_count;
    struct check_state state;
};

// A check and a figure without any number.
struct check check_empty(void);
struct check_figure check_figure_empty(enum check_metric metric);

// Adds an empty check, which may move when the next one is added.
struct check *run_add_check(struct run *run);

// Describes a check in a run file (results/codec.h).
extern const struct json_table check_table;

#endif
