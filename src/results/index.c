// SPDX-License-Identifier: MIT
#include "results/index.h"
#include "results/codec.h"

#include <string.h>

#define INDEX_SCHEMA "fathom-reference/1"

static const char *member_text(struct json_reader *reader, const struct json_node *node,
                               const char *name)
{
    struct json_node member = json_member(reader, node, name);
    return json_text_required(reader, &member);
}

// FILE of the index's folder.
static const char *beside(struct arena *arena, const char *path, const char *file)
{
    const char *slash = strrchr(path, '/');
    return arena_printf(arena, "%.*s%s", slash ? (int)(slash + 1 - path) : 0, path, file);
}

static void entry_read(struct json_reader *reader, const struct json_node *node,
                       struct index_entry *entry)
{
    struct json_node note = json_member(reader, node, "note");
    struct json_node published = json_member(reader, node, "published");
    entry->path = beside(reader->arena, reader->file, member_text(reader, node, "file"));
    entry->match = member_text(reader, node, "match");
    entry->api = member_text(reader, node, "api");
    entry->preset = member_text(reader, node, "preset");
    entry->note = json_text(reader, &note);
    entry->published = json_is_true(published.value);
}

static void entries_read(struct json_reader *reader, const struct json_node *top,
                         struct run_index *index)
{
    struct json_node schema = json_member(reader, top, "schema");
    const char *name = json_text_required(reader, &schema);
    if (!reader->failed && strcmp(name, INDEX_SCHEMA) != 0) {
        json_fail(reader, &schema, "expected %s, found %.40s", INDEX_SCHEMA, name);
        return;
    }
    struct json_node list = json_member(reader, top, "runs");
    index->count = json_elements(reader, &list);
    index->entries = ARENA_ARRAY(reader->arena, index->count, struct index_entry);
    for (size_t i = 0; i < index->count && !reader->failed; i++) {
        struct json_node node = json_element(&list, i);
        entry_read(reader, &node, &index->entries[i]);
    }
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
    entries_read(&reader, &top, index);
    json_decref(json);
    return !reader.failed;
}
