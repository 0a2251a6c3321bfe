// SPDX-License-Identifier: MIT
// The processes that use a card, as /proc shows them.
#include "base/text.h"
#include "sensors/clocks_source.h"

#include <stdlib.h>
#include <string.h>

enum {
    ANCESTORS_MAX = 64,
    LINE_BYTES = 512
};

const char *clocks_proc(const struct sensor_clocks_desc *desc)
{
    return desc->proc_root ? desc->proc_root : "/proc";
}

// Reads the first line of a file of a process. False if the process is not visible.
static bool read_process(const struct sensor_clocks_desc *desc, long pid, const char *file,
                         char line[LINE_BYTES])
{
    return text_read_line(line, LINE_BYTES, "%s/%ld/%s", clocks_proc(desc), pid, file);
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
