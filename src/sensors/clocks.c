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
    LINE_BYTES = 512
};

// Inode of the first PID namespace (Linux, proc_ns.h, PROC_PID_INIT_INO); containers have others.
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

// ---------------------------------------------------------------- the processes that use the card

static bool check_namespace(const struct sensor_clocks_desc *desc, struct error *err)
{
    char path[LINE_BYTES], link[64] = "";
    int length = snprintf(path, sizeof path, "%s/self/ns/pid", clocks_proc(desc));
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

const char *sensor_clocks_users(struct arena *arena, const struct sensor_clocks_desc *desc)
{
    const char *text = NULL;
    for (size_t i = 0; !text && i < sizeof sources / sizeof *sources; i++)
        text = sources[i]->users(arena, desc);
    return text;
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
    if (clocks->handle && clocks->source->close)
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
