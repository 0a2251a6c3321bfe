// SPDX-License-Identifier: MIT
// Writes and reads run files.
#include "base/text.h"
#include "results/codec.h"
#include "results/json.h"
#include "results/save.h"

#include <string.h>

static bool write_at(const struct run *run, int gzip, FILE *stream, struct error *err)
{
    struct json_out out = {.arena = arena_create(), .stream = stream, .lines = true, .gzip = gzip};
    run_put(&out, NULL, run);
    bool written = json_out_end(&out, "the run", err);
    arena_destroy(out.arena);
    return written;
}

bool run_write(const struct run *run, FILE *stream, struct error *err)
{
    return write_at(run, 0, stream, err);
}

bool run_write_gzipped(const struct run *run, FILE *stream, struct error *err)
{
    // An unfinished run may be saved each second, so it gets gzip's fastest level.
    int level = run->status == RUN_RUNNING ? 1 : 9;
    return write_at(run, level, stream, err);
}

struct form {
    const struct run *run;
    run_writer *writer;
};

static bool write_form(void *context, FILE *stream, struct error *err)
{
    const struct form *form = context;
    return form->writer(form->run, stream, err);
}

bool run_save_as(const struct run *run, run_writer *writer, const char *path, struct error *err)
{
    return file_save(path, write_form, &(struct form){run, writer}, err);
}

bool run_save(const struct run *run, const char *path, struct error *err)
{
    return run_save_as(run, text_ends(path, ".gz") ? run_write_gzipped : run_write, path, err);
}

static bool schema_check(struct json_reader *reader, const struct json_node *top)
{
    static const char family[] = "fathom-run/";
    struct json_node node = json_member(reader, top, "schema");
    const char *schema = json_text(reader, &node);
    if (reader->failed)
        return false;
    if (!schema || strncmp(schema, family, strlen(family)) != 0)
        return json_fail(reader, top, "not a run file of fathom (no schema \"%s\")", RUN_SCHEMA);
    if (strcmp(schema, RUN_SCHEMA) != 0)
        return json_fail(reader, top,
                         "its schema is %.40s, this fathom reads %s: use the fathom that wrote it",
                         schema, RUN_SCHEMA);
    return true;
}

// Makes a run of the parsed document `json`, and releases the document. The results come from
// `rows` if `rows` is not NULL. Returns NULL if `json` is NULL or not a valid run.
static struct run *run_of(json_t *json, struct json_rows *rows, const char *name, struct error *err)
{
    if (!json)
        return NULL;
    struct run *run = run_create();
    struct json_reader reader = {run->arena, name, err, run, rows, false};
    struct json_node top = {.value = json};
    if (schema_check(&reader, &top))
        json_get_fields(&reader, &top, &run_table, run);
    json_decref(json);
    if (reader.failed || (rows && rows->failed)) {
        run_destroy(run);
        return NULL;
    }
    run_declare_missing(run);
    return run;
}

// Reads a run. Skips its results unless `whole` is true.
static struct run *read_text(const char *text, size_t bytes, const char *name, bool whole,
                             struct error *err)
{
    struct error ignored = {0};
    struct json_rows rows;
    json_t *head = json_read_rows(text, bytes, "results", &rows);
    if (head && !whole)
        rows.at = rows.end;
    struct run *run = run_of(head, &rows, name, &ignored);
    // Faulty, or without "results": reading it whole gives the error, or a run without results.
    return run ? run : run_of(json_read_memory(text, bytes, name, err), NULL, name, err);
}

struct run *run_read_text(const char *text, size_t bytes, const char *name, struct error *err)
{
    return read_text(text, bytes, name, true, err);
}

static struct run *read_file(const char *path, bool whole, struct error *err)
{
    size_t bytes;
    char *text = json_read_text(path, &bytes, err);
    struct run *run = text ? read_text(text, bytes, path, whole, err) : NULL;
    free(text);
    return run;
}

struct run *run_read(const char *path, struct error *err)
{
    return read_file(path, true, err);
}

struct run *run_read_head(const char *path, struct error *err)
{
    return read_file(path, false, err);
}
