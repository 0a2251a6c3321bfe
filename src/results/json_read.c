// SPDX-License-Identifier: MIT
// The file and the run; benchmarks and results are read by json_read_parts.c.
#include "results/json.h"
#include "results/json_parts.h"
#include "results/names.h"

#include <string.h>

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

static void tool_read(struct json_reader *reader, const struct json_node *top, struct run *run)
{
    struct json_node tool = json_member(reader, top, "tool");
    run->tool_version = json_read_text(reader, &tool, "version");
    run->tool_commit = json_read_text(reader, &tool, "commit");
    run->tool_build = json_read_text(reader, &tool, "build");
}

static void head_read(struct json_reader *reader, const struct json_node *top, struct run *run)
{
    struct json_node status = json_member(reader, top, "status");
    const char *word = json_text_required(reader, &status);
    if (!reader->failed && !run_status_from_name(word, &run->status))
        json_fail(reader, &status, "\"%.40s\" is not running, complete or interrupted", word);
    tool_read(reader, top, run);
    run->started = json_read_text(reader, top, "started");
    run->preset = json_read_text(reader, top, "preset");
    struct json_node seed = json_member(reader, top, "seed");
    run->seed = json_count(reader, &seed);
    struct json_node command = json_member(reader, top, "command");
    run->command = json_read_strings(reader, &command, &run->command_count);
    struct json_node host = json_member(reader, top, "host");
    run->host = json_read_texts(reader, &host, &run->host_count);
}

static void device_read(struct json_reader *reader, const struct json_node *node,
                        struct run_device *device)
{
    struct json_node id = json_member(reader, node, "id");
    device->id = json_text_required(reader, &id);
    device->name = json_read_text(reader, node, "name");
    device->vendor = json_read_text(reader, node, "vendor");
    device->driver = json_read_text(reader, node, "driver");
    device->api_version = json_read_text(reader, node, "api_version");
    device->kind = json_read_text(reader, node, "kind");
    device->uuid = json_read_text(reader, node, "uuid");
    device->pci = json_read_text(reader, node, "pci");
    struct json_node limits = json_member(reader, node, "limits");
    device->limits = json_read_numbers(reader, &limits, &device->limit_count);
}

static void finding_read(struct json_reader *reader, const struct json_node *node,
                         struct finding *finding)
{
    struct json_node code = json_member(reader, node, "code");
    struct json_node text = json_member(reader, node, "text");
    struct json_node value = json_member(reader, node, "value");
    struct json_node keys = json_member(reader, node, "keys");
    finding->code = json_text_required(reader, &code);
    finding->text = json_text_required(reader, &text);
    finding->device = json_read_text(reader, node, "device");
    finding->value = json_number(reader, &value);
    finding->keys = json_read_strings(reader, &keys, &finding->key_count);
}

static void lists_read(struct json_reader *reader, const struct json_node *top, struct run *run)
{
    struct json_node devices = json_member(reader, top, "devices");
    for (size_t i = 0; i < json_elements(reader, &devices) && !reader->failed; i++) {
        struct json_node node = json_element(&devices, i);
        device_read(reader, &node, run_add_device(run));
    }
    struct json_node benchmarks = json_member(reader, top, "benchmarks");
    for (size_t i = 0; i < json_elements(reader, &benchmarks) && !reader->failed; i++) {
        struct json_node node = json_element(&benchmarks, i);
        run_add_benchmark(run, json_read_benchmark(reader, &node));
    }
    struct json_node results = json_member(reader, top, "results");
    for (size_t i = 0; i < json_elements(reader, &results) && !reader->failed; i++) {
        struct json_node node = json_element(&results, i);
        json_read_result(reader, &node, run, run_add_result(run));
    }
    struct json_node findings = json_member(reader, top, "findings");
    for (size_t i = 0; i < json_elements(reader, &findings) && !reader->failed; i++) {
        struct json_node node = json_element(&findings, i);
        finding_read(reader, &node, run_add_finding(run));
    }
}

static struct run *run_of(const json_t *json, const char *name, struct error *err)
{
    struct run *run = run_create();
    struct json_reader reader = {.arena = run->arena, .file = name, .err = err};
    struct json_node top = {.value = json};
    if (schema_check(&reader, &top)) {
        head_read(&reader, &top, run);
        lists_read(&reader, &top, run);
    }
    if (!reader.failed)
        return run;
    run_destroy(run);
    return NULL;
}

struct run *run_read_text(const char *text, size_t bytes, const char *name, struct error *err)
{
    json_t *json = json_read_memory(text, bytes, name, err);
    struct run *run = json ? run_of(json, name, err) : NULL;
    json_decref(json);
    return run;
}

struct run *run_read(const char *path, struct error *err)
{
    json_t *json = json_read_file(path, err);
    struct run *run = json ? run_of(json, path, err) : NULL;
    json_decref(json);
    return run;
}
