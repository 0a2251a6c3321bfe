// SPDX-License-Identifier: MIT
#include "analysis/reference.h"
#include "analysis/pairing.h"
#include "base/text.h"

#include <string.h>

static bool fits(struct arena *arena, const struct index_entry *entry,
                 const struct run_device *device)
{
    return !entry->published && device->name && *entry->match &&
           text_contains(device->name, entry->match) &&
           strcmp(device_api(arena, device->id), entry->api) == 0;
}

// The more a preset measures, the better it answers.
static int preset_rank(const char *preset, const char *wanted)
{
    static const char *const order[] = {"quick", "standard", "full"};
    if (wanted && strcmp(preset, wanted) == 0)
        return 4;
    for (int i = 0; i < 3; i++)
        if (strcmp(preset, order[i]) == 0)
            return i + 1;
    return 0;
}

static bool is_better(const struct index_entry *a, const struct index_entry *b, const char *preset)
{
    size_t a_length = strlen(a->match), b_length = strlen(b->match);
    if (a_length != b_length)
        return a_length > b_length;
    return preset_rank(a->preset, preset) > preset_rank(b->preset, preset);
}

static const char *known_devices(struct arena *arena, const struct run_index *index)
{
    const char *known = "";
    for (size_t i = 0; i < index->count; i++) {
        const struct index_entry *entry = &index->entries[i];
        const char *name = arena_printf(arena, "%s (%s)", entry->match, entry->api);
        if (!entry->published && !strstr(known, name))
            known = arena_printf(arena, "%s%s%s", known, *known ? ", " : "", name);
    }
    return *known ? known : "none";
}

bool reference_choose(struct arena *arena, const struct run_index *index, const struct run *run,
                      const struct index_entry **entry, struct error *err)
{
    *entry = NULL;
    for (size_t i = 0; i < run->device_count && !*entry; i++)
        for (size_t j = 0; j < index->count; j++)
            if (fits(arena, &index->entries[j], &run->devices[i]) &&
                (!*entry || is_better(&index->entries[j], *entry, run->preset)))
                *entry = &index->entries[j];
    if (*entry)
        return true;
    const struct run_device *device = run->device_count ? &run->devices[0] : NULL;
    return error_set(err, ERROR_USAGE, "no reference run for %s (%s); there are: %s",
                     device && device->name ? device->name : "a run without a device",
                     device ? device->id : "-", known_devices(arena, index));
}
