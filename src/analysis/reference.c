// SPDX-License-Identifier: MIT
#include "analysis/reference.h"
#include "analysis/pairing.h"
#include "base/text.h"
#include "results/codec.h"
#include "results/json.h"

#include <string.h>

// ---------------------------------------------------------------- reading the index

static const struct json_field entry_fields[] = {
    {"file", FIELD_TEXT, JSON_AT(struct index_entry, path), .required = true},
    {"match", FIELD_TEXT, JSON_AT(struct index_entry, match), .required = true},
    {"api", FIELD_TEXT, JSON_AT(struct index_entry, api), .required = true},
    {"preset", FIELD_TEXT, JSON_AT(struct index_entry, preset), .required = true},
    {"note", FIELD_TEXT, JSON_AT(struct index_entry, note)},
    {"published", FIELD_FLAG, JSON_AT(struct index_entry, published)},
};
static const struct json_table entry_table = {JSON_TABLE(struct index_entry, entry_fields)};

static const struct json_field index_fields[] = {
    {"runs", FIELD_LIST, JSON_LIST_AT(struct run_index, entries, count), .table = &entry_table},
};
static const struct json_table index_table = {JSON_TABLE(struct run_index, index_fields)};

static void schema_check(struct json_reader *reader, const struct json_node *top)
{
    static const char expected[] = "fathom-reference/1";
    struct json_node schema = json_member(reader, top, "schema");
    const char *name = json_text_required(reader, &schema);
    if (strcmp(name, expected) != 0)
        json_fail(reader, &schema, "expected %s, found %.40s", expected, name);
}

bool run_index_read(struct arena *arena, const char *path, struct run_index *index,
                    struct error *err)
{
    *index = (struct run_index){0};
    json_t *json = json_read_file(path, err);
    if (!json)
        return false;
    struct json_reader reader = {.arena = arena, .file = path, .err = err};
    struct json_node top = {.value = json};
    schema_check(&reader, &top);
    json_get_fields(&reader, &top, &index_table, index);
    json_decref(json);
    const char *slash = strrchr(path, '/');
    int folder_bytes = slash ? (int)(slash + 1 - path) : 0;
    for (size_t i = 0; i < index->count && !reader.failed; i++)
        index->entries[i].path =
            arena_printf(arena, "%.*s%s", folder_bytes, path, index->entries[i].path);
    return !reader.failed;
}

// ---------------------------------------------------------------- choosing a reference

static bool fits(struct arena *arena, const struct index_entry *entry,
                 const struct run_device *device)
{
    return !entry->published && device->name && *entry->match &&
           text_contains(device->name, entry->match) &&
           strcmp(device_api(arena, device->id), entry->api) == 0;
}

// Returns the rank of a preset: `wanted` (may be NULL) first. Else a preset that measures more
// makes a better reference.
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
            known = text_join(arena, known, ", ", name);
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

// ---------------------------------------------------------------- the embedded reference runs

// The text of reference/checks.json, without a NUL at its end. CMakeLists.txt embeds it.
extern const char reference_checks[];
extern const uint64_t reference_checks_bytes;

struct run *reference_checks_run(void)
{
    struct error err; // `err` is not used, because a test proves that the embedded file can be read
    return run_read_text(reference_checks, reference_checks_bytes, "checks.json", &err);
}
