// SPDX-License-Identifier: MIT
#include "suite/host.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

enum {
    HOST_ENTRIES_MAX = 8,
    LINE_BYTES = 512
};

static void add(struct run *run, const char *name, const char *text)
{
    if (text && *text)
        run->host[run->host_count++] = (struct named_text){.name = name, .text = text};
}

// The text after `separator` in the file's first line that begins with `key`, without quotes; NULL
// if there is no such line.
static const char *read_field(struct arena *arena, const char *path, const char *key,
                              char separator)
{
    char line[LINE_BYTES];
    const char *found = NULL;
    FILE *file = fopen(path, "r");
    while (file && !found && fgets(line, sizeof line, file)) {
        char *at = text_begins(line, key) ? strchr(line, separator) : NULL;
        if (!at)
            continue;
        at++;
        at += strspn(at, " \t\"");
        at[strcspn(at, "\"\n")] = '\0';
        found = arena_strdup(arena, at);
    }
    if (file)
        fclose(file);
    return found;
}

static const char *number(struct arena *arena, long value)
{
    return value > 0 ? arena_printf(arena, "%ld", value) : NULL;
}

void host_describe(struct run *run)
{
    struct arena *arena = run->arena;
    struct utsname names;
    run->host = ARENA_ARRAY(arena, HOST_ENTRIES_MAX, struct named_text);
    run->host_count = 0;
    add(run, "os", read_field(arena, "/etc/os-release", "PRETTY_NAME", '='));
    if (uname(&names) == 0) {
        add(run, "kernel", arena_printf(arena, "%s %s", names.sysname, names.release));
        add(run, "architecture", arena_strdup(arena, names.machine));
    }
    add(run, "cpu", read_field(arena, "/proc/cpuinfo", "model name", ':'));
    add(run, "cpu_threads", number(arena, sysconf(_SC_NPROCESSORS_ONLN)));
    add(run, "memory", read_field(arena, "/proc/meminfo", "MemTotal", ':'));
}

const char *host_time(struct arena *arena)
{
    char text[sizeof "2026-01-31T12:00:00Z"];
    time_t now = time(NULL);
    struct tm utc;
    if (!gmtime_r(&now, &utc) || strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc) == 0)
        return "1970-01-01T00:00:00Z";
    return arena_strdup(arena, text);
}
