// SPDX-License-Identifier: MIT
// Finds the processes that use a card, in /proc.
#include "base/text.h"
#include "sensors/clocks_source.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
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

// Reads the first line of /proc/PID/`file`. Returns false if the process is not visible.
static bool read_process(const struct sensor_clocks_desc *desc, long pid, const char *file,
                         char line[LINE_BYTES])
{
    return text_read_line(line, LINE_BYTES, "%s/%ld/%s", clocks_proc(desc), pid, file);
}

// Returns the parent of a process; 0 if the process is not visible.
static long parent_of(const struct sensor_clocks_desc *desc, long pid)
{
    char line[LINE_BYTES];
    if (!read_process(desc, pid, "stat", line))
        return 0;
    // The line is "815 (NAME) S 4711 …". NAME may contain ')', so NAME ends at the last ')'.
    const char *after = strrchr(line, ')');
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

// Returns the name of a process, such as "python3"; "?" if the process is not visible.
static const char *process_name(struct arena *arena, const struct sensor_clocks_desc *desc,
                                long pid)
{
    char line[LINE_BYTES];
    return read_process(desc, pid, "comm", line) ? arena_strdup(arena, line) : "?";
}

const char *clocks_add_user(struct arena *arena, const struct sensor_clocks_desc *desc, long pid,
                            const char *text)
{
    const char *name = process_name(arena, desc, pid);
    if (strcmp(name, "?") == 0)
        return text;
    return arena_printf(arena, "%s%s%s (process %ld)", text ? text : "", text ? ", " : "", name,
                        pid);
}

bool clocks_refuse_other(const struct sensor_clocks_desc *desc, long pid, struct error *err)
{
    struct arena *arena = arena_create();
    error_set(err, ERROR_UNSUPPORTED,
              "process %ld (%s) uses the card as well, and its clock would change under it: end it "
              "first, or leave clock out",
              pid, process_name(arena, desc, pid));
    arena_destroy(arena);
    return false;
}

// ---------------------------------------------------------------- by drm-pdev

// True if this fdinfo file of a process names the card, in a line such as "drm-pdev: 0000:0b:00.0".
static bool names_card(const char *path, const char *pci)
{
    FILE *file = fopen(path, "r");
    char line[LINE_BYTES];
    bool names = false;
    while (file && !names && fgets(line, sizeof line, file))
        names = text_begins(line, "drm-pdev:") && strstr(line, pci);
    if (file)
        fclose(file);
    return names;
}

// True if the process has the card open. *barred becomes true if its fdinfo cannot be read.
static bool has_open(const struct sensor_clocks_desc *desc, const char *pid, bool *barred)
{
    struct arena *arena = arena_create();
    const char *folder = arena_printf(arena, "%s/%s/fdinfo", clocks_proc(desc), pid);
    DIR *files = opendir(folder);
    bool has = false;
    *barred |= !files && errno == EACCES;
    for (struct dirent *entry = files ? readdir(files) : NULL; entry && !has;
         entry = readdir(files))
        has = entry->d_name[0] != '.' &&
              names_card(arena_printf(arena, "%s/%s", folder, entry->d_name), desc->card.pci);
    if (files)
        closedir(files);
    arena_destroy(arena);
    return has;
}

const long *clocks_openers(struct arena *arena, const struct sensor_clocks_desc *desc,
                           size_t *count, bool *barred)
{
    long *pids = NULL;
    size_t capacity = 0;
    DIR *processes = desc->card.pci ? opendir(clocks_proc(desc)) : NULL;
    *count = 0;
    *barred = !processes;
    for (struct dirent *entry = processes ? readdir(processes) : NULL; entry;
         entry = readdir(processes)) {
        char *end;
        long pid = strtol(entry->d_name, &end, 10);
        if (*end || pid <= 0 || !has_open(desc, entry->d_name, barred) || clocks_is_own(desc, pid))
            continue;
        pids = arena_grow(arena, pids, *count, &capacity, sizeof *pids);
        pids[(*count)++] = pid;
    }
    if (processes)
        closedir(processes);
    return pids;
}
