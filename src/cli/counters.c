// SPDX-License-Identifier: MIT
// Lists the hardware counters of devices. A child process opens the device. If a driver or profiler
// crashes, only the child ends.
#include "gpu/counters.h"
#include "base/child.h"
#include "base/child_channel.h"
#include "base/clock.h"
#include "cli/cli.h"
#include "results/codec.h"
#include "results/json.h"

#include <string.h>
#include <unistd.h>

static const uint64_t silence_ns = 60 * NS_PER_S;

static const struct json_field answer_fields[] = {
    {"missing", FIELD_TEXT, JSON_AT(struct cli_counters, missing)},
    {"neutral", FIELD_LIST, JSON_LIST_AT(struct cli_counters, neutral, neutral_count),
     .table = &named_text_table},
    {"natives", FIELD_TEXTS, JSON_LIST_AT(struct cli_counters, natives, native_count)},
};
static const struct json_table answer_table = {JSON_TABLE(struct cli_counters, answer_fields)};

// ---------------------------------------------------------------- in the child process

static void list_counters(struct arena *arena, const struct gpu_counters *counters,
                          struct cli_counters *list)
{
    const char *const *natives = gpu_counters_natives(counters, &list->native_count);
    list->neutral = ARENA_ARRAY(arena, GPU_COUNTER_COUNT, struct named_text);
    for (int i = 0; i < GPU_COUNTER_COUNT; i++) {
        const struct gpu_counter_source *source =
            gpu_counters_source(counters, (enum gpu_counter)i);
        if (source)
            list->neutral[list->neutral_count++] = (struct named_text){
                gpu_counter_info((enum gpu_counter)i)->name, arena_strdup(arena, source->native)};
    }
    list->natives = ARENA_ARRAY(arena, list->native_count, const char *);
    for (size_t i = 0; i < list->native_count; i++)
        list->natives[i] = arena_strdup(arena, natives[i]);
}

// Opens the device with the id `name` and fills `list` with the names of its hardware counters.
static bool open_and_list(struct arena *arena, const char *name, struct cli_counters *list,
                          struct error *err)
{
    struct gpu_system *system = gpu_system_create(
        &(struct gpu_system_desc){.only_api = name, .known = &name, .known_count = 1});
    const struct gpu_info *info = gpu_system_find(system, name);
    struct gpu_device *device = NULL;
    struct gpu_counters *counters = NULL;
    if (!info)
        error_set(err, ERROR_NO_DEVICE, "%s: no such device here", name);
    else if ((device = gpu_device_open(system, info, NULL, err)) != NULL)
        counters = gpu_counters_open(device, err);
    if (counters)
        list_counters(arena, counters, list);
    gpu_counters_close(counters);
    gpu_device_close(device);
    gpu_system_destroy(system);
    return counters != NULL;
}

bool command_counters(struct cli *cli, struct error *err)
{
    const char *name = options_value(cli->options, OPTION_DEVICE);
    struct cli_counters list = {0};
    struct json_out out = {.arena = cli->arena};
    struct error why;
    struct child_channel channel;
    if (!name)
        return error_set(err, ERROR_USAGE,
                         "__counters: -d is missing: only fathom itself starts it");
    if (!open_and_list(cli->arena, name, &list, &why))
        list.missing = why.message;
    json_put_open(&out, NULL, '{');
    json_put_fields(&out, &answer_table, &list);
    json_put_close(&out, '}');
    child_channel_init(&channel, STDIN_FILENO);
    bool sent = child_channel_write(&channel, json_out_text(&out), err);
    child_channel_fini(&channel);
    return sent;
}

// ---------------------------------------------------------------- in the parent process

static bool read_answer(struct arena *arena, const char *line, struct cli_counters *counters,
                        struct error *err)
{
    json_t *document = json_read_memory(line, strlen(line), "the counters", err);
    struct json_reader reader = {.arena = arena, .file = "the counters", .err = err};
    const struct json_node root = {.value = document};
    if (!document)
        return false;
    json_get_fields(&reader, &root, &answer_table, counters);
    json_decref(document);
    return !reader.failed;
}

static bool ask_child(struct cli *cli, struct child *child, struct cli_counters *counters,
                      struct error *err)
{
    const char *line = NULL;
    enum child_answer answer = child_receive(child, silence_ns, -1, &line);
    if (answer == CHILD_LINE)
        return read_answer(cli->arena, line, counters, err);
    if (answer == CHILD_TIMEOUT)
        return error_set(err, ERROR_TIMEOUT, "no answer for %.0f s", (double)silence_ns / 1e9);
    return error_set(err, ERROR_INTERNAL, "the process that lists them ended: %s",
                     child_end_text(child));
}

void cli_counters_of(struct cli *cli, const struct gpu_info *device, struct cli_counters *counters)
{
    const char *const argv[] = {"/proc/self/exe", "__counters", "-d",
                                gpu_info_identity(cli->arena, device), NULL};
    const struct child_desc desc = {.argv = argv, .environment = cli->environment};
    struct error err;
    *counters = (struct cli_counters){0};
    struct child *child = child_create(&desc, &err);
    if (!child || !ask_child(cli, child, counters, &err))
        counters->missing = arena_strdup(cli->arena, err.message);
    child_destroy(child, NS_PER_S);
}
