// SPDX-License-Identifier: MIT
// Which device and which result of one run belongs to which of another.
#ifndef ANALYSIS_PAIRING_H
#define ANALYSIS_PAIRING_H

#include "results/results.h"

// "vulkan" of "vulkan:0"; in `arena`.
const char *device_api(struct arena *arena, const char *id);

bool device_same_api(const struct run_device *a, const struct run_device *b);

// The same chip, by UUID or else by PCI address; false where neither is known of both.
bool device_same_chip(const struct run_device *a, const struct run_device *b);

// A device of each of two runs.
struct device_pair {
    const struct run_device *base, *now;
};

struct device_pairs {
    struct device_pair *list;
    size_t count;
};

// Pairs each device of `base` with at most one of `now`, the nearest first: the same chip, else one
// of the same model and id, else one of the same model (name and API); with `across` any other, in
// their order. In `arena`.
struct device_pairs device_pairs_of(struct arena *arena, const struct run *base,
                                    const struct run *now, bool across);

// True if the device, of either run, is in one of the pairs.
bool device_is_paired(const struct device_pairs *pairs, const struct run_device *device);

// The results of a run for many look-ups by device and key.
struct result_place {
    const struct result *result;
    size_t order; // in the run
};

struct result_index {
    struct result_place *sorted;
    size_t count;
};

struct result_index result_index_of(struct arena *arena, const struct run *run);

// The last such result; NULL where there is none.
const struct result *result_index_find(const struct result_index *index, const char *device,
                                       const char *key);

// Why two results of one key are not comparable ("version 1 against 2", "laps=1 against 2"); NULL
// where they are. In `arena`.
const char *result_mismatch(struct arena *arena, const struct result *a, const struct result *b);

#endif
