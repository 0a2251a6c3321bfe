// SPDX-License-Identifier: MIT
// Pairs the devices and the results of two runs.
#ifndef ANALYSIS_PAIRING_H
#define ANALYSIS_PAIRING_H

#include "results/results.h"

// Returns the API of a device id: "vulkan" for "vulkan:0". The text lives in `arena`.
const char *device_api(struct arena *arena, const char *id);

bool device_same_api(const struct run_device *a, const struct run_device *b);

// Returns true if both devices have the same UUID. If a UUID is not known, compares the PCI
// addresses instead. If one of the addresses is not known either, returns false.
bool device_same_chip(const struct run_device *a, const struct run_device *b);

// A device of run `base` and its counterpart in run `now`.
struct device_pair {
    const struct run_device *base, *now;
};

struct device_pairs {
    struct device_pair *list;
    size_t count;
    const struct run *base, *now;
    // For each device of run `base` and of run `now`: true if the device is in a pair.
    bool *base_paired, *now_paired;
};

// Pairs each device of `base` with at most one device of `now` that has the same model name and
// API. The same chip is preferred, then the same id. If `across` is true, devices without a pair
// are then paired in their order, whatever their model is. The lists live in `arena`. The time
// grows as n log n with the number of devices.
struct device_pairs device_pairs_of(struct arena *arena, const struct run *base,
                                    const struct run *now, bool across);

// A result and its position in the run. For fast look-ups, struct result_index has two arrays of
// result_place: `sorted` is sorted by key and device, `by_device` by device and position.
struct result_place {
    const struct result *result;
    size_t order; // index in run.results
};

struct result_index {
    struct result_place *sorted, *by_device;
    size_t count;
};

struct result_index result_index_of(struct arena *arena, const struct run *run);

// Returns the run's last result with this device and key; NULL if the run has none.
const struct result *result_index_find(const struct result_index *index, const char *device,
                                       const char *key);

// Returns the results of a device, in the order of the run. Sets *count to their number.
const struct result_place *result_index_device(const struct result_index *index, const char *device,
                                               size_t *count);

// Returns why two results with the same key cannot be compared: "latency version 1 against 2",
// "laps=1 against 2". NULL if they can be compared. The text lives in `arena`.
const char *result_mismatch(struct arena *arena, const struct result *a, const struct result *b);

#endif
