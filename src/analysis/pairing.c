// SPDX-License-Identifier: MIT
#include "analysis/pairing.h"
#include "base/text.h"
#include "results/names.h"

#include <stdlib.h>
#include <string.h>

const char *device_api(struct arena *arena, const char *id)
{
    return arena_printf(arena, "%.*s", (int)strcspn(id, ":"), id);
}

bool device_same_chip(const struct run_device *a, const struct run_device *b)
{
    if (a->uuid && b->uuid)
        return strcmp(a->uuid, b->uuid) == 0;
    return a->pci && text_same(a->pci, b->pci);
}

bool device_same_api(const struct run_device *a, const struct run_device *b)
{
    size_t api = strcspn(a->id, ":");
    return api == strcspn(b->id, ":") && strncmp(a->id, b->id, api) == 0;
}

// How two devices of different runs are related, the closest relation first. All relations but
// NEAR_ANY also need equal model names and APIs.
enum nearness {
    NEAR_UUID,
    NEAR_PCI, // the PCI addresses are equal; used only if one of the devices reports no UUID
    NEAR_ID,
    NEAR_MODEL,
    NEAR_ANY // no relation: any device that has no pair yet
};

// Returns a text that is equal for two devices if they are related as `nearness` says. Returns NULL
// if the device lacks the name, UUID or PCI address that this relation needs.
static const char *mark_of(struct arena *arena, const struct run_device *device,
                           enum nearness nearness)
{
    const char *own[] = {device->uuid, device->pci, device->id, "", ""};
    if (nearness == NEAR_ANY)
        return "";
    if (!device->name || !own[nearness])
        return NULL;
    return arena_printf(arena, "%s\n%s\n%s", device->name, device_api(arena, device->id),
                        own[nearness]);
}

struct marked {
    const char *mark;
    size_t index; // index of the device in its run
};

static int compare_marked(const void *left, const void *right)
{
    const struct marked *a = left, *b = right;
    int order = strcmp(a->mark, b->mark);
    return order ? order : (a->index > b->index) - (a->index < b->index);
}

// Returns the index of the first sorted element not before `wanted`; `count` if there is none.
static size_t first_at(const void *sorted, size_t count, size_t bytes, const void *wanted,
                       int (*compare)(const void *left, const void *right))
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare((const char *)sorted + middle * bytes, wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Pairs devices that have no pair and are related as `nearness` says, in the order of the runs.
static void pairs_add(struct arena *arena, struct device_pairs *pairs, enum nearness nearness)
{
    const struct run *base = pairs->base, *now = pairs->now;
    struct marked *sorted = ARENA_ARRAY(arena, now->device_count, struct marked);
    // Devices with equal marks (mark_of) are neighbours in `sorted`. If sorted[i] is the first of
    // them, skip[i] is the number of devices, from this one on, that already have a pair.
    size_t *skip = ARENA_ARRAY(arena, now->device_count, size_t);
    size_t count = 0;
    for (size_t i = 0; i < now->device_count; i++) {
        const char *mark = mark_of(arena, &now->devices[i], nearness);
        if (mark && !pairs->now_paired[i])
            sorted[count++] = (struct marked){mark, i};
    }
    if (count)
        qsort(sorted, count, sizeof *sorted, compare_marked);
    for (size_t i = 0; i < base->device_count; i++) {
        const struct run_device *device = &base->devices[i];
        const char *mark = pairs->base_paired[i] ? NULL : mark_of(arena, device, nearness);
        const struct marked wanted = {mark, 0};
        size_t first =
            mark ? first_at(sorted, count, sizeof *sorted, &wanted, compare_marked) : count;
        for (size_t j = first < count ? first + skip[first] : count;
             j < count && strcmp(sorted[j].mark, mark) == 0; j++) {
            const struct run_device *other = &now->devices[sorted[j].index];
            bool *paired = &pairs->now_paired[sorted[j].index];
            skip[first] += *paired && j == first + skip[first];
            if (*paired || (nearness == NEAR_PCI && device->uuid && other->uuid))
                continue;
            pairs->list[pairs->count++] = (struct device_pair){device, other};
            pairs->base_paired[i] = *paired = true;
            break;
        }
    }
}

struct device_pairs device_pairs_of(struct arena *arena, const struct run *base,
                                    const struct run *now, bool across)
{
    struct device_pairs pairs = {.list = ARENA_ARRAY(arena, base->device_count, struct device_pair),
                                 .base = base,
                                 .now = now,
                                 .base_paired = ARENA_ARRAY(arena, base->device_count, bool),
                                 .now_paired = ARENA_ARRAY(arena, now->device_count, bool)};
    enum nearness farthest = across ? NEAR_ANY : NEAR_MODEL;
    for (enum nearness nearness = NEAR_UUID; nearness <= farthest; nearness++)
        pairs_add(arena, &pairs, nearness);
    return pairs;
}

// Sorts results by key, then by device. Of results with equal key and device, the later one in the
// run is first.
static int compare_places(const void *left, const void *right)
{
    const struct result_place *a = left, *b = right;
    int order = strcmp(a->result->key, b->result->key);
    if (!order)
        order = strcmp(a->result->device, b->result->device);
    return order ? order : (a->order < b->order) - (a->order > b->order);
}

// Compares results, to sort them by device, then by position in the run.
static int compare_devices(const void *left, const void *right)
{
    const struct result_place *a = left, *b = right;
    int order = strcmp(a->result->device, b->result->device);
    return order ? order : (a->order > b->order) - (a->order < b->order);
}

struct result_index result_index_of(struct arena *arena, const struct run *run)
{
    size_t count = run->result_count;
    struct result_index index = {.sorted = ARENA_ARRAY(arena, count, struct result_place),
                                 .by_device = ARENA_ARRAY(arena, count, struct result_place),
                                 .count = count};
    for (size_t i = 0; i < count; i++)
        index.sorted[i] = index.by_device[i] =
            (struct result_place){.result = run->results[i], .order = i};
    if (count) {
        qsort(index.sorted, count, sizeof *index.sorted, compare_places);
        qsort(index.by_device, count, sizeof *index.by_device, compare_devices);
    }
    return index;
}

const struct result_place *result_index_device(const struct result_index *index, const char *device,
                                               size_t *count)
{
    const struct result_place wanted = {&(struct result){.device = device}, 0};
    size_t first =
        first_at(index->by_device, index->count, sizeof wanted, &wanted, compare_devices);
    size_t end = first;
    while (end < index->count && strcmp(index->by_device[end].result->device, device) == 0)
        end++;
    *count = end - first;
    return index->by_device + first;
}

const struct result *result_index_find(const struct result_index *index, const char *device,
                                       const char *key)
{
    const struct result_place wanted = {&(struct result){.key = key, .device = device}, SIZE_MAX};
    size_t at = first_at(index->sorted, index->count, sizeof wanted, &wanted, compare_places);
    const struct result *found = at < index->count ? index->sorted[at].result : NULL;
    return found && strcmp(found->key, key) == 0 && strcmp(found->device, device) == 0 ? found
                                                                                       : NULL;
}

static const char *method_text(struct arena *arena, const struct bench_case *of, const char *key)
{
    const struct case_value *value = case_find(of, key);
    return value ? case_value_text(arena, value) : "nothing";
}

const char *result_mismatch(struct arena *arena, const struct result *a, const struct result *b)
{
    if (a->version != b->version)
        return arena_printf(arena, "%s version %u against %u", a->benchmark, a->version,
                            b->version);
    const struct bench_case *cases[] = {&a->bench_case, &b->bench_case};
    for (size_t i = 0; i < cases[0]->value_count + cases[1]->value_count; i++) {
        const struct case_value *value = i < cases[0]->value_count
                                             ? &cases[0]->values[i]
                                             : &cases[1]->values[i - cases[0]->value_count];
        if (value->role != PARAM_METHOD)
            continue;
        const char *mine = method_text(arena, cases[0], value->key);
        const char *yours = method_text(arena, cases[1], value->key);
        if (strcmp(mine, yours) != 0)
            return arena_printf(arena, "%s=%s against %s", value->key, mine, yours);
    }
    return NULL;
}
