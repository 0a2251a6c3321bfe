// SPDX-License-Identifier: MIT
#include "sensors/clocks.h"

#include "base/text.h"
#include "sensors/clocks_source.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    ANCESTORS_MAX = 64,
    LINE_BYTES = 512
};

// The inode of the machine's first PID namespace (Linux, include/linux/proc_ns.h,
// PROC_PID_INIT_INO). In a container it is another one.
static const char first_namespace[] = "pid:[4026531836]";

struct sensor_clocks {
    struct arena *arena;
    struct sensor_clocks_desc desc;
    const struct clocks_source *source;
    void *handle;
    struct clocks_choices choices;
    const char *before;
    bool locked;
};

static const struct clocks_source *const sources[] = {&clocks_nvml, &clocks_amdgpu};

// ---------------------------------------------------------------- whose the card is

static const char *proc_of(const struct sensor_clocks_desc *desc)
{
    return desc->proc_root ? desc->proc_root : "/proc";
}

// Reads the first line of a file of a process. False if the process is not visible.
static bool read_process(const struct sensor_clocks_desc *desc, long pid, const char *file,
                         char line[LINE_BYTES])
{
    return text_read_line(line, LINE_BYTES, "%s/%ld/%s", proc_of(desc), pid, file);
}

// The parent of a process; 0 if the process is not visible. The process name in the line may
// contain anything, also brackets.
static long parent_of(const struct sensor_clocks_desc *desc, long pid)
{
    char line[LINE_BYTES];
    if (!read_process(desc, pid, "stat", line))
        return 0;
    const char *after = strrchr(line, ')'); // then " S 4711 …": state and parent
    return after && strlen(after) > strlen(") S ") ? strtol(after + strlen(") S "), NULL, 10) : 0;
}

bool clocks_is_own(const struct sensor_clocks_desc *desc, long pid)
{
    for (int i = 0; pid > 0 && i < ANCESTORS_MAX; i++) {
        if (pid == desc->own_pid)
            return true;
        pid = parent_of(desc, pid);
    }
    return false;
}

const char *clocks_process_name(struct arena *arena, const struct sensor_clocks_desc *desc,
                                long pid)
{
    char line[LINE_BYTES];
    return read_process(desc, pid, "comm", line) ? arena_strdup(arena, line) : "?";
}

bool clocks_refuse_other(const struct sensor_clocks_desc *desc, long pid, struct error *err)
{
    struct arena *arena = arena_create();
    error_set(err, ERROR_UNSUPPORTED,
              "process %ld (%s) uses the card as well, and its clock would change under it: end it "
              "first, or leave clock out",
              pid, clocks_process_name(arena, desc, pid));
    arena_destroy(arena);
    return false;
}

static bool check_namespace(const struct sensor_clocks_desc *desc, struct error *err)
{
    char path[LINE_BYTES], link[64] = "";
    int length = snprintf(path, sizeof path, "%s/self/ns/pid", proc_of(desc));
    bool fits = length > 0 && (size_t)length < sizeof path;
    ssize_t got = fits ? readlink(path, link, sizeof link - 1) : -1;
    if (got > 0 && strcmp(link, first_namespace) == 0)
        return true;
    return error_set(err, ERROR_UNSUPPORTED,
                     "in a container other users of the card cannot be seen: start fathom outside, "
                     "or with the machine's own process ids (--pid=host)");
}

static bool check(const struct sensor_clocks *clocks, struct error *err)
{
    return check_namespace(&clocks->desc, err) &&
           clocks->source->check(clocks->handle, &clocks->desc, err);
}

// ---------------------------------------------------------------- the card

static bool open_source(struct sensor_clocks *clocks, struct error *err)
{
    const char *reasons = "";
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        struct error why = {0};
        bool knows = false;
        clocks->source = sources[i];
        clocks->handle = sources[i]->open(clocks->arena, &clocks->desc, &clocks->choices,
                                          &clocks->before, &knows, &why);
        if (clocks->handle)
            return true;
        if (knows)
            return error_set(err, ERROR_UNSUPPORTED, "%s", why.message);
        reasons = arena_printf(clocks->arena, "%s%s%s: %s", reasons, *reasons ? "; " : "",
                               sources[i]->name, why.message);
    }
    return error_set(err, ERROR_UNSUPPORTED, "nothing here can set it (%s): leave clock out",
                     reasons);
}

struct sensor_clocks *sensor_clocks_open(const struct sensor_clocks_desc *desc, struct error *err)
{
    struct arena *arena = arena_create();
    struct sensor_clocks *clocks = ARENA_NEW(arena, struct sensor_clocks);
    *clocks = (struct sensor_clocks){.arena = arena, .desc = *desc, .locked = desc->undo != NULL};
    if (open_source(clocks, err) &&
        (desc->undo ? sensor_clocks_restore(clocks, err) : check(clocks, err)))
        return clocks;
    sensor_clocks_close(clocks);
    return NULL;
}

void sensor_clocks_close(struct sensor_clocks *clocks)
{
    if (!clocks)
        return;
    if (clocks->handle)
        clocks->source->close(clocks->handle);
    arena_destroy(clocks->arena);
}

bool sensor_clocks_lock(struct sensor_clocks *clocks, double hz, double *granted_hz,
                        struct error *err)
{
    const struct clocks_choices *choices = &clocks->choices;
    size_t nearest = 0;
    for (size_t i = 1; i < choices->count; i++)
        if (fabs(choices->hz[i] - hz) < fabs(choices->hz[nearest] - hz))
            nearest = i;
    *granted_hz = choices->hz[nearest];
    bool touched = false;
    bool done =
        check(clocks, err) && clocks->source->lock(clocks->handle, choices, nearest, &touched, err);
    clocks->locked |= touched;
    struct error stays;
    if (!done && !sensor_clocks_restore(clocks, &stays))
        error_prefix(err, "%s; before", stays.message);
    return done;
}

const char *sensor_clocks_before(const struct sensor_clocks *clocks)
{
    return clocks->before;
}

bool sensor_clocks_restore(struct sensor_clocks *clocks, struct error *err)
{
    clocks->locked =
        clocks->locked && !clocks->source->restore(clocks->handle, clocks->before, err);
    return !clocks->locked;
}
