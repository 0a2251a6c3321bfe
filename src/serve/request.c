// SPDX-License-Identifier: MIT
#include "serve/request.h"

#include "base/text.h"
#include "results/codec.h"

#include <string.h>

// Name that error texts give to a page's message.
static const char name_of_message[] = "message";

struct reading {
    struct json_reader reader;
    const struct json_node *root;
    struct request *request;
};

static const char *text_of(struct reading *r, const char *member)
{
    struct json_node node = json_member(&r->reader, r->root, member);
    return json_text_required(&r->reader, &node);
}

static bool flag_of(struct reading *r, const char *member)
{
    struct json_node node = json_member(&r->reader, r->root, member);
    if (node.value && !json_is_boolean(node.value))
        json_fail(&r->reader, &node, "must be true or false");
    return json_is_true(node.value);
}

// ---------------------------------------------------------------- the device and the benchmark

static bool read_device(struct reading *r, const struct device_list *devices)
{
    const char *id = text_of(r, "device");
    for (size_t i = 0; i < devices->count && !r->request->device; i++)
        if (strcmp(devices->devices[i]->id, id) == 0)
            r->request->device = devices->devices[i];
    return r->reader.failed || r->request->device ||
           json_fail(&r->reader, r->root, "no device '%s' is offered here", id);
}

static bool read_benchmark(struct reading *r)
{
    const char *name = text_of(r, "benchmark");
    const struct benchmark *benchmark = benchmark_find(name);
    if (r->reader.failed)
        return false;
    if (!benchmark)
        return json_fail(&r->reader, r->root, "no benchmark '%s'", name);
    if (benchmark->command)
        return json_fail(&r->reader, r->root, "%s is measured by `fathom %s` alone", name,
                         benchmark->command);
    const struct benchmark **chosen = ARENA_NEW(r->request->arena, const struct benchmark *);
    *chosen = benchmark;
    r->request->choices.benchmarks = chosen;
    r->request->choices.benchmark_count = 1;
    return true;
}

// ---------------------------------------------------------------- parameters of the benchmark

static void add_setting(struct reading *r, struct setting *settings, const char *key,
                        const char *values)
{
    struct arena *arena = r->request->arena;
    settings[r->request->choices.setting_count++] =
        (struct setting){.benchmark = r->request->choices.benchmarks[0]->info.name,
                         .key = arena_strdup(arena, key),
                         .values = values,
                         .text = arena_printf(arena, "%s=%.200s", key, values)};
}

static bool read_set(struct reading *r, const struct json_node *set, struct setting *settings)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)set->value, key, value)
    {
        struct json_node member = json_member(&r->reader, set, key);
        const char *text = json_text_required(&r->reader, &member);
        if (r->reader.failed)
            return false;
        if (!*key || !*text)
            return json_fail(&r->reader, &member, "is empty");
        add_setting(r, settings, key, text);
    }
    return true;
}

// Adds the object `scenario`, the content of a scenario file, as the parameter `scenario`.
static bool read_scenario(struct reading *r, struct setting *settings)
{
    static const char key[] = "scenario";
    struct json_node node = json_member(&r->reader, r->root, key);
    if (!node.value)
        return !r->reader.failed;
    if (!json_is_object(node.value))
        return json_fail(&r->reader, &node, "expected an object");
    if (!benchmark_param(&r->request->choices.benchmarks[0]->info, key))
        return json_fail(&r->reader, &node, "%s has no scenarios",
                         r->request->choices.benchmarks[0]->info.name);
    const char *text = json_compact(r->request->arena, &node);
    if (strlen(text) > REQUEST_SCENARIO_BYTES_MAX)
        return json_fail(&r->reader, &node, "is longer than %d bytes", REQUEST_SCENARIO_BYTES_MAX);
    add_setting(r, settings, key, text);
    return true;
}

static bool names_no_file(const struct param_info *param, const struct case_value *value)
{
    return param->type != PARAM_TEXT || !param->choices || *value->text == '{' ||
           (case_value_says(value, param->choices) && strcmp(value->text, "FILE") != 0);
}

// Fails if `--set` would refuse the settings, or if a value is the name of a file.
static bool check_choices(struct reading *r)
{
    const struct choice_request *choices = &r->request->choices;
    const struct benchmark *benchmark = choices->benchmarks[0];
    struct bench_choice *made;
    if (!choices_check(r->request->arena, choices, r->reader.err) ||
        !choices_make(r->request->arena, choices, benchmark, &made, r->reader.err))
        return false;
    for (size_t i = 0; i < benchmark->info.param_count; i++)
        for (size_t k = 0; k < made[i].value_count; k++)
            if (!names_no_file(made[i].param, &made[i].values[k]))
                return json_fail(&r->reader, r->root,
                                 "%s: no file can be named here: send its content as `scenario`",
                                 made[i].param->key);
    return true;
}

static bool read_choices(struct reading *r)
{
    struct json_node set = json_member(&r->reader, r->root, "set");
    if (!json_is_map(&r->reader, &set))
        return false;
    size_t count = set.value ? json_object_size(set.value) : 0;
    struct setting *settings = ARENA_ARRAY(r->request->arena, count + 1, struct setting);
    r->request->choices.preset = "quick";
    r->request->choices.settings = settings;
    return read_set(r, &set, settings) && read_scenario(r, settings) && check_choices(r);
}

// ---------------------------------------------------------------- reading the message

static bool read_measure(struct reading *r, const struct device_list *devices)
{
    struct json_node id = json_member(&r->reader, r->root, "id");
    r->request->id = json_count(&r->reader, &id);
    r->request->continuous = flag_of(r, "continuous");
    return read_device(r, devices) && read_benchmark(r) && read_choices(r) && !r->reader.failed;
}

static bool read_message(struct reading *r, const struct device_list *devices)
{
    const char *type = text_of(r, "type");
    if (r->reader.failed)
        return false;
    if (strcmp(type, "measure") == 0) {
        r->request->kind = REQUEST_MEASURE;
        return read_measure(r, devices);
    }
    if (strcmp(type, "hello") == 0) {
        r->request->kind = REQUEST_HELLO;
        r->request->token = text_of(r, "token");
        return !r->reader.failed;
    }
    r->request->kind = REQUEST_CANCEL;
    return strcmp(type, "cancel") == 0 ||
           json_fail(&r->reader, r->root, "no message has the type '%s'", type);
}

bool request_read(const char *text, size_t bytes, const struct device_list *devices,
                  const struct gpu_system *system, struct request *request, struct error *err)
{
    json_t *document = json_read_memory(text, bytes, name_of_message, err);
    if (!document)
        return false;
    *err = (struct error){.code = ERROR_NONE};
    request->choices.system = system;
    const struct json_node root = {.value = document};
    struct reading reading = {
        .reader = {.arena = request->arena, .file = name_of_message, .err = err},
        .root = &root,
        .request = request};
    bool read = read_message(&reading, devices);
    json_decref(document);
    if (!read) {
        err->code = ERROR_USAGE;
        error_clean(err);
    }
    return read;
}
