// SPDX-License-Identifier: MIT
#include "bench/overlap/scenario.h"

#include "base/text.h"
#include "results/codec.h"

#include <string.h>

#define BIT(workload) (UINT32_C(1) << (workload))

enum {
    GROUPS_MAX = 256, // maximum of the JSON member "groups", as in the tool of M. Pettineo
    GROUPS_DEFAULT = 8,
    ITERATIONS_MAX = 128,
    ITERATIONS_DEFAULT = 64
};

// Allowed values of JSON members. The values of "queue" have the order of enum overlap_queue.
static const char *const queue_words[] = {"direct", "compute"};
static const char *const kind_words[] = {"dispatch", "draw"};
static const char *const priority_words[] = {"medium", "high"};
static const char *const clock_words[] = {"free", "stable"};

struct loader {
    struct json_reader reader;
    struct overlap_workload workloads[OVERLAP_WORKLOADS_MAX];
    bool enabled[OVERLAP_WORKLOADS_MAX];
    size_t count;
};

// ---------------------------------------------------------------- members

static bool members_check(struct loader *loader, const struct json_node *node,
                          const char *const *names, size_t count)
{
    const char *name;
    json_t *value;
    if (!json_is_map(&loader->reader, node))
        return false;
    json_object_foreach((json_t *)node->value, name, value)
    {
        struct text_guess guess = {.typed = name};
        size_t i = 0;
        while (i < count && strcmp(names[i], name) != 0)
            text_guess_offer(&guess, names[i++]);
        if (i == count)
            return json_fail(&loader->reader, node, "there is no member '%s' here%s", name,
                             text_guess_hint(loader->reader.arena, &guess));
    }
    return true;
}

// Returns the index in `words` of the member's text; `fallback` if there is no such member or after
// an error.
static size_t word_read(struct loader *loader, const struct json_node *node, const char *name,
                        const char *const words[2], size_t fallback)
{
    struct json_node member = json_member(&loader->reader, node, name);
    const char *text = json_text(&loader->reader, &member);
    for (size_t i = 0; text && i < 2; i++)
        if (strcmp(text, words[i]) == 0)
            return i;
    if (text)
        json_fail(&loader->reader, &member, "'%s' is not known: it is \"%s\" or \"%s\"", text,
                  words[0], words[1]);
    return fallback;
}

static uint32_t size_read(struct loader *loader, const struct json_node *node, const char *name,
                          uint64_t most, uint64_t fallback)
{
    struct json_node member = json_member(&loader->reader, node, name);
    if (!member.value)
        return (uint32_t)fallback;
    uint64_t size = json_count(&loader->reader, &member);
    if (!loader->reader.failed && (size == 0 || size > most))
        json_fail(&loader->reader, &member, "must be 1 to %u", (unsigned)most);
    return (uint32_t)size;
}

static bool flag_read(struct loader *loader, const struct json_node *node, const char *name)
{
    struct json_node member = json_member(&loader->reader, node, name);
    if (member.value && !json_is_boolean(member.value))
        json_fail(&loader->reader, &member, "must be true or false");
    return !member.value || json_is_true(member.value);
}

// ---------------------------------------------------------------- workloads

static size_t workload_find(const struct loader *loader, const char *name)
{
    size_t w = 0;
    while (w < loader->count && strcmp(loader->workloads[w].name, name) != 0)
        w++;
    return w;
}

static bool workload_read(struct loader *loader, const struct json_node *node)
{
    static const char *const members[] = {"name",       "queue", "kind",   "groups",
                                          "iterations", "after", "enabled"};
    struct json_reader *reader = &loader->reader;
    if (!members_check(loader, node, members, COUNT(members)))
        return false;
    struct json_node name = json_member(reader, node, "name");
    struct overlap_workload workload = {
        .name = json_text_required(reader, &name),
        .queue = (enum overlap_queue)word_read(loader, node, "queue", queue_words, 0),
        .draw = word_read(loader, node, "kind", kind_words, 0),
        .blocks = size_read(loader, node, "groups", GROUPS_MAX, GROUPS_DEFAULT),
        .iterations = size_read(loader, node, "iterations", ITERATIONS_MAX, ITERATIONS_DEFAULT),
    };
    bool enabled = flag_read(loader, node, "enabled");
    if (reader->failed)
        return false;
    if (!*workload.name)
        return json_fail(reader, &name, "is empty");
    if (workload_find(loader, workload.name) < loader->count)
        return json_fail(reader, &name, "'%s' is the name of an earlier workload too",
                         workload.name);
    loader->enabled[loader->count] = enabled;
    loader->workloads[loader->count++] = workload;
    return true;
}

// ---------------------------------------------------------------- the member "after"

static bool after_read(struct loader *loader, const struct json_node *node, size_t w)
{
    const char *name = json_text_required(&loader->reader, node);
    if (loader->reader.failed)
        return false;
    size_t p = workload_find(loader, name);
    if (p == loader->count) {
        struct text_guess guess = {.typed = name};
        for (size_t i = 0; i < loader->count; i++)
            text_guess_offer(&guess, loader->workloads[i].name);
        return json_fail(&loader->reader, node, "there is no workload '%s'%s", name,
                         text_guess_hint(loader->reader.arena, &guess));
    }
    loader->workloads[w].after |= BIT(p);
    return true;
}

static bool after_check(struct loader *loader, const struct json_node *node, size_t w)
{
    const struct overlap_scenario all = {.workloads = loader->workloads, .count = loader->count};
    const struct overlap_workload *workload = &loader->workloads[w];
    if (overlap_scenario_before(&all, w) & BIT(w))
        return json_fail(&loader->reader, node,
                         "%s waits for itself, perhaps by way of others: nothing could begin",
                         workload->name);
    for (size_t p = w + 1; p < loader->count; p++)
        if (workload->after & BIT(p))
            return json_fail(&loader->reader, node,
                             "%s waits for %s, which stands behind it: put that one before it",
                             workload->name, loader->workloads[p].name);
    return true;
}

static bool afters_read(struct loader *loader, const struct json_node *list)
{
    struct json_reader *reader = &loader->reader;
    for (size_t w = 0; w < loader->count; w++) {
        struct json_node element = json_element(list, w);
        struct json_node after = json_member(reader, &element, "after");
        size_t count = json_elements(reader, &after);
        for (size_t i = 0; i < count; i++) {
            struct json_node one = json_element(&after, i);
            if (!after_read(loader, &one, w))
                return false;
        }
        if (reader->failed)
            return false;
    }
    for (size_t w = 0; w < loader->count; w++) {
        struct json_node element = json_element(list, w);
        struct json_node after = json_member(reader, &element, "after");
        if (!after_check(loader, &after, w))
            return false;
    }
    return true;
}

// ---------------------------------------------------------------- the whole file

// Returns the scenario of the enabled workloads, renumbered.
static struct overlap_scenario *compact(const struct loader *loader, struct arena *arena)
{
    struct overlap_workload *kept = ARENA_ARRAY(arena, loader->count, struct overlap_workload);
    size_t place[OVERLAP_WORKLOADS_MAX], count = 0;
    for (size_t w = 0; w < loader->count; w++) {
        if (!loader->enabled[w])
            continue;
        place[w] = count;
        kept[count] = loader->workloads[w];
        kept[count].after = 0;
        for (size_t p = 0; p < w; p++)
            if (loader->enabled[p] && loader->workloads[w].after & BIT(p))
                kept[count].after |= BIT(place[p]);
        count++;
    }
    struct overlap_scenario *scenario = ARENA_NEW(arena, struct overlap_scenario);
    scenario->workloads = kept;
    scenario->count = count;
    return scenario;
}

static const struct overlap_scenario *scenario_load(struct loader *loader,
                                                    const struct json_node *root)
{
    static const char *const members[] = {"name", "priority", "clock", "workloads"};
    struct json_reader *reader = &loader->reader;
    if (!members_check(loader, root, members, COUNT(members)))
        return NULL;
    struct json_node name = json_member(reader, root, "name");
    const char *help = json_text(reader, &name);
    bool urgent = word_read(loader, root, "priority", priority_words, 0);
    bool stable = word_read(loader, root, "clock", clock_words, 0);
    struct json_node list = json_member(reader, root, "workloads");
    size_t count = json_elements(reader, &list);
    if (reader->failed)
        return NULL;
    if (count == 0 || count > OVERLAP_WORKLOADS_MAX) {
        json_fail(reader, &list, "%zu workloads: a scenario has 1 to %d", count,
                  OVERLAP_WORKLOADS_MAX);
        return NULL;
    }
    for (size_t w = 0; w < count; w++) {
        struct json_node element = json_element(&list, w);
        if (!workload_read(loader, &element))
            return NULL;
    }
    if (!afters_read(loader, &list))
        return NULL;
    struct overlap_scenario *scenario = compact(loader, reader->arena);
    scenario->name = reader->file;
    scenario->help = help ? help : "";
    scenario->urgent = urgent;
    scenario->stable = stable;
    if (scenario->count == 0)
        json_fail(reader, &list, "none of its workloads is enabled");
    return reader->failed ? NULL : scenario;
}

static const struct overlap_scenario *document_load(struct arena *arena, json_t *document,
                                                    const char *file, struct error *err)
{
    if (!document)
        return NULL;
    struct loader loader = {
        .reader = {.arena = arena, .file = arena_strdup(arena, file), .err = err}};
    const struct json_node root = {.value = document};
    const struct overlap_scenario *scenario = scenario_load(&loader, &root);
    json_decref(document);
    if (!scenario)
        error_clean(err);
    return scenario;
}

const struct overlap_scenario *overlap_scenario_parse(struct arena *arena, const char *text,
                                                      const char *file, struct error *err)
{
    return document_load(arena, json_read_memory(text, strlen(text), file, err), file, err);
}

const struct overlap_scenario *overlap_scenario_get(struct arena *arena, const char *name,
                                                    struct error *err)
{
    const struct overlap_scenario *scenario = overlap_scenario_find(name);
    if (!scenario && *name == '{')
        return overlap_scenario_parse(arena, name, "scenario", err);
    return scenario ? scenario : document_load(arena, json_read_file(name, err), name, err);
}

// ---------------------------------------------------------------- writing

static void workload_put(struct json_out *out, const struct overlap_scenario *scenario, size_t w)
{
    const struct overlap_workload *workload = &scenario->workloads[w];
    json_put_open(out, NULL, '{');
    json_put_text(out, "name", workload->name);
    json_put_text(out, "queue", queue_words[workload->queue]);
    json_put_text(out, "kind", kind_words[workload->draw]);
    json_put_count(out, "groups", workload->blocks);
    json_put_count(out, "iterations", workload->iterations);
    json_put_open(out, "after", '[');
    for (size_t p = 0; p < w; p++)
        if (workload->after & BIT(p))
            json_put_text(out, NULL, scenario->workloads[p].name);
    json_put_close(out, ']');
    json_put_close(out, '}');
}

static void scenario_put(struct json_out *out, const struct overlap_scenario *scenario)
{
    json_put_open(out, NULL, '{');
    json_put_text(out, "name", scenario->name);
    json_put_text(out, "help", scenario->help);
    json_put_open(out, "scenario", '{');
    json_put_text(out, "name", scenario->name);
    json_put_text(out, "priority", priority_words[scenario->urgent]);
    json_put_text(out, "clock", clock_words[scenario->stable]);
    json_put_open(out, "workloads", '[');
    for (size_t w = 0; w < scenario->count; w++)
        workload_put(out, scenario, w);
    json_put_close(out, ']');
    json_put_close(out, '}');
    // A scenario file cannot ask for split barriers, so "set" sets the parameter `barrier`.
    if (scenario->split) {
        json_put_open(out, "set", '{');
        json_put_text(out, "barrier", "split");
        json_put_close(out, '}');
    }
    json_put_close(out, '}');
}

void overlap_scenarios_put(struct json_out *out)
{
    for (size_t i = 0; i < overlap_scenario_count; i++)
        scenario_put(out, &overlap_scenarios[i]);
}
