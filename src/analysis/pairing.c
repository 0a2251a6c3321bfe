// SPDX-License-Identifier: MIT
#include "analysis/pairing.h"
#include "results/names.h"

#include <stdlib.h>
#include <string.h>

const char *device_api(struct arena *arena, const char *id)
{
    return arena_printf(arena, "%.*s", (int)strcspn(id, ":"), id);
}

static bool same_text(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

bool device_same_chip(const struct run_device *a, const struct run_device *b)
{
    if (a->uuid && b->uuid)
        return same_text(a->uuid, b->uuid);
    return same_text(a->pci, b->pci);
}

bool device_same_api(const struct run_device *a, const struct run_device *b)
{
    size_t api = strcspn(a->id, ":");
    return api == strcspn(b->id, ":") && strncmp(a->id, b->id, api) == 0;
}

// The order in which device_pairs_of makes pairs: the nearest devices first.
enum nearness {
    NEAR_CHIP,
    NEAR_ID,
    NEAR_MODEL,
    NEAR_ANY // all devices without a pair
};

static bool is_near(const struct run_device *base, const struct run_device *now,
                    enum nearness nearness)
{
    if (nearness == NEAR_ANY)
        return true;
    if (!same_text(base->name, now->name) || !device_same_api(base, now))
        return false;
    if (nearness == NEAR_CHIP)
        return device_same_chip(base, now);
    return nearness == NEAR_MODEL || strcmp(base->id, now->id) == 0;
}

bool device_is_paired(const struct device_pairs *pairs, const struct run_device *device)
{
    for (size_t i = 0; i < pairs->count; i++)
        if (pairs->list[i].base == device || pairs->list[i].now == device)
            return true;
    return false;
}

static void partner_find(struct device_pairs *pairs, const struct run_device *base,
                         const struct run *run, enum nearness nearness)
{
    for (size_t i = 0; i < run->device_count && !device_is_paired(pairs, base); i++)
        if (!device_is_paired(pairs, &run->devices[i]) && is_near(base, &run->devices[i], nearness))
            pairs->list[pairs->count++] = (struct device_pair){base, &run->devices[i]};
}

struct device_pairs device_pairs_of(struct arena *arena, const struct run *base,
                                    const struct run *now, bool across)
{
    struct device_pairs pairs = {ARENA_ARRAY(arena, base->device_count, struct device_pair), 0};
    enum nearness farthest = across ? NEAR_ANY : NEAR_MODEL;
    for (enum nearness nearness = NEAR_CHIP; nearness <= farthest; nearness++)
        for (size_t i = 0; i < base->device_count; i++)
            partner_find(&pairs, &base->devices[i], now, nearness);
    return pairs;
}

static int compare_keys(const struct result *a, const char *device, const char *key)
{
    int order = strcmp(a->key, key);
    return order ? order : strcmp(a->device, device);
}

// Sorts by key, then by device. Of results with equal key and device, the last one of the run comes
// first.
static int compare_places(const void *left, const void *right)
{
    const struct result_place *a = left, *b = right;
    int order = compare_keys(a->result, b->result->device, b->result->key);
    return order ? order : (a->order < b->order) - (a->order > b->order);
}

struct result_index result_index_of(struct arena *arena, const struct run *run)
{
    struct result_index index = {.sorted =
                                     ARENA_ARRAY(arena, run->result_count, struct result_place),
                                 .count = run->result_count};
    for (size_t i = 0; i < run->result_count; i++)
        index.sorted[i] = (struct result_place){.result = run->results[i], .order = i};
    if (index.count)
        qsort(index.sorted, index.count, sizeof *index.sorted, compare_places);
    return index;
}

const struct result *result_index_find(const struct result_index *index, const char *device,
                                       const char *key)
{
    size_t low = 0, high = index->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_keys(index->sorted[middle].result, device, key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == index->count || compare_keys(index->sorted[low].result, device, key) != 0)
        return NULL;
    return index->sorted[low].result;
}

const char *result_mismatch(struct arena *arena, const struct result *a, const struct result *b)
{
    if (a->version != b->version)
        return arena_printf(arena, "%s version %u against %u", a->benchmark, a->version,
                            b->version);
    for (size_t i = 0; i < a->bench_case.value_count; i++) {
        const struct case_value *value = &a->bench_case.values[i];
        const struct case_value *other = case_find(&b->bench_case, value->key);
        if (value->role != PARAM_METHOD)
            continue;
        const char *mine = case_value_text(arena, value);
        const char *yours = other ? case_value_text(arena, other) : "nothing";
        if (strcmp(mine, yours) != 0)
            return arena_printf(arena, "%s=%s against %s", value->key, mine, yours);
    }
    return NULL;
}
