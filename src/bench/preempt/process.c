// SPDX-License-Identifier: MIT
// The side that measures. The hog's own: process_serve.c.
#include "bench/preempt/process.h"

#include "base/child.h"
#include "base/clock.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct process {
    struct child *child;
    uint64_t timeout_ns;
};

enum {
    NUMBERS_A_GROUP = 4
};
static const uint64_t send_ns = NS_PER_S, grace_ns = 2 * NS_PER_S, start_ns = 20 * NS_PER_S;

struct process *process_create(struct arena *arena, const char *device_id, struct error *err)
{
    const char *const argv[] = {"/proc/self/exe", "__beside", "preempt", "-d", device_id, NULL};
    struct process *process = ARENA_NEW(arena, struct process);
    process->child = child_create(&(struct child_desc){.argv = argv}, err);
    return process->child ? process : NULL;
}

void process_destroy(struct process *process)
{
    if (process)
        child_destroy(process->child, grace_ns);
}

// The next line, which begins with `word`; NULL: something else came, or nothing.
static const char *line_expect(struct process *process, const char *word, struct error *err)
{
    const char *line = "";
    switch (child_receive(process->child, process->timeout_ns + start_ns, -1, &line)) {
    case CHILD_LINE:
        break;
    case CHILD_TIMEOUT:
        error_set(err, ERROR_TIMEOUT, "the hog's process said nothing for %.3g s",
                  (double)(process->timeout_ns + start_ns) * 1e-9);
        return NULL;
    case CHILD_WOKEN:
    case CHILD_GONE:
    case CHILD_MALFORMED:
        error_set(err, ERROR_IO, "the hog's process is gone: %s", child_end_text(process->child));
        return NULL;
    }
    if (text_begins(line, word))
        return line + strlen(word);
    error_set(err, ERROR_IO, "the hog's process: %s", line);
    return NULL;
}

bool process_start(struct process *process, const struct process_start *start, struct error *err)
{
    struct arena *arena = arena_create();
    const struct load_desc *desc = start->load;
    const char *line =
        arena_printf(arena, "start %u %u %u %u %u %u %u %u %u", desc->shape.dispatches,
                     desc->shape.groups, desc->shape.turns, desc->shape.ahead, desc->shape.draws,
                     desc->slots, desc->records, start->token, start->alone);
    process->timeout_ns = desc->timeout_ns;
    bool done = child_send(process->child, line, send_ns, err) &&
                line_expect(process, "running", err) != NULL;
    arena_destroy(arena);
    return done;
}

static bool run_parse(const char *text, struct arena *arena, struct load_run *run)
{
    size_t spaces = 0;
    for (const char *at = text; *at; at++)
        spaces += *at == ' ';
    run->group_count = spaces / NUMBERS_A_GROUP;
    run->groups = ARENA_ARRAY(arena, run->group_count, struct load_group);
    for (size_t g = 0; g < run->group_count; g++) {
        double numbers[NUMBERS_A_GROUP];
        for (int n = 0; n < NUMBERS_A_GROUP; n++) {
            char *end;
            numbers[n] = strtod(text, &end);
            if (end == text)
                return false;
            text = end;
        }
        struct load_group *group = &run->groups[g];
        *group = (struct load_group){numbers[0], numbers[1], numbers[2], (uint32_t)numbers[3]};
        run->start_ns = g == 0 || group->start_ns < run->start_ns ? group->start_ns : run->start_ns;
        run->end_ns = g == 0 || group->end_ns > run->end_ns ? group->end_ns : run->end_ns;
        run->pause_ns = group->pause_ns > run->pause_ns ? group->pause_ns : run->pause_ns;
    }
    return run->group_count > 0;
}

bool process_stop(struct process *process, struct arena *arena, uint64_t *base,
                  struct load_run **runs, uint32_t *count, struct error *err)
{
    const char *line;
    size_t capacity = 0, used = 0;
    struct load_run *list = NULL;
    *count = 0;
    if (!child_send(process->child, "stop", send_ns, err) ||
        !(line = line_expect(process, "base ", err)))
        return false;
    if (!text_parse_uint(line, base))
        return error_set(err, ERROR_IO, "the hog's process: no number: %s", line);
    while ((line = line_expect(process, "", err)) && text_begins(line, "run")) {
        list = arena_grow(arena, list, used, &capacity, sizeof *list);
        list[used] = (struct load_run){0};
        if (!run_parse(line + strlen("run"), arena, &list[used++]))
            return error_set(err, ERROR_IO, "the hog's process: a record cannot be read");
    }
    if (line && strcmp(line, "end") != 0)
        return error_set(err, ERROR_IO, "the hog's process: %s", line);
    *runs = list;
    *count = (uint32_t)used;
    return line != NULL;
}
