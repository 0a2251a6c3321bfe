// SPDX-License-Identifier: MIT
// Members of common shapes, and what a benchmark declares.
#include "results/json_parts.h"
#include "results/names.h"

#include <limits.h>
#include <string.h>

const char *json_read_text(struct json_reader *reader, const struct json_node *node,
                           const char *name)
{
    struct json_node member = json_member(reader, node, name);
    return json_text(reader, &member);
}

static const char *read_required(struct json_reader *reader, const struct json_node *node,
                                 const char *name)
{
    struct json_node member = json_member(reader, node, name);
    return json_text_required(reader, &member);
}

const char **json_read_strings(struct json_reader *reader, const struct json_node *node,
                               size_t *count)
{
    *count = json_elements(reader, node);
    const char **texts = ARENA_ARRAY(reader->arena, *count, const char *);
    for (size_t i = 0; i < *count && !reader->failed; i++) {
        struct json_node element = json_element(node, i);
        texts[i] = json_text_required(reader, &element);
    }
    return texts;
}

// Members of a map, in the order of the file.
static size_t map_size(struct json_reader *reader, const struct json_node *node)
{
    return json_is_map(reader, node) && node->value ? json_object_size(node->value) : 0;
}

struct named_text *json_read_texts(struct json_reader *reader, const struct json_node *node,
                                   size_t *count)
{
    struct named_text *texts =
        ARENA_ARRAY(reader->arena, map_size(reader, node), struct named_text);
    *count = 0;
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)node->value, name, value)
    {
        struct json_node member = {.up = node, .member = name, .value = value};
        texts[(*count)++] = (struct named_text){.name = arena_strdup(reader->arena, name),
                                                .text = json_text_required(reader, &member)};
    }
    return texts;
}

struct named_number *json_read_numbers(struct json_reader *reader, const struct json_node *node,
                                       size_t *count)
{
    struct named_number *numbers =
        ARENA_ARRAY(reader->arena, map_size(reader, node), struct named_number);
    *count = 0;
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)node->value, name, value)
    {
        struct json_node member = {.up = node, .member = name, .value = value};
        struct json_node number = json_member(reader, &member, "value");
        numbers[(*count)++] = (struct named_number){.name = arena_strdup(reader->arena, name),
                                                    .unit = json_read_unit(reader, &member, "unit"),
                                                    .value = json_number(reader, &number)};
    }
    return numbers;
}

enum unit json_read_unit(struct json_reader *reader, const struct json_node *node, const char *name)
{
    enum unit unit = UNIT_NONE;
    struct json_node member = json_member(reader, node, name);
    const char *text = json_text(reader, &member);
    if (text && !unit_from_name(text, &unit))
        json_fail(reader, &member, "\"%.40s\" is not a unit of run files", text);
    return unit;
}

unsigned json_read_version(struct json_reader *reader, const struct json_node *node)
{
    struct json_node member = json_member(reader, node, "version");
    uint64_t version = json_count(reader, &member);
    if (!member.value)
        json_fail(reader, &member, "missing");
    else if (version > UINT_MAX)
        json_fail(reader, &member, "too large for a version");
    return (unsigned)version;
}

static struct param_info param_read(struct json_reader *reader, const struct json_node *node)
{
    struct param_info param = {.key = read_required(reader, node, "key")};
    struct json_node type = json_member(reader, node, "type");
    struct json_node role = json_member(reader, node, "role");
    const char *type_name = json_text_required(reader, &type);
    const char *role_name = json_text_required(reader, &role);
    if (!reader->failed && !param_type_from_name(type_name, &param.type))
        json_fail(reader, &type, "\"%.40s\" is not uint, bytes, real or text", type_name);
    if (!reader->failed && !param_role_from_name(role_name, &param.role))
        json_fail(reader, &role, "\"%.40s\" is not axis, method or display", role_name);
    param.unit = json_read_unit(reader, node, "unit");
    param.choices = json_read_text(reader, node, "choices");
    param.help = json_read_text(reader, node, "help");
    return param;
}

static enum better better_read(struct json_reader *reader, const struct json_node *node)
{
    enum better better = BETTER_NONE;
    struct json_node member = json_member(reader, node, "better");
    const char *name = json_text(reader, &member);
    if (name && !better_from_name(name, &better))
        json_fail(reader, &member, "\"%.40s\" is not lower, higher or none", name);
    return better;
}

static struct metric_info metric_info_read(struct json_reader *reader, const struct json_node *node)
{
    return (struct metric_info){.name = read_required(reader, node, "name"),
                                .unit = json_read_unit(reader, node, "unit"),
                                .better = better_read(reader, node),
                                .help = json_read_text(reader, node, "help")};
}

// False for a kind of view that a later fathom added: left out, as unknown members are.
static bool view_read(struct json_reader *reader, const struct json_node *node,
                      struct view_info *view)
{
    *view = (struct view_info){.title = json_read_text(reader, node, "title"),
                               .x = json_read_text(reader, node, "x"),
                               .y = json_read_text(reader, node, "y"),
                               .metric = json_read_text(reader, node, "metric"),
                               .group = json_read_text(reader, node, "group"),
                               .scale = json_read_text(reader, node, "scale"),
                               .where = json_read_text(reader, node, "where")};
    return view_kind_from_name(read_required(reader, node, "kind"), &view->kind);
}

static void views_read(struct json_reader *reader, const struct json_node *list,
                       struct benchmark_info *info)
{
    size_t count = json_elements(reader, list);
    struct view_info *views = ARENA_ARRAY(reader->arena, count, struct view_info);
    for (size_t i = 0; i < count && !reader->failed; i++) {
        struct json_node node = json_element(list, i);
        if (view_read(reader, &node, &views[info->view_count]))
            info->view_count++;
    }
    info->views = views;
}

struct benchmark_info *json_read_benchmark(struct json_reader *reader, const struct json_node *node)
{
    struct benchmark_info *info = ARENA_NEW(reader->arena, struct benchmark_info);
    info->name = read_required(reader, node, "name");
    info->version = json_read_version(reader, node);
    info->title = json_read_text(reader, node, "title");

    struct json_node list = json_member(reader, node, "params");
    info->param_count = json_elements(reader, &list);
    struct param_info *params = ARENA_ARRAY(reader->arena, info->param_count, struct param_info);
    for (size_t i = 0; i < info->param_count && !reader->failed; i++) {
        struct json_node element = json_element(&list, i);
        params[i] = param_read(reader, &element);
    }
    info->params = params;

    list = json_member(reader, node, "metrics");
    info->metric_count = json_elements(reader, &list);
    struct metric_info *metrics =
        ARENA_ARRAY(reader->arena, info->metric_count, struct metric_info);
    for (size_t i = 0; i < info->metric_count && !reader->failed; i++) {
        struct json_node element = json_element(&list, i);
        metrics[i] = metric_info_read(reader, &element);
    }
    info->metrics = metrics;

    list = json_member(reader, node, "views");
    views_read(reader, &list, info);
    return info;
}
